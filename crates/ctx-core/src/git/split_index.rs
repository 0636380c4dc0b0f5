//! An index in two files: one that several share, and what has changed since, as `git update-index --split-index`
//! writes it.

/// What an index has of the one that it is based on.
pub struct SharedIndex {
    /// The end of its file's name.
    pub id: String,
    /// The places of entries that are gone.
    deleted: Vec<usize>,
    /// The places of entries that have changed, in the order of the entries without a name.
    replaced: Vec<usize>,
}

impl SharedIndex {
    /// Reads the extension `link`; `None` if anything does not fit.
    pub(super) fn parse(extension: &[u8], id_length: usize) -> Option<Self> {
        let (id, rest) = extension.split_at_checked(id_length)?;
        let id = id.iter().map(|byte| format!("{byte:02x}")).collect();
        if rest.is_empty() {
            return Some(Self { id, deleted: Vec::new(), replaced: Vec::new() });
        }
        let (deleted, rest) = places(rest)?;
        let (replaced, rest) = places(rest)?;
        rest.is_empty().then_some(Self { id, deleted, replaced })
    }

    /// The names of both indexes, and whether each is that of a link: from those of the shared one, whether the entries
    /// without a name are links, and the names that are new. `None` if they do not belong together.
    pub(super) fn merge(
        &self,
        base: Vec<(Vec<u8>, bool)>,
        nameless: &[bool],
        new: Vec<(Vec<u8>, bool)>,
    ) -> Option<Vec<(Vec<u8>, bool)>> {
        let mut all: Vec<Option<(Vec<u8>, bool)>> = base.into_iter().map(Some).collect();
        if self.replaced.len() != nameless.len() {
            return None;
        }
        for (place, is_link) in self.replaced.iter().zip(nameless) {
            all.get_mut(*place)?.as_mut()?.1 = *is_link;
        }
        for place in &self.deleted {
            *all.get_mut(*place)? = None;
        }
        Some(all.into_iter().flatten().chain(new).collect())
    }
}

/// The most places that are read: more than any index has entries.
const MOST_PLACES: usize = 1 << 22;

/// The places of the bits that are set in a bitmap that git compressed (EWAH), and what follows it.
fn places(bytes: &[u8]) -> Option<(Vec<usize>, &[u8])> {
    let count = number(bytes, 4)? as usize;
    let words = bytes.get(8..8_usize.checked_add(count.checked_mul(8)?)?)?;
    let rest = bytes.get(8 + words.len() + 4..)?;
    let mut words = words.chunks_exact(8).filter_map(|word| Some(u64::from_be_bytes(word.try_into().ok()?)));
    let (mut at, mut places) = (0_usize, Vec::new());
    while let Some(marker) = words.next() {
        let run = usize::try_from(marker >> 1 & 0xffff_ffff).ok()?.saturating_mul(64).min(MOST_PLACES + 1);
        if at + run > MOST_PLACES {
            return None;
        }
        if marker & 1 == 1 {
            places.extend(at..at + run);
        }
        at += run;
        for _ in 0..marker >> 33 {
            let word = words.next()?;
            places.extend((0..64).filter(|bit| word >> bit & 1 == 1).map(|bit| at + bit));
            at += 64;
            if at > MOST_PLACES {
                return None;
            }
        }
    }
    Some((places, rest))
}

/// The big-endian number at `at`.
pub(super) fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(four.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bitmap of `run` words of ones, followed by these words.
    fn bitmap(run: u64, words: &[u64]) -> Vec<u8> {
        let marker = 1 | run << 1 | (words.len() as u64) << 33;
        let all = [&[marker], words].concat();
        let numbers = [0, all.len() as u32].map(u32::to_be_bytes).concat();
        [numbers, all.into_iter().flat_map(u64::to_be_bytes).collect(), vec![0; 4]].concat()
    }

    #[test]
    fn places_are_those_of_the_bits_and_not_too_many() {
        let (found, rest) = (bitmap(1, &[0b101]), [0; 0]);
        assert_eq!(places(&found), Some(((0..64).chain([64, 66]).collect(), &rest[..])));
        let most = MOST_PLACES / 64;
        assert!(places(&bitmap(0, &vec![u64::MAX; most])).is_some());
        assert_eq!(places(&bitmap(0, &vec![u64::MAX; most + 1])), None);
        assert_eq!(places(&bitmap(0xffff_ffff, &[])), None);
        assert_eq!(places(&bitmap(most as u64, &[1])), None);
    }
}

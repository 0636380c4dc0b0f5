//! What git's index records about the files of a work tree.

use std::str;

use crate::fs::{Stamp, Time};

/// An entry of git's index.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct IndexEntry<'a> {
    /// The path from the top of the tree.
    pub path: &'a [u8],
    /// Its mode: `100644` for a file.
    pub mode: &'a str,
    /// The id of its contents.
    pub id: &'a str,
    /// Whether it is one side of a conflict.
    pub is_conflicted: bool,
    /// The file's metadata when it last matched the index, if known.
    known: Option<KnownStat>,
}

/// The recorded metadata of a file, with only the lower half of large numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct KnownStat {
    changed: Time,
    modified: Time,
    inode: u32,
    size: u32,
    flags: u32,
}

/// The flag of a file that the user asked git to assume unchanged.
const ASSUMED: u32 = 1 << 15;
/// The flag of a file that was added by name only.
const NAME_ALONE: u32 = 1 << 29;

impl<'a> IndexEntry<'a> {
    /// The entries in the output of `git ls-files --stage --debug -z`.
    pub fn all(mut listing: &'a [u8]) -> Vec<Self> {
        let mut entries = Vec::new();
        while let Some(end) = memchr::memchr(0, listing) {
            let (entry, rest) = (&listing[..end], &listing[end + 1..]);
            let mut after = 0;
            for line in rest.split_inclusive(|byte| *byte == b'\n').take_while(|line| line.starts_with(b"  "))
            {
                after += line.len();
            }
            entries.extend(Self::of(entry, KnownStat::of(&rest[..after])));
            listing = &rest[after..];
        }
        entries
    }

    fn of(entry: &'a [u8], known: Option<KnownStat>) -> Option<Self> {
        let tab = memchr::memchr(b'\t', entry)?;
        let mut words = str::from_utf8(&entry[..tab]).ok()?.split(' ');
        let (mode, id, stage) = (words.next()?, words.next()?, words.next()?);
        Some(Self { path: &entry[tab + 1..], mode, id, is_conflicted: stage != "0", known })
    }

    /// Whether git assumes that the file is unchanged.
    pub fn is_assumed(&self) -> bool {
        self.known.is_some_and(|known| known.flags & ASSUMED != 0)
    }

    /// Whether only the name was added, so that all contents of the file are new.
    pub fn is_name_alone(&self) -> bool {
        self.known.is_some_and(|known| known.flags & NAME_ALONE != 0)
    }

    /// Whether a file with this stamp is unchanged since the index was written, at the time `written`. A file
    /// as recent as the index could have changed and still look the same.
    #[allow(clippy::cast_possible_truncation, reason = "git keeps the low half")]
    pub fn is_unchanged(&self, stamp: &Stamp, written: Time) -> bool {
        let Some(known) = self.known else { return false };
        let is_same_file =
            !cfg!(unix) || (known.inode == stamp.inode as u32 && known.changed == stamp.changed);
        is_same_file
            && known.size == stamp.size as u32
            && known.modified == stamp.modified
            && stamp.modified < written
    }
}

impl KnownStat {
    fn of(lines: &[u8]) -> Option<Self> {
        let text = str::from_utf8(lines).ok()?;
        let word = |name: &str| text.split_once(name)?.1.split_ascii_whitespace().next();
        let number = |name: &str| word(name)?.parse().ok();
        let time = |name: &str| {
            let (seconds, nanoseconds) = word(name)?.split_once(':')?;
            Some(Time { seconds: seconds.parse().ok()?, nanoseconds: nanoseconds.parse().ok()? })
        };
        Some(Self {
            changed: time("ctime:")?,
            modified: time("mtime:")?,
            inode: number("ino:")?,
            size: number("size:")?,
            flags: u32::from_str_radix(word("flags:")?, 16).ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTING: &str = "100644 7898192 0\ta b\n\t.txt\x00  ctime: 5:6\n  mtime: 3:4\n  dev: 1\tino: 7\n  uid: 0\tgid: \
                           0\n  size: 2\tflags: 0\n100755 61780 2\tc\x00  ctime: x\n  what: is this\n120000 814f4 \
                           0\td\x00160000 99b35 0\te\x00  ctime: 0:0\n  mtime: 0:0\n  dev: 0\tino: 0\n  uid: 0\tgid: 0\n  \
                           size: 0\tflags: 20008000\n";

    #[test]
    fn entries_are_read_from_the_listing() {
        let entries = IndexEntry::all(LISTING.as_bytes());
        let shown = entries.iter().map(|entry| (entry.path, entry.mode, entry.id, entry.is_conflicted));
        assert_eq!(
            shown.collect::<Vec<_>>(),
            [
                (&b"a b\n\t.txt"[..], "100644", "7898192", false),
                (b"c", "100755", "61780", true),
                (b"d", "120000", "814f4", false),
                (b"e", "160000", "99b35", false),
            ]
        );
        assert!(entries[1].known.is_none() && entries[2].known.is_none());
        assert!(entries[3].is_assumed() && entries[3].is_name_alone());
        assert!(!entries[0].is_assumed() && !entries[0].is_name_alone());
    }

    #[test]
    fn file_with_the_same_stamp_and_older_than_the_index_is_unchanged() {
        let entries = IndexEntry::all(LISTING.as_bytes());
        let at = |seconds, nanoseconds| Time { seconds, nanoseconds };
        let stamp = Stamp { device: 9, inode: 7, size: 2, modified: at(3, 4), changed: at(5, 6) };
        assert!(entries[0].is_unchanged(&stamp, at(3, 5)));
        assert!(!entries[0].is_unchanged(&stamp, at(3, 4)) && !entries[1].is_unchanged(&stamp, at(9, 0)));
        for other in [
            Stamp { size: 3, ..stamp },
            Stamp { modified: at(3, 5), ..stamp },
            #[cfg(unix)]
            Stamp { inode: 8, ..stamp },
            #[cfg(unix)]
            Stamp { changed: at(5, 7), ..stamp },
        ] {
            assert!(!entries[0].is_unchanged(&other, at(9, 0)), "{other:?}");
        }
    }
}

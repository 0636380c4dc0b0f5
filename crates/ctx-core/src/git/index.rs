//! The names in a repository's index, read without git.
//!
//! The format is that of `gitformat-index`, versions 2 to 4. Whatever else is in the file, the parser only returns
//! names in their order. It reads nothing twice and keeps no more than the file itself and, for version 4, the
//! names without their compression. An index in two files is read from both.

use std::io::Read;
use std::path::Path;

use super::split_index::{SharedIndex, number};
use crate::fs::open_without_waiting;

/// The largest index that is read, in bytes, and the most bytes of names.
const MOST_BYTES: u64 = 256 << 20;

/// The longest name, in bytes.
const LONGEST_NAME: usize = 4096;

/// The bytes of an entry before the name of its object.
const BEFORE_ID: usize = 40;

/// The lengths of the names of objects: SHA-1, SHA-256.
const ID_LENGTHS: [usize; 2] = [20, 32];

/// The index is damaged, too large, or in a form that only git reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownIndex;

/// The paths of tracked files, links and submodules, relative to the top of the work tree.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TrackedNames {
    bytes: Vec<u8>,
    /// Where each name is in the bytes; in the order of the names.
    spans: Vec<Span>,
    /// The same for those of links; empty if only the names are known.
    links: Vec<Span>,
    /// The same, with a slash at the end, for directories that a sparse checkout leaves out as a whole.
    directories: Vec<Span>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    start: u32,
    length: u32,
}

impl TrackedNames {
    /// Reads the index in a git directory. Without one, nothing is tracked.
    ///
    /// # Errors
    /// If it is not a regular file, is too large, or cannot be parsed.
    pub fn read(git_dir: &Path) -> Result<Self, UnknownIndex> {
        let path = git_dir.join("index");
        if path.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
            return Ok(Self::default());
        }
        let bytes = contents(&path)?;
        let Some(own) = Index::read(&bytes).filter(|own| own.shared.is_some()) else {
            return Self::parse(bytes);
        };
        Self::of_two(&own, &bytes, git_dir).ok_or(UnknownIndex)
    }

    /// The names of an index and of the one that it is based on.
    fn of_two(own: &Entries, bytes: &[u8], git_dir: &Path) -> Option<Self> {
        let shared = own.shared.as_ref()?;
        let base_bytes = contents(&git_dir.join(format!("sharedindex.{}", shared.id))).ok()?;
        let base =
            Index::read(&base_bytes).filter(|base| base.shared.is_none() && base.directories.is_empty())?;
        Some(Self::of_names(shared.merge(base.all(&base_bytes), &own.nameless, own.all(bytes))?))
    }

    /// The names in a list, in any order.
    #[must_use]
    pub fn of_list(names: Vec<Vec<u8>>) -> Self {
        Self::of_names(names.into_iter().map(|name| (name, false)).collect())
    }

    /// Names in any order, and whether each is that of a link.
    fn of_names(mut names: Vec<(Vec<u8>, bool)>) -> Self {
        names.sort_unstable();
        let mut tracked = Self::default();
        for (name, is_link) in names {
            if (tracked.bytes.len() + name.len()) as u64 <= MOST_BYTES {
                tracked.keep(&name, is_link);
            }
        }
        tracked
    }

    /// The names in an index with these contents.
    ///
    /// # Errors
    /// If it is too large, cannot be parsed, or is in two files.
    pub fn parse(bytes: Vec<u8>) -> Result<Self, UnknownIndex> {
        let found = Index::read(&bytes).filter(|found| found.shared.is_none()).ok_or(UnknownIndex)?;
        let Entries { names, spans, links, directories, .. } = found;
        Ok(Self { bytes: names.unwrap_or(bytes), spans, links, directories })
    }

    /// Whether a file, link or submodule of that name is tracked.
    #[must_use]
    pub fn contains(&self, name: &[u8]) -> bool {
        self.spans.binary_search_by(|span| self.name(*span).cmp(name)).is_ok()
    }

    /// Whether a link of that name is tracked.
    #[must_use]
    pub fn contains_link(&self, name: &[u8]) -> bool {
        self.links.binary_search_by(|span| self.name(*span).cmp(name)).is_ok()
    }

    /// Whether a name is that of a directory that a sparse checkout leaves out as a whole, or below one.
    #[must_use]
    pub fn is_left_out(&self, name: &[u8]) -> bool {
        let name = [name, b"/"].concat();
        self.directories.iter().any(|directory| name.starts_with(self.name(*directory)))
    }

    /// Whether anything is tracked below the directory of that name.
    #[must_use]
    pub fn has_below(&self, directory: &[u8]) -> bool {
        let prefix = [directory, b"/"].concat();
        let first = self.spans.get(self.first_from(&prefix));
        first.is_some_and(|span| self.name(*span).starts_with(&prefix))
    }

    /// The names in the directory of that name that lead to something tracked. A name that no directory can contain
    /// is left out.
    #[must_use]
    pub fn names_in(&self, directory: &[u8]) -> Vec<&[u8]> {
        let prefix = [directory, b"/"].concat();
        let mut names = Vec::new();
        let mut at = self.first_from(&prefix);
        while let Some(below) = self.spans.get(at).and_then(|span| self.name(*span).strip_prefix(&*prefix)) {
            let end = below.iter().position(|byte| *byte == b'/');
            let name = &below[..end.unwrap_or(below.len())];
            if is_name(name) && names.last() != Some(&name) {
                names.push(name);
            }
            // Everything below the same directory is skipped at once: `0` follows `/`.
            at = match end {
                Some(_) => self.first_from(&[&prefix, name, b"0"].concat()).max(at + 1),
                None => at + 1,
            };
        }
        names
    }

    /// The index of the first name that is not before this one.
    fn first_from(&self, name: &[u8]) -> usize {
        self.spans.partition_point(|span| self.name(*span) < name)
    }

    fn name(&self, Span { start, length }: Span) -> &[u8] {
        let start = start as usize;
        &self.bytes[start..start + length as usize]
    }

    fn keep(&mut self, name: &[u8], is_link: bool) {
        // The bytes are fewer than fit in 32 bits.
        let start = u32::try_from(self.bytes.len()).unwrap_or(u32::MAX);
        let length = u32::try_from(name.len()).unwrap_or(u32::MAX);
        self.bytes.extend_from_slice(name);
        self.spans.push(Span { start, length });
        self.links.extend(is_link.then_some(Span { start, length }));
    }
}

/// The bytes of an index.
fn contents(path: &Path) -> Result<Vec<u8>, UnknownIndex> {
    let file = open_without_waiting(path).map_err(|_| UnknownIndex)?;
    let metadata = file.metadata().map_err(|_| UnknownIndex)?;
    if !metadata.is_file() || metadata.len() > MOST_BYTES {
        return Err(UnknownIndex);
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|_| UnknownIndex)?;
    Ok(bytes)
}

/// Whether a directory can contain a file of that name that is not git's own.
fn is_name(name: &[u8]) -> bool {
    let is_special = [&b""[..], b".", b".."].contains(&name) || name.eq_ignore_ascii_case(b".git");
    !(is_special || name.contains(&0) || cfg!(windows) && name.contains(&b'\\'))
}

enum Version {
    /// Each name is written in full.
    Plain,
    /// Each name continues the one before it.
    Compressed,
}

/// The entries of an index.
#[derive(Default)]
struct Entries {
    /// The names, for a compressed index.
    names: Option<Vec<u8>>,
    spans: Vec<Span>,
    /// Those of links.
    links: Vec<Span>,
    /// Whether each entry without a name, which replaces one of the shared index, is a link.
    nameless: Vec<bool>,
    /// The directories that are not checked out.
    directories: Vec<Span>,
    /// The index that this one is based on.
    shared: Option<SharedIndex>,
}

/// An index whose objects have names of `id` bytes.
struct Index<'a> {
    bytes: &'a [u8],
    id: usize,
}

impl Index<'_> {
    /// The entries of an index with these contents; `None` if it is too large or cannot be parsed.
    fn read(bytes: &[u8]) -> Option<Entries> {
        // The index does not say which names its objects have, but only one length fits.
        let parse = |id| Index { bytes, id }.entries();
        ID_LENGTHS.into_iter().find_map(parse).filter(|_| bytes.len() as u64 <= MOST_BYTES)
    }

    /// The entries; `None` if anything does not fit.
    fn entries(&self) -> Option<Entries> {
        let header = self.bytes.strip_prefix(b"DIRC")?;
        let (version, count) = (number(header, 0)?, number(header, 4)? as usize);
        let plain_header = BEFORE_ID + self.id + 2;
        // A count that cannot be true must not reserve memory.
        if count > self.bytes.len() / plain_header {
            return None;
        }
        let version = match version {
            2 | 3 => Version::Plain,
            4 => Version::Compressed,
            _ => return None,
        };
        let names = matches!(version, Version::Compressed).then(Vec::new);
        let mut entries = Entries { names, spans: Vec::with_capacity(count), ..Entries::default() };
        let mut at = 12;
        let mut name = Vec::new();
        for _ in 0..count {
            let flags = self.bytes.get(at + plain_header - 2..at + plain_header)?;
            let is_extended = flags[0] & 0x40 != 0;
            let kind = number(self.bytes, at + 24)? >> 12;
            let start = at + plain_header + if is_extended { 2 } else { 0 };
            let before = name.len();
            let from;
            (from, at) = match version {
                Version::Plain => {
                    let length = self.bytes.get(start..)?.iter().position(|byte| *byte == 0)?;
                    name.clear();
                    name.extend_from_slice(&self.bytes[start..start + length]);
                    (start, at + (start - at + length + 8) / 8 * 8)
                }
                Version::Compressed => {
                    let (removed, start) = self.offset(start)?;
                    let length = self.bytes.get(start..)?.iter().position(|byte| *byte == 0)?;
                    name.truncate(before.checked_sub(removed)?);
                    name.extend_from_slice(&self.bytes[start..start + length]);
                    (entries.names.as_ref().map_or(0, Vec::len), start + length + 1)
                }
            };
            let told = usize::from(flags[0] & 0xf) << 8 | usize::from(flags[1]);
            let is_told = told == name.len().min(0xfff);
            let follows =
                entries.spans.last().is_none_or(|last| entries.name(*last, self.bytes) <= &name[..]);
            if !is_told || !follows || name.len() > LONGEST_NAME {
                return None;
            }
            match kind {
                FILE | LINK | SUBMODULE if name.is_empty() => {
                    entries.nameless.push(kind == LINK);
                    continue;
                }
                FILE | LINK | SUBMODULE => {}
                DIRECTORY => {}
                _ => return None,
            }
            if let Some(names) = &mut entries.names {
                if (names.len() + name.len()) as u64 > MOST_BYTES {
                    return None;
                }
                names.extend_from_slice(&name);
            }
            let span = Span { start: u32::try_from(from).ok()?, length: u32::try_from(name.len()).ok()? };
            match kind {
                DIRECTORY => entries.directories.push(span),
                _ => entries.spans.push(span),
            }
            entries.links.extend((kind == LINK).then_some(span));
        }
        entries.shared = self.extensions(at)?;
        (entries.shared.is_some() || entries.nameless.is_empty()).then_some(entries)
    }

    /// The index that this one is based on, if any; `None` unless only that and extensions that change no names follow,
    /// and then the checksum.
    fn extensions(&self, mut at: usize) -> Option<Option<SharedIndex>> {
        let end = self.bytes.len().checked_sub(self.id)?;
        let mut shared = None;
        while at < end {
            let name = self.bytes.get(at..at + 4)?;
            let start = at + 8;
            at = start + number(self.bytes, at + 4)? as usize;
            // Whoever does not know one in lower case must not use the index. One of them lists directories that
            // are not checked out.
            match name {
                b"link" => shared = Some(SharedIndex::parse(self.bytes.get(start..at)?, self.id)?),
                b"sdir" => {}
                _ if name[0].is_ascii_uppercase() => {}
                _ => return None,
            }
        }
        (at == end).then_some(shared)
    }

    /// A number of variable length, as in packs, and where it ends.
    fn offset(&self, mut at: usize) -> Option<(usize, usize)> {
        let mut byte = *self.bytes.get(at)?;
        let mut value = usize::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            at += 1;
            byte = *self.bytes.get(at)?;
            value = value.checked_add(1)?.checked_mul(0x80)?.checked_add(usize::from(byte & 0x7f))?;
        }
        Some((value, at + 1))
    }
}

impl Entries {
    fn name<'n>(&'n self, Span { start, length }: Span, file: &'n [u8]) -> &'n [u8] {
        let bytes = self.names.as_deref().unwrap_or(file);
        &bytes[start as usize..][..length as usize]
    }

    /// Each name in the index `file`, and whether it is that of a link.
    fn all(&self, file: &[u8]) -> Vec<(Vec<u8>, bool)> {
        let mut links = self.links.iter().peekable();
        let entry = |span: &Span| (self.name(*span, file).to_vec(), links.next_if_eq(&span).is_some());
        self.spans.iter().map(entry).collect()
    }
}

/// The upper bits of an entry's mode.
const FILE: u32 = 0o10;
const LINK: u32 = 0o12;
const SUBMODULE: u32 = 0o16;
const DIRECTORY: u32 = 0o4;

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// An index of regular files with these names, without a valid checksum.
    fn index(names: &[&[u8]]) -> Vec<u8> {
        let mut bytes =
            [b"DIRC", &2_u32.to_be_bytes()[..], &u32::try_from(names.len()).unwrap().to_be_bytes()].concat();
        for name in names {
            let start = bytes.len();
            bytes.extend([0; 24]);
            bytes.extend(0o100_644_u32.to_be_bytes());
            bytes.extend([0; 32]);
            bytes.extend(u16::try_from(name.len()).unwrap().to_be_bytes());
            bytes.extend(*name);
            bytes.extend(vec![0; 8 - (bytes.len() - start) % 8]);
        }
        bytes.extend([0; 20]);
        bytes
    }

    fn listed(tracked: &TrackedNames) -> Vec<String> {
        let name = |span: &Span| String::from_utf8(tracked.name(*span).to_vec()).unwrap();
        tracked.spans.iter().map(name).collect()
    }

    #[test]
    fn names_are_read_as_git_wrote_them() {
        let directory = tempfile::tempdir().unwrap();
        let git = |args: &[&str]| {
            let mut git = Command::new("git");
            git.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]).args(args);
            git.current_dir(directory.path()).env("HOME", directory.path()).output()
        };
        for format in ["sha1", "sha256"] {
            if git(&["init", "-q", "--object-format", format]).is_err() {
                return;
            }
            for name in ["a", "dir/b", "dir/sub/c", "dir0", "dir.x", "z"] {
                let path = directory.path().join(name);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, name).unwrap();
            }
            for version in ["2", "3", "4"] {
                git(&["add", "."]).unwrap();
                git(&["add", "-N", "z"]).unwrap();
                git(&["update-index", "--index-version", version]).unwrap();
                let tracked = TrackedNames::read(&directory.path().join(".git")).unwrap();
                assert_eq!(
                    listed(&tracked),
                    ["a", "dir.x", "dir/b", "dir/sub/c", "dir0", "z"],
                    "{format} {version}"
                );
                assert!(
                    tracked.contains(b"dir/sub/c") && !tracked.contains(b"dir") && !tracked.contains(b"b")
                );
                assert!(
                    tracked.has_below(b"dir") && tracked.has_below(b"dir/sub") && !tracked.has_below(b"dir0")
                );
                assert_eq!(tracked.names_in(b"dir"), [&b"b"[..], b"sub"]);
            }
            git(&["rm", "-q", "--cached", "z"]).unwrap();
            git(&["update-index", "--split-index"]).unwrap();
            // Of those in the shared index, one is gone and two have changed; another one is new.
            git(&["rm", "-q", "--cached", "dir0"]).unwrap();
            let id = git(&["hash-object", "-w", "a"]).unwrap().stdout;
            let id = String::from_utf8(id).unwrap();
            for (mode, name) in [("120000", "dir/b"), ("100755", "dir.x"), ("120000", "new")] {
                let entry = format!("{mode},{},{name}", id.trim());
                git(&["update-index", "--add", "--cacheinfo", &entry]).unwrap();
            }
            let split = TrackedNames::read(&directory.path().join(".git")).unwrap();
            assert_eq!(listed(&split), ["a", "dir.x", "dir/b", "dir/sub/c", "new"], "{format}");
            let links = ["dir/b", "new", "a", "dir.x"].map(|name| split.contains_link(name.as_bytes()));
            assert_eq!(links, [true, true, false, false], "{format}");
            std::fs::remove_dir_all(directory.path().join(".git")).unwrap();
        }
    }

    #[test]
    fn without_an_index_nothing_is_tracked() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(TrackedNames::read(directory.path()), Ok(TrackedNames::default()));
        std::fs::create_dir(directory.path().join("index")).unwrap();
        assert_eq!(TrackedNames::read(directory.path()), Err(UnknownIndex));
    }

    #[test]
    fn names_that_lead_elsewhere_are_not_looked_up() {
        let tracked = TrackedNames::parse(index(&[b"d/../x", b"d/./y", b"d//z", b"d/.GIT/config", b"d/x"]))
            .unwrap_err();
        assert_eq!(tracked, UnknownIndex, "out of order");
        let names: [&[u8]; 5] = [b"d/../x", b"d/./y", b"d/.GIT/config", b"d//z", b"d/x"];
        let tracked = TrackedNames::of_list(names.map(<[u8]>::to_vec).to_vec());
        assert_eq!(tracked.names_in(b"d"), [b"x"]);
    }

    #[test]
    fn no_damage_is_more_than_an_error() {
        let whole = index(&[b"a", b"b/c", b"b/d"]);
        assert_eq!(listed(&TrackedNames::parse(whole.clone()).unwrap()), ["a", "b/c", "b/d"]);
        for end in 0..whole.len() {
            assert_eq!(TrackedNames::parse(whole[..end].to_vec()), Err(UnknownIndex), "{end}");
        }
        for at in 0..whole.len() {
            for byte in [0, 1, 0x7f, 0x80, 0xff] {
                let mut damaged = whole.clone();
                damaged[at] = byte;
                // It ends, and what it accepts can be searched.
                let Ok(tracked) = TrackedNames::parse(damaged) else { continue };
                assert!(tracked.names_in(b"b").len() <= 3 && !tracked.contains(b"no such name"));
            }
        }
        let mut compressed = whole;
        compressed[7] = 4;
        assert_eq!(TrackedNames::parse(compressed), Err(UnknownIndex));
    }
}

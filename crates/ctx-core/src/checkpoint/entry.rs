//! What a checkpoint records about a path, and the git tree of all paths.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::fs::directory::path_of;
use crate::fs::names::{self, last_name, parent_of};
use crate::select::Label;
use crate::words::{from_hex, hex};

/// The name of an object: the SHA-256 of its kind, length and bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ObjectId([u8; 32]);

impl ObjectId {
    /// The name of a file's contents or of a link's target.
    #[must_use]
    pub fn of_blob(bytes: &[u8]) -> Self {
        Self::of("blob", bytes)
    }

    fn of(kind: &str, bytes: &[u8]) -> Self {
        let mut hash = Sha256::new();
        hash.update(format!("{kind} {}\0", bytes.len()));
        hash.update(bytes);
        Self(hash.finalize().into())
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> [u8; 32] {
        self.0
    }

    /// An identifier from its bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// An identifier from 64 hexadecimal digits.
    #[must_use]
    pub fn parse(text: &[u8]) -> Option<Self> {
        from_hex(text).map(Self)
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<ObjectId> for String {
    fn from(id: ObjectId) -> Self {
        id.to_string()
    }
}

impl TryFrom<String> for ObjectId {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(text.as_bytes()).ok_or("expected 64 hexadecimal digits")
    }
}

/// What a path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// A regular file that nobody may execute.
    File,
    /// A regular file that its owner may execute.
    Executable,
    /// A symbolic link.
    Link,
}

impl Mode {
    /// The mode as git writes it.
    #[must_use]
    pub fn git(self) -> &'static str {
        match self {
            Self::File => "100644",
            Self::Executable => "100755",
            Self::Link => "120000",
        }
    }

    /// The mode that git writes this way.
    #[must_use]
    pub fn parse(text: &[u8]) -> Option<Self> {
        [Self::File, Self::Executable, Self::Link].into_iter().find(|mode| mode.git().as_bytes() == text)
    }
}

/// A file or link with its contents; in JSON `100644 ID`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TreeEntry {
    /// Its mode.
    pub mode: Mode,
    /// Its contents, or the target of the link.
    pub id: ObjectId,
}

impl From<TreeEntry> for String {
    fn from(entry: TreeEntry) -> Self {
        format!("{} {}", entry.mode.git(), entry.id)
    }
}

impl TryFrom<String> for TreeEntry {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let parse = |text: &str| {
            let (mode, id) = text.split_once(' ')?;
            Some(Self { mode: Mode::parse(mode.as_bytes())?, id: ObjectId::parse(id.as_bytes())? })
        };
        parse(&text).ok_or("expected a mode and 64 hexadecimal digits")
    }
}

/// A path from the root of the tree, without links or `..`, as bytes with `/` as the separator; in JSON,
/// [`encoded`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TreePath(Arc<[u8]>);

impl TreePath {
    /// A path in which every name is valid in a tree; `None` if one is not, such as `.git`.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let is_sound = |name: &[u8]| {
            !name.is_empty() && name != b"." && name != b".." && !name.contains(&0) && !is_git_name(name)
        };
        bytes.split(|byte| *byte == b'/').all(is_sound).then(|| Self(bytes.into()))
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The path for the operating system, relative to the root.
    #[must_use]
    pub fn to_path(&self) -> PathBuf {
        path_of(&self.0)
    }

    /// Its parent directory, relative to the root; empty for the root.
    #[must_use]
    pub fn parent(&self) -> &[u8] {
        parent_of(&self.0)
    }

    /// The last name.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        last_name(&self.0)
    }

    /// The directories above it, the nearest one first, without the root.
    pub fn ancestors(&self) -> impl Iterator<Item = &[u8]> {
        std::iter::successors(Some(self.parent()), |directory| Some(parent_of(directory)))
            .take_while(|directory| !directory.is_empty())
    }

    /// Whether this path is `above` or below it; everything is below the empty path.
    #[must_use]
    pub fn is_at_or_below(&self, above: &[u8]) -> bool {
        names::is_at_or_below(&self.0, above)
    }
}

impl fmt::Display for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Label::new(&self.0), f)
    }
}

impl From<TreePath> for String {
    fn from(path: TreePath) -> Self {
        encoded(&path.0)
    }
}

impl TryFrom<String> for TreePath {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        decoded(&text).and_then(|bytes| Self::new(&bytes)).ok_or("expected a path in a tree")
    }
}

/// A path as text: everything except printable ASCII characters, and `%` itself, is written as `%` and two
/// hexadecimal digits.
pub fn encoded(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        match byte {
            b'%' | 0..=0x1f | 0x7f.. => text.push_str(&format!("%{byte:02x}")),
            byte => text.push(char::from(*byte)),
        }
    }
    text
}

/// The path that `text` encodes.
pub fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match first {
            b'%' => {
                let (digits, after) = rest.split_at_checked(2)?;
                bytes.extend(from_hex::<1>(digits)?);
                rest = after;
            }
            byte => bytes.push(*byte),
        }
    }
    Some(bytes)
}

/// Whether a path is one of these or below one of them. If the scope is empty, it contains every path.
#[must_use]
pub fn is_in_scope(scope: &[TreePath], path: &TreePath) -> bool {
    scope.is_empty() || scope.iter().any(|scope| path.is_at_or_below(scope.bytes()))
}

/// Whether a file system could treat a name as `.git`.
#[must_use]
pub fn is_git_name(name: &[u8]) -> bool {
    if name.is_ascii() {
        return name.eq_ignore_ascii_case(b".git");
    }
    // HFS+ ignores some characters.
    let is_ignored = |char: &char| matches!(char, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let kept: String = String::from_utf8_lossy(name).chars().filter(|char| !is_ignored(char)).collect();
    kept.eq_ignore_ascii_case(".git")
}

/// Everything saved from a tree.
pub type Manifest = BTreeMap<TreePath, TreeEntry>;

/// The id of git's tree of all these paths.
#[must_use]
pub fn tree_id(manifest: &Manifest) -> ObjectId {
    let mut open: Vec<OpenTree> = vec![OpenTree::default()];
    for (path, entry) in manifest {
        let names: Vec<&[u8]> = path.bytes().split(|byte| *byte == b'/').collect();
        let (name, directories) = names.split_last().expect("a path has a name");
        let shared = open[1..].iter().zip(directories).take_while(|(tree, name)| tree.name == **name).count();
        close(&mut open, shared + 1);
        open.extend(
            directories[shared..].iter().map(|name| OpenTree { name: name.to_vec(), ..OpenTree::default() }),
        );
        open.last_mut().expect("the root is open").push(entry.mode.git(), name, entry.id);
    }
    close(&mut open, 1);
    ObjectId::of("tree", &open[0].bytes)
}

/// A directory to which entries are still being added.
#[derive(Default)]
struct OpenTree {
    name: Vec<u8>,
    bytes: Vec<u8>,
}

impl OpenTree {
    fn push(&mut self, mode: &str, name: &[u8], id: ObjectId) {
        self.bytes.extend_from_slice(mode.as_bytes());
        self.bytes.push(b' ');
        self.bytes.extend_from_slice(name);
        self.bytes.push(0);
        self.bytes.extend_from_slice(&id.0);
    }
}

/// Adds directories to their parents until only this many are open.
fn close(open: &mut Vec<OpenTree>, remaining: usize) {
    while open.len() > remaining {
        let Some(tree) = open.pop() else { return };
        let id = ObjectId::of("tree", &tree.bytes);
        if let Some(above) = open.last_mut() {
            above.push("40000", &tree.name, id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_file_systems_treat_as_git_are_recognised() {
        for name in [".git", ".GIT", ".gIt", ".g\u{200c}it", "\u{feff}.Git"] {
            assert!(is_git_name(name.as_bytes()), "{name:?}");
        }
        for name in [".gitignore", "git", ".git~", ".gi\u{e9}t"] {
            assert!(!is_git_name(name.as_bytes()), "{name:?}");
        }
    }

    #[test]
    fn a_path_consists_only_of_valid_names() {
        for path in ["", "/a", "a/", "a//b", ".", "a/..", "..", ".git", "a/.GIT/b", "a\0b"] {
            assert_eq!(TreePath::new(path.as_bytes()), None, "{path:?}");
        }
        let path = TreePath::new(b"a/b/c").unwrap();
        assert_eq!(path.ancestors().collect::<Vec<_>>(), [&b"a/b"[..], b"a"]);
        assert!(path.is_at_or_below(b"a/b") && path.is_at_or_below(b"") && !path.is_at_or_below(b"a/b/"));
        assert!(!TreePath::new(b"ab").unwrap().is_at_or_below(b"a"));
    }
    #[test]
    fn path_of_any_bytes_survives_encoding() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(decoded(&encoded(&all)), Some(all));
        assert_eq!(encoded("a b/ä%\n".as_bytes()), "a b/%c3%a4%25%0a");
        assert_eq!(decoded("%2"), None);
    }
}

//! Which label a selected file gets.

use super::file::File;
use super::label::{Label, LabelStyle};
use super::resolver::path_from;
use crate::entry::Kind;
use crate::fs::resolved;
use crate::world::World;

impl LabelStyle {
    /// Whether a label takes the path from the root of the file system.
    pub(super) fn needs_absolute(self) -> bool {
        match self {
            Self::Root => false,
            Self::Absolute => true,
        }
    }

    /// The label of a file: what it is called, or its path from the root of the file system.
    pub(crate) fn label(self, called: Box<[u8]>, absolute: Option<Box<[u8]>>) -> Label {
        match (self, absolute) {
            (Self::Absolute, Some(absolute)) => Label::of(absolute),
            (Self::Root | Self::Absolute, _) => Label::of(as_path(called)),
        }
    }
}

/// A path that reads like the label of something else, written as none of those is: no file is called like the output
/// of a command, standard input or a turn of a conversation.
fn as_path(path: Box<[u8]>) -> Box<[u8]> {
    let begins = |kind: &Kind| kind.prefix().is_some_and(|prefix| path.starts_with(prefix.as_bytes()));
    if Kind::ALL.iter().any(begins) || &*path == b"stdin" || may_be_a_turn(&path) {
        [b"./", &*path].concat().into()
    } else {
        path
    }
}

/// Whether a path begins like the labels `turn 3: user`, `turns 1-3: summary` and `… 4 earlier turns omitted`.
fn may_be_a_turn(path: &[u8]) -> bool {
    let starts =
        |word: &str| path.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()));
    starts("turn ") || starts("turns ") || starts("…")
}

impl File {
    /// Whether its label, as an entry, would name it: no label of a name with a line end or bytes that are
    /// not UTF-8 does.
    #[must_use]
    pub fn is_named_by_label(&self, world: &World) -> bool {
        path_from(&world.root, self.label.as_str(), world)
            .is_ok_and(|path| resolved(path) == resolved(self.place.path()))
    }
}

//! Which label each of the selected files gets.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::file::File;
use super::ground::path_from;
use super::label::{Label, LabelStyle};
use super::tree;
use crate::entry::Kind;
use crate::fs::with_tilde;
use crate::world::World;

/// How the files of one selection are called.
#[derive(Debug)]
pub struct Labels {
    style: LabelStyle,
    cwd: Box<[u8]>,
    /// The root of the project, without a slash at its end.
    project: Option<Box<[u8]>>,
    home: Option<std::path::PathBuf>,
}

impl Labels {
    /// Those of a style; `cwd` has all links resolved.
    #[must_use]
    pub fn new(style: LabelStyle, cwd: &Path, world: &World) -> Self {
        let bytes = |path: &Path| Box::from(tree::bytes_of(path).as_slice());
        let project = world.project.as_deref().map(bytes);
        Self { style, cwd: bytes(cwd), project, home: world.home.clone() }
    }

    /// Whether a label takes the path from the root of the file system.
    #[must_use]
    pub fn need_absolute(&self) -> bool {
        match self.style {
            LabelStyle::Given => self.project.is_some(),
            LabelStyle::Relative | LabelStyle::Absolute => true,
        }
    }

    /// The label of a file: of what is below the root of a project it begins there, whoever brought it.
    #[must_use]
    pub fn label(&self, given: Box<[u8]>, absolute: Option<Box<[u8]>>) -> Label {
        let Some(absolute) = absolute else { return Label::of(as_path(given)) };
        match self.style {
            LabelStyle::Absolute => Label::of(absolute),
            LabelStyle::Relative => Label::of(as_path(relative_to(&self.cwd, &absolute).into())),
            LabelStyle::Given => Label::of(as_path(self.below_project(&absolute).unwrap_or(given))),
        }
    }

    fn below_project(&self, absolute: &[u8]) -> Option<Box<[u8]>> {
        let below = absolute.strip_prefix(self.project.as_deref()?)?.strip_prefix(b"/")?;
        Some(match below.first() {
            Some(b'~') => [b"./", below].concat().into(),
            Some(_) | None => below.into(),
        })
    }

    /// Makes the label of a file absolute that an earlier one has: two ways of writing can meet where labels
    /// begin at the root of a project.
    pub fn tell_apart(&self, files: &mut [File]) {
        if self.project.is_none() || self.style != LabelStyle::Given {
            return;
        }
        let mut known: HashSet<Label> = HashSet::with_capacity(files.len());
        for file in files {
            if !known.insert(file.label.clone()) {
                let path = file.place.path();
                let label = match path.to_str() {
                    Some(text) => with_tilde(text, self.home.as_deref()).into_bytes(),
                    None => tree::bytes_of(&path),
                };
                file.label = Label::new(&label);
                known.insert(file.label.clone());
            }
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

/// A path from the directory `from`, with `..` where it must be.
pub(crate) fn relative_to(from: &[u8], to: &[u8]) -> Vec<u8> {
    let names = |path: &[u8]| -> Vec<Vec<u8>> {
        path.split(|byte| *byte == b'/').filter(|name| !name.is_empty()).map(<[u8]>::to_vec).collect()
    };
    let (from, to) = (names(from), names(to));
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n(b"..".to_vec(), from.len() - common);
    let path = up.chain(to[common..].iter().cloned()).collect::<Vec<_>>().join(&b'/');
    if path.first() == Some(&b'~') { [b"./".as_slice(), &path].concat() } else { path }
}

impl File {
    /// Whether its label, as an entry, would name it: no label of a name with a line end or bytes that are
    /// not UTF-8 does.
    #[must_use]
    pub fn is_named_by_label(&self, world: &World) -> bool {
        let real = |path: PathBuf| path.canonicalize().unwrap_or(path);
        path_from(world.label_root(), self.label.as_str(), world)
            .is_ok_and(|path| real(path) == real(self.place.path()))
    }
}

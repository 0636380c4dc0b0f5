//! Whether what an entry names can be read, with the lines that it names.

use std::fs;
use std::path::Path;

use ctx_core::entry::{Entry, Lines};
use ctx_core::guard;
use ctx_core::read::{self, Limits, Page};
use ctx_core::select::{self, EntryKind, Problem};
use ctx_core::world::World;

/// Why a file or directory cannot be read, if it cannot.
pub fn unreadable(world: &World, entry: &Entry, kind: EntryKind) -> Option<String> {
    let path = select::path_of(&entry.path, world).ok()?;
    match kind {
        EntryKind::Literal => match entry.attributes.lines {
            Some(lines) => without_lines(&path, lines),
            None => read::open(&path).err().map(|error| error.to_string()),
        },
        EntryKind::Directory => fs::read_dir(path).err().map(|error| Problem::of(&error).to_string()),
        EntryKind::Pattern | EntryKind::Up | EntryKind::Exclusion | EntryKind::Text => None,
    }
}

/// Why there are no such lines in a file, if there are none.
fn without_lines(path: &Path, lines: Lines) -> Option<String> {
    let mut page = Page::default();
    match read::open(path).and_then(|file| read::read(file, Limits::default(), &mut page)) {
        Ok(text) => guard::cut(&text.text, lines).err().map(|error| error.to_string()),
        Err(error) => Some(error.to_string()),
    }
}

//! The stream that brings new contents and a commit into the object store.
//!
//! Contents are given by their length, paths are quoted, and nothing counts before the last word `done`: git
//! opens no file of the tree, and a stream that ends early leaves no commit.

use std::fmt::Write;

use super::contents::{Contents, New};
use super::entry::{Manifest, ObjectId};
use crate::process::Dialogue;

/// What stops an import.
pub(super) trait Limit {
    /// Whether there is no room for more.
    fn is_reached(&mut self, bytes: usize) -> bool;
}

/// What is imported, and what git answers.
pub(super) struct Import<'a, 'b> {
    contents: &'b mut Contents<'a>,
    first: Option<New>,
    commit: Commit,
    limit: &'b mut dyn Limit,
    stage: Stage,
    /// Whether the limit stopped it.
    pub is_full: bool,
    output: Vec<u8>,
}

/// What the commit is called.
#[derive(Debug, Clone)]
pub(super) struct Commit {
    /// The reference that holds it.
    pub reference: String,
    /// When it was made, in seconds since 1970.
    pub seconds: u64,
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Start,
    Contents,
    Commit,
    End,
}

impl<'a, 'b> Import<'a, 'b> {
    /// An import of what the contents still have to give, after the first of it.
    pub fn new(
        contents: &'b mut Contents<'a>,
        first: Option<New>,
        commit: Commit,
        limit: &'b mut dyn Limit,
    ) -> Self {
        Self { contents, first, commit, limit, stage: Stage::Start, is_full: false, output: Vec::new() }
    }

    /// The tree that git says the commit has.
    pub fn tree(&self) -> Option<ObjectId> {
        let id = self.output.strip_prefix(b"040000 tree ")?.get(..64)?;
        ObjectId::parse(id)
    }
}

impl Dialogue for Import<'_, '_> {
    fn next_input(&mut self) -> Option<Vec<u8>> {
        loop {
            match self.stage {
                Stage::Start => {
                    self.stage = Stage::Contents;
                    return Some(b"feature done\n".to_vec());
                }
                Stage::Contents => {
                    let Some(New { bytes }) = self.first.take().or_else(|| self.contents.next_new()) else {
                        self.stage = Stage::Commit;
                        continue;
                    };
                    if self.limit.is_reached(bytes.len()) {
                        self.is_full = true;
                        return None;
                    }
                    let mut input = format!("blob\ndata {}\n", bytes.len()).into_bytes();
                    input.extend_from_slice(&bytes);
                    input.push(b'\n');
                    return Some(input);
                }
                Stage::Commit => {
                    self.stage = Stage::End;
                    return Some(commit(&self.commit, &self.contents.manifest));
                }
                Stage::End => return None,
            }
        }
    }

    fn take_output(&mut self, bytes: &[u8]) {
        self.output.extend_from_slice(bytes);
    }
}

fn commit(commit: &Commit, manifest: &Manifest) -> Vec<u8> {
    let Commit { reference, seconds, message } = commit;
    let mut text = String::new();
    let _ = write!(text, "commit {reference}\nmark :1\ncommitter ctx <ctx> {seconds} +0000\n");
    let _ = write!(text, "data {}\n{message}\ndeleteall\n", message.len());
    let mut stream = text.into_bytes();
    for (path, entry) in manifest {
        stream.extend_from_slice(format!("M {} {} ", entry.mode.git(), entry.id).as_bytes());
        push_quoted(&mut stream, path.bytes());
        stream.push(b'\n');
    }
    stream.extend_from_slice(b"\nls :1 \ndone\n");
    stream
}

/// A path as fast-import reads it, whatever is in it.
fn push_quoted(stream: &mut Vec<u8>, path: &[u8]) {
    stream.push(b'"');
    for byte in path {
        match byte {
            b'"' | b'\\' => stream.extend_from_slice(&[b'\\', *byte]),
            0x20..=0x7e => stream.push(*byte),
            byte => stream.extend_from_slice(format!("\\{byte:03o}").as_bytes()),
        }
    }
    stream.push(b'"');
}

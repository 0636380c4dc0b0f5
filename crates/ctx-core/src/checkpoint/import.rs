//! The stream that imports new contents and a commit into the object store.
//!
//! Contents are given with their length, paths are quoted, and nothing takes effect before the final `done`.
//! So git never opens a file of the tree, and a stream that ends early leaves no commit.

use std::time::{SystemTime, UNIX_EPOCH};

use super::contents::ContentsReader;
use super::entry::{Manifest, ObjectId};
use super::limits::Room;
use crate::process::Dialogue;

/// An import, and git's answer.
pub(super) struct Import<'a, 'b> {
    contents: &'b mut ContentsReader<'a>,
    first: Option<Vec<u8>>,
    /// The number of the checkpoint.
    number: u64,
    /// When it was made.
    now: SystemTime,
    /// The free space to watch, if it is limited.
    room: Option<&'b mut Room<'a>>,
    has_begun: bool,
    has_committed: bool,
    output: Vec<u8>,
}

impl<'a, 'b> Import<'a, 'b> {
    /// An import of `first`, followed by the remaining contents.
    pub fn new(
        contents: &'b mut ContentsReader<'a>,
        first: Option<Vec<u8>>,
        number: u64,
        now: SystemTime,
        room: Option<&'b mut Room<'a>>,
    ) -> Self {
        Self {
            contents,
            first,
            number,
            now,
            room,
            has_begun: false,
            has_committed: false,
            output: Vec::new(),
        }
    }

    /// The commit's tree, as reported by git.
    pub fn tree(&self) -> Option<ObjectId> {
        let id = self.output.strip_prefix(b"040000 tree ")?.get(..64)?;
        ObjectId::parse(id)
    }
}

impl Dialogue for Import<'_, '_> {
    fn next_input(&mut self) -> Option<Vec<u8>> {
        if !std::mem::replace(&mut self.has_begun, true) {
            return Some(b"feature done\n".to_vec());
        }
        if let Some(bytes) = self.first.take().or_else(|| self.contents.next_new()) {
            if self.room.as_mut().is_some_and(|room| room.is_reached(bytes.len())) {
                return None;
            }
            let mut input = format!("blob\ndata {}\n", bytes.len()).into_bytes();
            input.extend_from_slice(&bytes);
            input.push(b'\n');
            return Some(input);
        }
        let is_last = !std::mem::replace(&mut self.has_committed, true);
        is_last.then(|| commit(self.number, self.now, &self.contents.manifest))
    }

    fn take_output(&mut self, bytes: &[u8]) {
        self.output.extend_from_slice(bytes);
    }
}

fn commit(number: u64, now: SystemTime, manifest: &Manifest) -> Vec<u8> {
    let seconds = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let message = format!("checkpoint {number}\n");
    let text = format!(
        "commit refs/checkpoints/{number}\nmark :1\ncommitter ctx <ctx> {seconds} +0000\n\
         data {}\n{message}\ndeleteall\n",
        message.len()
    );
    let mut stream = text.into_bytes();
    for (path, entry) in manifest {
        stream.extend_from_slice(format!("M {} {} ", entry.mode.git(), entry.id).as_bytes());
        push_quoted(&mut stream, path.bytes());
        stream.push(b'\n');
    }
    stream.extend_from_slice(b"\nls :1 \ndone\n");
    stream
}

/// Appends any path, quoted for fast-import.
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

//! What the earlier questions of a conversation were about, which stays in it: files as they are now, and texts that can't be
//! read again.

use std::path::Path;

use crate::app::App;
use ctx_core::entry::rooted::from_here;
use ctx_core::entry::{Entry, ScopedEntry};
use ctx_core::fs::expanded;
use ctx_core::history::{Conversation, KeptText};
use ctx_core::report::{Notice, NoticeKind};
use ctx_core::select::EntryId;
use ctx_core::source::Provided;
use ctx_core::words::{quoted, some_of};

/// Adds what a conversation was about to the entries of this block, unless they name it, and to its texts. Returns a notice
/// about files that are gone.
pub fn resume(
    talk: &Conversation,
    session: &mut Vec<ScopedEntry>,
    texts: &mut Vec<Provided>,
    app: &App,
) -> Option<Notice> {
    let mut gone = Vec::new();
    for file in &talk.subject.files {
        let entry = Entry { path: from_here(&file.path, app.world()), ..file.clone() };
        let path = expanded(Path::new(&file.path), app.world().home.as_deref());
        if !app.world().root.join(&path).exists() {
            gone.push(quoted(&file.path));
        } else if !session.iter().any(|known| known.entry == entry) {
            // Only the command line can name a file elsewhere.
            let is_elsewhere = path.is_absolute();
            session.push(if is_elsewhere { ScopedEntry::typed(entry) } else { ScopedEntry::resumed(entry) });
        }
    }
    for (turn, KeptText { label, text }) in &talk.subject.texts {
        texts.push(Provided {
            entries: vec![EntryId(session.len())],
            label: format!("{label} of turn {turn}").into_bytes(),
            content: Ok(text.as_bytes().into()),
            command: None,
        });
        session.push(ScopedEntry::resumed(Entry::new("-")));
    }
    let text = format!("no longer here, though the conversation is about it: {}", some_of(&gone));
    (!gone.is_empty()).then(|| Notice::note(NoticeKind::References, text))
}

//! What the earlier questions of a conversation were about, which stays in it: files as they are now, and texts that can't be
//! read again.

use std::path::Path;

use crate::app::App;
use crate::looks::{Looks, narrows};
use ctx_core::entry::pattern::has_wildcards;
use ctx_core::entry::rooted::{Rooted, from_here};
use ctx_core::entry::{Author, Entry, Kind, ScopedEntry};
use ctx_core::fs::expanded;
use ctx_core::history::{Conversation, KeptText, Subject};
use ctx_core::plan::Request;
use ctx_core::report::{Notice, NoticeKind};
use ctx_core::select::EntryId;
use ctx_core::source::Provided;
use ctx_core::words::{quoted, some_of};

/// What the command line limits the search of a question to, as entries relative to the work root.
pub fn limits(request: &Request, app: &App) -> Vec<Entry> {
    if request.looked_through.is_none() {
        return Vec::new();
    }
    let typed = |scoped: &&ScopedEntry| scoped.author == Author::CommandLine && scoped.exact.is_none();
    let is_limit = |scoped: &&ScopedEntry| narrows(scoped) || scoped.entry.is_exclusion();
    let rooted = |scoped: &ScopedEntry| {
        let path = Rooted::of(&scoped.entry.path, app.world()).ok()?.text;
        Some(Entry { path, ..scoped.entry.clone() })
    };
    request.entries.iter().filter(typed).filter(is_limit).filter_map(rooted).collect()
}

/// The path from the current directory to the root: `../..`.
fn up(app: &App) -> String {
    let world = app.world();
    let depth = world.cwd.strip_prefix(&world.root).map_or(0, |below| below.components().count());
    if depth == 0 { ".".to_owned() } else { vec![".."; depth].join("/") }
}

/// Limits the search as the earlier questions of the conversation limited it, unless this one names something itself. Returns
/// a notice about that.
fn stay_within(subject: &Subject, session: &mut Vec<ScopedEntry>, app: &App) -> Option<Notice> {
    if session.iter().any(narrows) {
        return None;
    }
    let may_be_there =
        |kept: &&Entry| kept.kind() != Kind::Path || has_wildcards(&kept.path) || is_there(kept, app);
    let (there, gone): (Vec<&Entry>, Vec<&Entry>) = subject.within.iter().partition(may_be_there);
    let within: Vec<ScopedEntry> =
        there.into_iter().map(|kept| resumed(kept, app, ScopedEntry::listed)).collect();
    let names = |is_named: fn(&ScopedEntry) -> bool| {
        let named = within.iter().filter(|scoped| is_named(scoped));
        named.map(|scoped| quoted(scoped.entry.name())).collect::<Vec<_>>()
    };
    let (searched, left_out) = (names(narrows), names(|scoped| scoped.entry.is_exclusion()));
    let gone: Vec<String> = gone.iter().map(|kept| quoted(&kept.path)).collect();
    session.extend(within);
    let note = |text: String| Some(Notice::note(NoticeKind::References, text));
    if !searched.is_empty() {
        let all = some_of(&[searched, left_out].concat());
        note(format!("searches {all}, as before; other PATHs search elsewhere, '{}' everywhere", up(app)))
    } else if !gone.is_empty() {
        let text = format!("searches everything, because {} is gone", some_of(&gone));
        Some(Notice::warning(NoticeKind::References, text))
    } else if !left_out.is_empty() {
        note(format!("leaves out {}, as before", some_of(&left_out)))
    } else {
        None
    }
}

/// Whether the file or directory of a kept entry is still there.
fn is_there(kept: &Entry, app: &App) -> bool {
    let path = expanded(Path::new(&kept.path), app.world().home.as_deref());
    app.world().root.join(path).exists()
}

/// The entry for one that was kept relative to the work root; only the command line can name a file elsewhere.
fn resumed(kept: &Entry, app: &App, inside: fn(Entry) -> ScopedEntry) -> ScopedEntry {
    let is_elsewhere = expanded(Path::new(&kept.path), app.world().home.as_deref()).is_absolute();
    let entry = Entry { path: from_here(&kept.path, app.world()), ..kept.clone() };
    if is_elsewhere { ScopedEntry::typed(entry) } else { inside(entry) }
}

/// Adds what a conversation was about to the entries of this block, unless they name it, and to its texts. Returns notices
/// about where it searches and about files that are gone.
pub fn resume(
    talk: Option<&Conversation>,
    looks: Looks,
    session: &mut Vec<ScopedEntry>,
    texts: &mut Vec<Provided>,
    app: &App,
) -> Vec<Notice> {
    let Some(Conversation { subject, .. }) = talk else { return Vec::new() };
    let within = if looks.through() { stay_within(subject, session, app) } else { None };
    let mut gone = Vec::new();
    for file in &subject.files {
        let again = resumed(file, app, ScopedEntry::resumed);
        if !is_there(file, app) {
            gone.push(quoted(&file.path));
        } else if !session.iter().any(|known| known.entry == again.entry) {
            session.push(again);
        }
    }
    for (turn, KeptText { label, text }) in &subject.texts {
        texts.push(Provided {
            entries: vec![EntryId(session.len())],
            label: format!("{label} of turn {turn}").into_bytes(),
            content: Ok(text.as_bytes().into()),
            command: None,
        });
        session.push(ScopedEntry::typed(Entry::new("-")));
    }
    let text = format!("no longer here, though the conversation is about it: {}", some_of(&gone));
    let gone = (!gone.is_empty()).then(|| Notice::note(NoticeKind::References, text));
    within.into_iter().chain(gone).collect()
}

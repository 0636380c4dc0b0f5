//! Shows the progress of slow work: a line on standard error if it is a terminal, and nowhere else.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::ui::Ui;
use ctx_core::plan::Progress;
use ctx_core::words::grouped;

/// How long work may take before it is worth showing.
const PATIENCE: Duration = Duration::from_millis(500);

/// How often the line changes.
const BEAT: Duration = Duration::from_millis(100);

/// Does the work, and shows its progress if it takes long and somebody is watching.
pub fn shown<T>(ui: &Ui, work: impl FnOnce(Option<Arc<Progress>>) -> T) -> T {
    if !ui.is_watched {
        return work(None);
    }
    let progress = Arc::new(Progress::default());
    let watched = Arc::clone(&progress);
    beside(move || line(&watched), || work(Some(progress)))
}

/// Does the work, and shows the line if it takes long and somebody is watching.
pub fn waiting<T>(ui: &Ui, line: &str, work: impl FnOnce() -> T) -> T {
    if ui.is_watched { beside(|| line.to_owned(), work) } else { work() }
}

/// Does the work and shows the line beside it.
fn beside<T>(line: impl Fn() -> String + Send, work: impl FnOnce() -> T) -> T {
    let (done, waiting) = mpsc::channel();
    thread::scope(|scope| {
        // Without a thread, the work is done anyway.
        let _ = thread::Builder::new().spawn_scoped(scope, move || show(&line, &waiting));
        let result = work();
        drop(done);
        result
    })
}

fn show(line: &impl Fn() -> String, done: &Receiver<()>) {
    if done.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    let mut bar = ProgressBar::new_spinner().with_message(line());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
        bar = bar.with_style(style.tick_chars("-\\|/ "));
    }
    loop {
        bar.set_message(line());
        bar.tick();
        if done.recv_timeout(BEAT) != Err(RecvTimeoutError::Timeout) {
            return bar.finish_and_clear();
        }
    }
}

fn line(progress: &Progress) -> String {
    let doing = if progress.writes() { "writing" } else { "reading" };
    match progress.so_far() {
        (_, 0) => "looking for files".to_owned(),
        (done, total) => format!("{doing}: {} of {} files", grouped(done), grouped(total)),
    }
}

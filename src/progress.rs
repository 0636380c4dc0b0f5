//! Work that takes long shows itself: a line on the terminal's standard error, and only there.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::ui::Ui;
use ctx_core::plan::Progress;

/// How long work may take before it is worth a line.
const PATIENCE: Duration = Duration::from_millis(500);

/// How often the line changes.
const BEAT: Duration = Duration::from_millis(100);

/// Does the work, and shows how far it has come if somebody watches and it takes long.
pub fn shown<T>(ui: &Ui, work: impl FnOnce(Option<Arc<Progress>>) -> T) -> T {
    if !ui.shows_progress() {
        return work(None);
    }
    let progress = Arc::new(Progress::default());
    let (done, waiting) = mpsc::channel();
    thread::scope(|scope| {
        let watched = Arc::clone(&progress);
        scope.spawn(move || show(&watched, &waiting));
        let result = work(Some(Arc::clone(&progress)));
        drop(done);
        result
    })
}

fn show(progress: &Progress, done: &Receiver<()>) {
    if done.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    let (read, total) = progress.so_far();
    let mut bar = ProgressBar::new(total).with_position(read).with_message(doing(total));
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {human_pos} of {human_len} files") {
        bar = bar.with_style(style.tick_chars("-\\|/ "));
    }
    loop {
        let (read, total) = progress.so_far();
        bar.update(|state| {
            state.set_len(total);
            state.set_pos(read);
        });
        bar.set_message(doing(total));
        if done.recv_timeout(BEAT) != Err(RecvTimeoutError::Timeout) {
            return bar.finish_and_clear();
        }
    }
}

fn doing(total: u64) -> &'static str {
    if total == 0 { "looking for files:" } else { "reading:" }
}

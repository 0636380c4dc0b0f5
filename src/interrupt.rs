//! What happens to running programs when this one receives a signal.

use std::sync::Arc;

use ctx_core::process::Launcher;

#[cfg(unix)]
pub use posix::{end_by_interrupt, gives_way, hands_on, reports_full_files, stops};

#[cfg(unix)]
mod posix {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc;
    use std::thread::Builder;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    use super::{Arc, Launcher};

    /// Whether a program is running in the foreground, in which case signals are meant for it.
    static IS_FOREGROUND: AtomicBool = AtomicBool::new(false);

    /// Whether a signal is about to end this process.
    static IS_ENDING: AtomicBool = AtomicBool::new(false);

    /// Stops the launcher's programs when this program is interrupted or terminated, since a separate process
    /// group does not get the terminal's signals. Signals that were ignored when this program started stay
    /// ignored.
    pub fn stops(launcher: &Arc<Launcher>) {
        let launcher = Arc::clone(launcher);
        attend(&[SIGHUP, SIGINT, SIGQUIT, SIGTERM], move |signal| {
            if !IS_FOREGROUND.load(Ordering::SeqCst) {
                IS_ENDING.store(true, Ordering::SeqCst);
                launcher.stop();
                // Ends this process as if there had been no handler.
                if emulate_default_handler(signal).is_err() {
                    std::process::exit(128 + signal);
                }
            }
        });
    }

    /// If a signal is about to end this process, waits for that, so that nothing reports the programs that were
    /// stopped as failed.
    pub fn gives_way() {
        while IS_ENDING.load(Ordering::SeqCst) {
            std::thread::park();
        }
    }

    /// From now on, signals are meant for the program in the foreground: those from the terminal reach it
    /// directly, and others are forwarded.
    pub fn hands_on(launcher: &Arc<Launcher>) {
        IS_FOREGROUND.store(true, Ordering::SeqCst);
        let launcher = Arc::clone(launcher);
        attend(&[SIGHUP, SIGINT, SIGQUIT, SIGTERM], move |signal| {
            if [SIGHUP, SIGTERM].contains(&signal) {
                launcher.hand_on(signal);
            }
        });
    }

    /// Calls `act` whenever one of these signals arrives, on a separate thread. If the thread can't be
    /// started, the signals keep their default effect.
    fn attend(signals: &[i32], act: impl Fn(i32) + Send + 'static) {
        let (sender, receiver) = mpsc::channel::<Signals>();
        let each = move || {
            for mut signals in receiver {
                signals.forever().for_each(&act);
            }
        };
        let ignored = ignored();
        let heeded = signals.iter().filter(|signal| ignored >> (*signal - 1) & 1 == 0);
        if Builder::new().spawn(each).is_ok()
            && let Ok(signals) = Signals::new(heeded)
        {
            // The thread that receives them has been started.
            let _ = sender.send(signals);
        }
    }

    /// Makes writing past the system's limit on the size of files an ordinary error. The signal gets a handler
    /// that does nothing: programs that this one starts would inherit that it is ignored.
    pub fn reports_full_files() {
        if ignored() >> (SIGXFSZ - 1) & 1 == 0 {
            // Without the handler, the signal ends the process, as in most programs.
            let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
        }
    }

    /// If an interrupt ended the program, ends this process in the same way. Returns `false` for any other
    /// signal.
    pub fn end_by_interrupt(signal: i32) -> bool {
        signal == SIGINT && emulate_default_handler(SIGINT).is_ok()
    }

    /// A bit for each ignored signal, if the system reports them.
    fn ignored() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        line.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok()).unwrap_or(0)
    }
}

/// Does nothing: Windows has no process groups to stop.
#[cfg(not(unix))]
pub fn stops(_: &Arc<Launcher>) {}

/// There are no signals.
#[cfg(not(unix))]
pub fn hands_on(_: &Arc<Launcher>) {}

/// There are no signals.
#[cfg(not(unix))]
pub fn gives_way() {}

/// There are no signals.
#[cfg(not(unix))]
pub fn reports_full_files() {}

/// There are no signals.
#[cfg(not(unix))]
pub fn end_by_interrupt(_: i32) -> bool {
    false
}

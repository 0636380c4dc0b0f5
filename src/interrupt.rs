//! What this program has started ends with it when a signal ends it: a process group of its own does not get
//! the signals of the terminal.

use std::sync::Arc;

use ctx_core::process::Launcher;

/// Stops what the launcher runs when this program is interrupted or terminated. Signals that whoever started
/// this program had ignored stay ignored.
#[cfg(unix)]
pub fn stops(launcher: &Arc<Launcher>) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    let ignored = ignored();
    let heeded = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let Ok(mut signals) = Signals::new(heeded) else { return };
    let launcher = Arc::clone(launcher);
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            launcher.stop();
            // Ends this process as if there had been no handler.
            let _ = emulate_default_handler(signal);
        }
    });
}

/// A bit for each signal that is ignored, where the system tells.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok()).unwrap_or(0)
}

/// There are no process groups.
#[cfg(not(unix))]
pub fn stops(_: &Arc<Launcher>) {}

//! An error, and not an abort, where there is no more memory.
//!
//! Nothing can be undone then, since that needs memory too: the program ends as if it were killed, after which the
//! store is whole.
#![allow(unsafe_code, reason = "an allocator cannot be written without")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, Ordering};

/// What is said, without any memory.
const MESSAGE: &[u8] = b"error: out of memory\n\
    hint: fewer or smaller files need less ('--max-file-size 100k', '--exclude GLOB'); 'ulimit -v' shows the limit\n";

/// The system's allocator, which ends the program where it has nothing left.
struct Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

// SAFETY: every method is the system allocator's method, which keeps the contract, with the same arguments. What it
// returns is passed on unchanged, or not at all.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: whoever calls keeps the contract of the method, which is the same.
        checked(unsafe { System.alloc(layout) })
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        checked(unsafe { System.alloc_zeroed(layout) })
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        checked(unsafe { System.realloc(memory, layout, size) })
    }
}

#[inline]
fn checked(memory: *mut u8) -> *mut u8 {
    if memory.is_null() {
        refused();
    }
    memory
}

/// Ends the program, unless whoever asks for memory can go on without it.
#[cold]
#[inline(never)]
fn refused() {
    if !ctx_core::memory::may_be_refused() {
        end();
    }
}

/// The least memory with which a panic is about something else, in bytes.
const ENOUGH: usize = 1 << 20;

/// Makes an error of a panic for want of memory, such as that of a thread that has no room to begin.
pub fn ends_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !ctx_core::memory::is_there(ENOUGH) {
            end();
        }
        usual(panic);
    }));
}

/// Says so and ends the program, without memory and without running anything more.
#[cfg(unix)]
fn end() -> ! {
    if is_first() {
        let _ = rustix::io::write(rustix::stdio::stderr(), MESSAGE);
        signal_hook::low_level::exit(FAILED);
    }
    wait()
}

#[cfg(not(unix))]
fn end() -> ! {
    if is_first() {
        use std::io::Write;

        let _ = std::io::stderr().write_all(MESSAGE);
        std::process::exit(FAILED);
    }
    wait()
}

/// The exit code of what could not be done.
const FAILED: i32 = 1;

/// Whether no other thread has come here before.
fn is_first() -> bool {
    static IS_ENDING: AtomicBool = AtomicBool::new(false);
    !IS_ENDING.swap(true, Ordering::SeqCst)
}

/// Until the thread that was first has ended all.
fn wait() -> ! {
    loop {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

//! `ctx` as a person or a script meets it: the real program, in a hermetic environment.

#![allow(clippy::print_stderr, reason = "a test that cannot run says so")]

mod support;

mod add;
mod bad_input;
mod blocks;
mod clear;
mod crowd;
#[cfg(target_os = "linux")]
mod faults;
mod forging;
mod generated;
#[cfg(unix)]
mod hostile;
#[cfg(target_os = "linux")]
mod kills;
mod llm;
mod profile;
#[cfg(unix)]
mod races;
mod render;
mod rm;
mod show;
mod states;
#[cfg(target_os = "linux")]
mod strace;
mod streams;
mod strict;
mod switch;

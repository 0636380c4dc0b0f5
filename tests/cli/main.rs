//! `ctx` as a person or a script meets it: the real program, in a hermetic environment.

#![allow(clippy::print_stderr, reason = "a test that cannot run says so")]

mod support;

mod add;
mod bad_input;
mod clear;
mod completion;
mod defaults;
mod display;
mod documented;
mod filters;
mod generated;
mod llm;
mod pipes;
mod profile;
mod prompt;
mod render;
mod rm;
mod set;
mod shells;
mod show;
mod stable;
mod streams;
mod switch;

//! `ctx` as a person or a script meets it: the real program, in a hermetic environment.

#![allow(clippy::print_stderr, reason = "a test that cannot run says so")]

mod support;

mod add;
mod bad_input;
mod check;
mod clear;
mod detect;
mod explain;
mod generated;
mod llm;
mod models;
mod profile;
mod render;
mod rm;
mod show;
mod streams;
mod switch;

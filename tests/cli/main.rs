//! `ctx` as a person or a script meets it: the real program, in a hermetic environment.

#![allow(clippy::print_stderr, reason = "a test that cannot run says so")]

mod support;

mod add;
mod bad_input;
mod clear;
mod export;
mod generated;
mod import;
mod import_from;
mod llm;
mod profile;
mod render;
mod rm;
mod show;
mod streams;
mod switch;
mod xml_compatibility;

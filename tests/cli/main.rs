//! `ctx` as a person or a script meets it: the real program, in a hermetic environment.

#![allow(clippy::print_stderr, reason = "a test that cannot run says so")]

mod support;

mod add;
mod bad_input;
mod check;
mod clear;
mod export;
mod completion;
mod defaults;
mod display;
mod documented;
mod filters;
mod detect;
mod explain;
mod generated;
mod import;
mod import_from;
mod llm;
mod pipes;
mod models;
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
mod xml_compatibility;

//! `ctx` as people and scripts use it: the real program in a hermetic environment, as well as tests of the library
//! that need separate processes or take long.
//!
//! Tests that need POSIX are left out elsewhere, with the reason next to them. Single tests are left out because
//! they need symbolic links, modes, FIFOs, signals, or names that aren't UTF-8.

#![allow(clippy::print_stderr, reason = "campaigns say how much they did")]

mod support;

#[cfg(unix)] // its scripts need bash
mod action;
mod add;
mod add_attributes;
#[cfg(unix)] // bash
mod agent;
mod allowances;
mod ask;
mod ask_about_nothing;
mod ask_evidence;
mod ask_lists;
mod ask_notes;
mod ask_pastes;
mod ask_selected;
mod ask_subjects;
mod ask_talks;
#[cfg(target_os = "linux")]
mod ask_terminal;
mod ask_words;
#[cfg(unix)] // git changes, and modes
mod attributes;
mod bad_input;
mod blocks;
mod cache;
mod caches;
mod check;
#[cfg(unix)] // checkpoints need POSIX
mod checkpoint;
mod clear;
#[cfg(unix)] // a program that is a shell script
mod coming_from;
#[cfg(unix)] // programs that are shell scripts
mod commands;
mod completion;
mod conditions;
mod crowd;
mod declarations;
mod defaults;
mod dependencies;
mod detect;
mod display;
mod documented;
mod earlier_output;
mod editors;
#[cfg(target_os = "linux")] // strace
mod edits;
mod embedded_data;
mod encodings;
mod explain;
mod export;
#[cfg(target_os = "linux")] // strace
mod faults;
mod files_from;
mod filters;
mod forging;
#[cfg(unix)] // git, and programs that are shell scripts
mod git_canaries;
#[cfg(unix)] // git
mod git_entries;
mod git_history;
#[cfg(unix)]
mod hints;
mod history;
mod home;
#[cfg(unix)] // FIFOs, devices, names that are not UTF-8
mod hostile;
mod house;
mod ignore_files;
mod import;
mod import_from;
mod import_here;
mod instruction;
#[cfg(target_os = "linux")] // strace and signals
mod kills;
#[cfg(target_os = "linux")] // traced tests
mod known;
mod levels;
mod lines;
#[cfg(unix)] // symbolic links
mod links;
mod llm;
mod llm_plugin;
#[cfg(unix)] // names that Windows does not allow
mod look_alikes;
mod memory;
mod memory_files;
mod models;
mod named;
mod names_with_secrets;
mod narrow;
mod notebooks;
mod other_users;
mod outlines;
mod packaging;
mod parts;
mod pipes;
mod profile;
#[cfg(unix)] // git, and symbolic links
mod projects;
mod prompt;
mod prompts_of_others;
#[cfg(unix)] // symbolic links
mod races;
mod random_kills;
mod readers;
mod reading_and_writing;
#[cfg(unix)] // bash
mod readme;
mod reasons;
#[cfg(unix)] // bash and git
mod recipes;
mod references;
mod relevant;
mod render;
mod rm;
mod roots;
mod run;
mod schemas;
#[cfg(unix)] // modes, signals
mod scratch;
mod search;
mod set;
mod shells;
mod show;
mod show_paths;
mod show_tree;
mod since;
mod skips;
mod stable;
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only traced tests compare whole states"))]
mod states;
mod store;
#[cfg(target_os = "linux")] // strace
mod strace;
mod streams;
mod strict;
mod switch;
mod todo;
mod tracked;
mod unread;
#[cfg(unix)]
mod unread_input;
mod widening;
#[cfg(windows)]
mod windows;
mod words_from;
mod xml_compatibility;

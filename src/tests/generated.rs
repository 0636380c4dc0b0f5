//! The committed completions and manual pages match the definition of the command line.
//!
//! `CTX_REWRITE=1 cargo test generated` rewrites them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Command;
use roff::{Roff, bold, roman};
use serde_json::Value;

use crate::command::completions::Shell;

const SCRIPTS: [(Shell, &str); 5] = [
    (Shell::Bash, "ctx.bash"),
    (Shell::Zsh, "_ctx"),
    (Shell::Fish, "ctx.fish"),
    (Shell::Elvish, "ctx.elv"),
    (Shell::Powershell, "_ctx.ps1"),
];

const FILES: &[(&str, &str)] = &[
    (
        "$CTX_HOME",
        "Your store: ~/.config/ctx, on macOS ~/Library/Application Support/ctx, on Windows %APPDATA%\\ctx.",
    ),
    ("$CTX_HOME/global.json", "The global list, part of every profile."),
    ("$CTX_HOME/profiles/NAME.json", "A profile: its entries, and its settings."),
    ("$CTX_HOME/state.json", "Which profile is active, for each repository and elsewhere."),
    ("$CTX_HOME/history/NAME.jsonl", "A history: one line per append."),
    ("$CTX_HOME/todo/NAME.json", "A to-do list, in the format of Amazon Q Developer CLI."),
    (
        "$CTX_HOME/checkpoints/TREE",
        "The checkpoints of a tree: a list, and a bare git repository with the contents.",
    ),
    ("$CTX_HOME/models.json", "Your own models, which override the built-in ones."),
    (".ctx/profiles/NAME.json", "A profile that a repository shares."),
    (
        ".ctxignore",
        "Ignore rules for ctx only, in the format of .gitignore. The ignore files of other tools for models, such as \
         .cursorignore, are read, too.",
    ),
    ("/usr/share/doc/ctx/schemas", "The schemas of the output of --json. Each command's page names its own."),
];

const ENVIRONMENT: &[(&str, &str)] = &[
    ("CTX_HOME", "The directory of your store."),
    ("CTX_PROFILE", "The profile of this shell or script, instead of the active one."),
    ("CTX_HISTORY", "The history of this shell or script."),
    ("CTX_MODEL", "The model to use without --model."),
    ("CTX_PROJECT", "With 'none', ctx ignores the project, as with --no-project."),
    ("CTX_TRUST", "The digest of the items to trust for this one command, instead of --trust."),
    ("NO_COLOR, CLICOLOR_FORCE", "Never use colour, or use it even in a pipe."),
    ("XDG_CACHE_HOME", "ctx keeps its cache of token counts in the subdirectory ctx."),
];

const EXIT_STATUS: &[(&str, &str)] = &[
    ("0", "Done."),
    ("1", "Failure: not found, unreadable, disk full, nothing fits."),
    ("2", "Wrong usage, or an invalid name or pattern."),
    ("3", "--strict or check found something."),
    ("4", "The store is damaged; it was not touched."),
    ("5", "The store is busy."),
    ("126", "A program to run is not executable, as in shells."),
    ("127", "A program to run does not exist, as in shells."),
];

#[test]
fn completions_match_the_definition() {
    let scripts = SCRIPTS
        .iter()
        .map(|(shell, file)| {
            let mut script = Vec::new();
            shell.write_script(&mut script).unwrap();
            (PathBuf::from(file), String::from_utf8(script).unwrap())
        })
        .collect();
    compare("completions", &scripts);
}

#[test]
fn manual_pages_match_the_definition() {
    let mut root = crate::definition().term_width(100).disable_help_subcommand(true);
    root.build();
    let mut pages = BTreeMap::new();
    let names = |command: &Command, name: &str| -> Vec<String> {
        shown(command).map(|part| format!("{name}-{}", part.get_name())).collect()
    };
    pages.insert(PathBuf::from("ctx.1"), page(&root, "ctx", &names(&root, "ctx")));
    for command in shown(&root) {
        let name = format!("ctx-{}", command.get_name());
        let parts = names(command, &name);
        let also: Vec<String> = ["ctx".to_owned()].into_iter().chain(parts.iter().cloned()).collect();
        pages.insert(PathBuf::from(format!("{name}.1")), page(command, &name, &also));
        for part in shown(command) {
            let page_name = format!("{name}-{}", part.get_name());
            let others = parts.iter().filter(|other| **other != page_name).cloned();
            let also: Vec<String> = ["ctx".to_owned(), name.clone()].into_iter().chain(others).collect();
            pages.insert(PathBuf::from(format!("{page_name}.1")), page(part, &page_name, &also));
        }
    }
    compare("man", &pages);
}

/// The subcommands that have a page.
fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|part| part.get_name() != "help" && !part.is_hide_set())
}

#[test]
fn readme_links_the_manual_page_of_every_command() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    for command in crate::definition().get_subcommands() {
        let name = command.get_name();
        assert!(readme.contains(&format!("](man/ctx-{name}.1)")), "README.md does not name {name}");
    }
}

/// The manual page of a command, with the names of other pages at its end.
fn page(command: &Command, name: &str, also: &[String]) -> String {
    let examples = command.get_after_long_help().or(command.get_after_help());
    let examples = examples.map(ToString::to_string).unwrap_or_default();
    let command = command.clone().after_help("").after_long_help("").display_name(name.to_owned());
    // A manual page shows all options.
    let command = command.mut_args(|argument| argument.hide_short_help(false));
    let man = clap_mangen::Man::new(command.clone())
        .title(name.to_uppercase())
        .date("")
        .source(format!("ctx {}", env!("CARGO_PKG_VERSION")))
        .manual("ctx manual");
    let mut text = Vec::new();
    man.render_title(&mut text).unwrap();
    man.render_name_section(&mut text).unwrap();
    synopsis(&command).to_writer(&mut text).unwrap();
    man.render_description_section(&mut text).unwrap();
    man.render_options_section(&mut text).unwrap();
    if command.has_subcommands() {
        man.render_subcommands_section(&mut text).unwrap();
    }
    let mut rest = Roff::new();
    // Leaves out paragraphs of one line, which refer to the manual.
    for (title, lines) in examples.split("\n\n").filter_map(|part| part.split_once(":\n")) {
        rest.control("SH", [title.to_uppercase().as_str()]).control("nf", []);
        for line in lines.lines() {
            rest.text([roman(line)]);
        }
        rest.control("fi", []);
    }
    let schemas = schemas(&name.replace('-', " "));
    let schemas = schemas.iter().map(|(file, meaning)| (file.as_str(), meaning.as_str()));
    match name {
        "ctx" => section(&mut rest, "FILES", FILES.iter().copied()),
        _ if schemas.len() > 0 => section(&mut rest, "FILES", schemas),
        _ => {}
    }
    section(&mut rest, "ENVIRONMENT", ENVIRONMENT.iter().copied());
    section(&mut rest, "EXIT STATUS", EXIT_STATUS.iter().copied());
    rest.control("SH", ["SEE ALSO"]);
    for (place, other) in also.iter().enumerate() {
        let separator = if place + 1 == also.len() { "" } else { "," };
        rest.text([bold(other), roman(format!("(1){separator}"))]);
    }
    rest.to_writer(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// How to call the command, with its values.
fn synopsis(command: &Command) -> Roff {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage);
    let mut roff = Roff::new();
    roff.control("SH", ["SYNOPSIS"]);
    for line in usage.lines() {
        roff.text([roman(line.trim())]);
    }
    roff
}

/// The schemas whose titles name the command, with what they describe.
fn schemas(command: &str) -> BTreeMap<String, String> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    let mut named = BTreeMap::new();
    for file in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        let schema: Value = serde_json::from_slice(&fs::read(file.path()).unwrap()).unwrap();
        let title = schema["title"].as_str().unwrap();
        if title.contains(command) {
            let name = format!("/usr/share/doc/ctx/schemas/{}", file.file_name().display());
            named.insert(name, format!("The schema of {title}."));
        }
    }
    named
}

fn section<'a>(roff: &mut Roff, title: &str, items: impl Iterator<Item = (&'a str, &'a str)>) {
    roff.control("SH", [title]);
    for (name, meaning) in items {
        roff.control("TP", []).text([bold(name)]).text([roman(meaning)]);
    }
}

/// Checks that the files below `directory` are exactly `expected`; with `CTX_REWRITE`, rewrites them instead.
#[track_caller]
fn compare(directory: &str, expected: &BTreeMap<PathBuf, String>) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join(directory);
    if std::env::var_os("CTX_REWRITE").is_some() {
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).unwrap();
        for (file, text) in expected {
            fs::write(directory.join(file), text).unwrap();
        }
        return;
    }
    let committed: Vec<PathBuf> = {
        let mut names: Vec<_> =
            fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().file_name().into()).collect();
        names.sort();
        names
    };
    assert_eq!(committed, expected.keys().cloned().collect::<Vec<_>>(), "files in {}", directory.display());
    for (file, text) in expected {
        let committed = fs::read_to_string(directory.join(file)).unwrap();
        assert!(committed == *text, "{} is out of date: CTX_REWRITE=1 cargo test generated", file.display());
    }
}

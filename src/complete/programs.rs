//! The program behind `--`, which the block goes to.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::path::Path;

use clap_complete::engine::CompletionCandidate;

use crate::habits::place_of_command;

/// The words behind `--` up to the cursor, where a command takes a program there.
pub fn typed(words: &[String]) -> Option<&[String]> {
    let arguments: Vec<OsString> = words.iter().map(OsString::from).collect();
    let command = words.get(place_of_command(&arguments)..)?;
    let takes_program = match command {
        [run, ..] if run == "run" || run == "ask" => true,
        [history, compress, ..] => history == "history" && compress == "compress",
        _ => false,
    };
    let separator = command.iter().position(|word| word == "--").filter(|_| takes_program)?;
    Some(&command[separator + 1..]).filter(|program| !program.is_empty())
}

/// The programs in `$PATH` whose names begin so, each once.
pub fn in_path(beginning: &str) -> Vec<CompletionCandidate> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut names = BTreeSet::new();
    for file in env::split_paths(&path).filter_map(|directory| directory.read_dir().ok()).flatten().flatten()
    {
        if let Ok(name) = file.file_name().into_string()
            && name.starts_with(beginning)
            && is_program(&file.path())
        {
            names.insert(name);
        }
    }
    names.into_iter().map(CompletionCandidate::new).collect()
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.extension().is_some_and(|extension| {
        ["exe", "cmd", "bat"].iter().any(|known| extension.eq_ignore_ascii_case(known))
    })
}

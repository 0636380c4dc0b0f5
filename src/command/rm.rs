use std::path::Path;

use clap::Args;
use clap_complete::ArgValueCandidates;

use crate::app::{App, Changed, named};
use crate::attributes::options_for;
use crate::complete;
use crate::error::Error;
use crate::hints::{did_you_mean, quoted_word, shell_word};
use crate::options::GlobalScope;
use ctx_core::entry::pattern::below;
use ctx_core::entry::{Scope, ScopedEntry};
use ctx_core::fs::resolved;
use ctx_core::guard::names::holds_secrets;
use ctx_core::select::explain::{Matched, explain};
use ctx_core::select::{EntryKind, Options, path_of, select};
use ctx_core::store::{distinct, is_same_path};
use ctx_core::words::{nearest, quoted, some_of};

/// Remove entries from your list (also: remove)
///
/// Name the entries as `ctx show` prints them. ctx removes the ones it finds and reports the others. It never touches
/// your files.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx rm README.md
  ctx rm -g AmazonQ.md        remove from the global list
  ctx rm 'src/**/*.rs'        remove the pattern itself, not the files it matches")]
pub struct Remove {
    #[command(flatten)]
    scope: GlobalScope,

    /// The entries as stored
    #[arg(required = true, value_name = "PATH", add = ArgValueCandidates::new(complete::entries))]
    paths: Vec<String>,
}

impl Remove {
    /// Removes the entries that exist and names the others.
    pub fn run(self, app: &App) -> Result<(), Error> {
        let Changed { target, value: (removed, missing) } =
            app.change(self.scope.global, |store, target| {
                let scope = store.before()?.provenance(target)?.scope;
                let list = store.list_mut(target)?;
                let named: Vec<&str> = distinct(&self.paths).collect();
                let paths: Vec<Vec<String>> = named.iter().map(|path| stored_as(app, path, scope)).collect();
                let meant = named.iter().filter_map(|path| app.meant_from_root(path, list));
                let meant: Vec<String> = meant.collect();
                let (mut removed, mut missing) = (Vec::new(), Vec::new());
                for (path, entries) in named.iter().zip(list.remove_all(&paths)) {
                    if entries.is_empty() {
                        missing.push((*path).to_owned())
                    } else {
                        removed.extend(entries)
                    }
                }
                if removed.is_empty() {
                    Err(self.none_found(app, &missing, &meant))
                } else {
                    Ok((removed, missing))
                }
            })?;
        for entry in &removed {
            app.ui.confirm(format!("Removed {} from {}", quoted(entry.name()), named(&target)));
            let options = options_for(&entry.attributes);
            if !options.is_empty() {
                let add = app.same_list("add", self.scope.global);
                let again = format!("{add} {} {}", options.join(" "), shell_word(&entry.name()));
                app.ui.confirm(format!("to bring it back: {again}"));
            }
        }
        if !missing.is_empty() {
            let names: Vec<String> = missing.iter().map(quoted).collect();
            let rest = self.hint(app, &missing).map_or_else(String::new, |hint| format!("; {hint}"));
            app.ui.warn(format!("not on the list: {}{rest}", some_of(&names)));
        }
        Ok(())
    }

    fn none_found(&self, app: &App, missing: &[String], meant: &[String]) -> Error {
        let error = Error::impossible("None of the specified paths were found in the context");
        let rm = app.same_list("rm", self.scope.global);
        let hint = if meant.is_empty() { self.hint(app, missing) } else { one_line(&rm, meant) };
        let near = || self.near(app, missing);
        error.with_hint(hint.or_else(near).unwrap_or_else(|| "ctx show".to_owned()))
    }

    /// The entry of the list with a name like that of a path.
    fn near(&self, app: &App, missing: &[String]) -> Option<String> {
        let entries = app.store.read(|view| Ok::<_, Error>(view.entries(&app.profile_in(view)?)?)).ok()?;
        let own = entries.iter().filter(|kept| (kept.scope == Scope::Global) == self.scope.global);
        let names: Vec<String> = own.map(|kept| kept.entry.name().into_owned()).collect();
        let near = |path: &String| {
            let in_other_case = names.iter().find(|name| name.eq_ignore_ascii_case(path)).map(String::as_str);
            in_other_case.or_else(|| nearest(path, names.iter().map(String::as_str))).map(did_you_mean)
        };
        missing.iter().find_map(near)
    }

    /// The line to type instead. If the paths need different ones, the line for the first path and those like it.
    fn hint(&self, app: &App, missing: &[String]) -> Option<String> {
        let entries = app.store.read(|view| Ok::<_, Error>(view.entries(&app.profile_in(view)?)?)).ok()?;
        let meant: Vec<(String, String)> =
            missing.iter().flat_map(|path| self.meant(app, path, &entries)).collect();
        let (command, _) = meant.first()?;
        let same: Vec<String> =
            meant.iter().filter(|(other, _)| other == command).map(|(_, word)| word.clone()).collect();
        one_line(command, &same)
    }

    /// Commands with their arguments that may have been meant: to remove lines of the file, to remove the entry from
    /// the other list, or to exclude a file.
    fn meant(&self, app: &App, path: &str, entries: &[ScopedEntry]) -> Vec<(String, String)> {
        let (rm, add) = (app.same_list("rm", self.scope.global), app.same_list("add", self.scope.global));
        let is_own = |kept: &&ScopedEntry| (kept.scope == Scope::Global) == self.scope.global;
        let (own, others): (Vec<&ScopedEntry>, Vec<_>) = entries.iter().partition(is_own);
        let ranges = own.iter().filter_map(|kept| app.range_of(path, &kept.entry, kept.scope));
        let ranges: Vec<(String, String)> = ranges.map(|range| (rm.clone(), range)).collect();
        if !ranges.is_empty() {
            return ranges;
        }
        if others.iter().any(|kept| is_same_path(&kept.entry.name(), path)) {
            return vec![(app.same_list("rm", !self.scope.global), path.to_owned())];
        }
        let looked_up = format!("up:{path}");
        if own.iter().any(|kept| kept.entry.path == looked_up) {
            return vec![(rm, looked_up)];
        }
        let Ok(place) = path_of(path, app.world()) else { return Vec::new() };
        excluding(app, path, &place, entries).map(|exclusion| (add, exclusion)).into_iter().collect()
    }
}

/// The exclusion of a file or directory, if a pattern includes it.
fn excluding(app: &App, path: &str, place: &Path, entries: &[ScopedEntry]) -> Option<String> {
    let options = Options::new(holds_secrets);
    if place.is_dir() {
        let files = select(entries, app.world(), &options).ok()?.files;
        let place = resolved(place);
        let is_covered = files.iter().any(|file| file.place.path().starts_with(&place));
        return is_covered.then(|| format!("!{}", below(path)));
    }
    let explained = explain(place, entries, app.world(), &options).ok()?;
    let covers = |matched: &Matched| matched.kind != EntryKind::Literal && matched.excluded_by.is_none();
    explained.matched.iter().any(covers).then(|| format!("!{path}"))
}

/// The maximum length of a suggested line, in characters; nobody reads a longer one.
const LONGEST: usize = 240;

/// A command with all of these arguments; `None` if nobody would read that much.
fn one_line(command: &str, arguments: &[String]) -> Option<String> {
    let dashes = if arguments.iter().any(|argument| argument.starts_with('-')) { " --" } else { "" };
    let words = arguments.iter().map(|argument| format!(" {}", quoted_word(argument)));
    let line = format!("{command}{dashes}{}", words.collect::<String>());
    (line.chars().count() <= LONGEST).then_some(line)
}

/// The paths under which a list may store the given one: `DIR` also means the `DIR/**` that `add -r DIR` creates.
fn stored_as(app: &App, path: &str, scope: Scope) -> Vec<String> {
    let spellings = app.spellings(path, scope);
    let whole = spellings.iter().filter(|path| !path.starts_with('!')).map(|path| below(path));
    spellings.iter().cloned().chain(whole).collect()
}

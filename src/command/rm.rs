use clap::Args;
use clap_complete::ArgValueCandidates;

use crate::app::{App, Changed, named};
use crate::complete;
use crate::error::Error;
use crate::hints::shell_word;
use crate::options::GlobalScope;
use ctx_core::entry::pattern::below;
use ctx_core::entry::{Scope, ScopedEntry};
use ctx_core::fs::resolved;
use ctx_core::guard::names::holds_secrets;
use ctx_core::select::explain::{Matched, explain};
use ctx_core::select::{EntryKind, Options, path_of, select};
use ctx_core::store::{distinct, is_same_path};
use ctx_core::words::quoted;

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
                let rm = app.same_list("rm", self.scope.global);
                let meant = named.iter().filter_map(|path| app.meant_from_root(path, list));
                let meant = meant.map(|path| format!("{rm} {}", shell_word(&path))).collect();
                let (mut removed, mut missing) = (Vec::new(), Vec::new());
                for (path, entries) in named.iter().zip(list.remove_all(&paths)) {
                    if entries.is_empty() {
                        missing.push((*path).to_owned())
                    } else {
                        removed.extend(entries)
                    }
                }
                if removed.is_empty() {
                    Err(self.none_found(app, &missing, meant))
                } else {
                    Ok((removed, missing))
                }
            })?;
        for entry in &removed {
            app.ui.confirm(format!("Removed '{}' from {}", entry.name(), named(&target)));
        }
        if !missing.is_empty() {
            let names: Vec<String> = missing.iter().map(quoted).collect();
            let hints = self.hints(app, &missing);
            let rest = if hints.is_empty() { String::new() } else { format!("; {}", hints.join("; ")) };
            app.ui.warn(format!("not in the context: {}{rest}", names.join(", ")));
        }
        Ok(())
    }

    fn none_found(&self, app: &App, missing: &[String], meant: Vec<String>) -> Error {
        let error = Error::impossible("None of the specified paths were found in the context");
        let hints = if meant.is_empty() { self.hints(app, missing) } else { meant };
        if hints.is_empty() {
            error.with_hint("'ctx show' lists the entries")
        } else {
            hints.into_iter().fold(error, Error::and_hint)
        }
    }

    /// What to type instead: to remove the entry from the other list, or to exclude a file.
    fn hints(&self, app: &App, missing: &[String]) -> Vec<String> {
        let Ok(entries) = app.store.read(|view| Ok::<_, Error>(view.entries(&app.profile_in(view)?)?)) else {
            return Vec::new();
        };
        let elsewhere = self.scope.global;
        let is_elsewhere = |path: &str| {
            let is_other = |kept: &ScopedEntry| (kept.scope != Scope::Global) == elsewhere;
            entries.iter().any(|kept| is_other(kept) && is_same_path(&kept.entry.name(), path))
        };
        let hint = |path: &String| {
            if is_elsewhere(path) {
                return Some(format!("{} {}", app.same_list("rm", !self.scope.global), shell_word(path)));
            }
            let options = Options::new(holds_secrets);
            let place = path_of(path, app.world()).ok()?;
            let add = app.same_list("add", self.scope.global);
            if place.is_dir() {
                let files = select(&entries, app.world(), &options).ok()?.files;
                let place = resolved(&place);
                let is_covered = files.iter().any(|file| file.place.path().starts_with(&place));
                return is_covered.then(|| format!("{add} {}", shell_word(&format!("!{}", below(path)))));
            }
            let explained = explain(&place, &entries, app.world(), &options).ok()?;
            let covers =
                |matched: &Matched| matched.kind != EntryKind::Literal && matched.excluded_by.is_none();
            let exclusion = format!("!{path}");
            explained.matched.iter().any(covers).then(|| format!("{add} {}", shell_word(&exclusion)))
        };
        missing.iter().filter_map(hint).collect()
    }
}

/// The paths under which a list may store the given one: `DIR` also means the `DIR/**` that `add -r DIR` creates.
fn stored_as(app: &App, path: &str, scope: Scope) -> Vec<String> {
    let spellings = app.spellings(path, scope);
    let whole = spellings.iter().filter(|path| !path.starts_with('!')).map(|path| below(path));
    spellings.iter().cloned().chain(whole).collect()
}

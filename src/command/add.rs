use std::fmt::Display;
use std::fs;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use clap_complete::ArgValueCandidates;

use crate::app::{App, Changed, named};
use crate::complete;
use crate::error::{Error, Outcome};
use crate::input::STANDARD_STREAM;
use crate::options::{AllowedSecrets, GlobalScope};
use crate::trust::Ground;
use ctx_core::entry::escape::below;
use ctx_core::entry::pattern;
use ctx_core::entry::{Entry, Scope, ScopedEntry, SecretAllowance, tag};
use ctx_core::guard::names::holds_secrets;
use ctx_core::read;
use ctx_core::select::{self, EntryId, EntryKind, EntryReport, Problem, Selected, built_in};
use ctx_core::source::texts::{Kind, KindError, command_of, is_of_a_kind};
use ctx_core::store::{ProfileName, StoreError, Target, distinct, first_places, is_same_path};
use ctx_core::words::{counted, quoted, some_of};

/// Add files, directories and glob patterns to the context
///
/// A path is kept as given; a relative one is looked up in the directory in which `ctx render` runs,
/// so that one profile serves many checkouts. A directory means the files directly in it; `DIR/**`
/// or -r takes everything below it. `!PATTERN` leaves out what it matches. All or nothing: if one
/// path cannot be added, none is.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx add README.md docs                  a file, and the files directly in docs
  ctx add 'src/**/*.rs' '!src/gen/**'     a pattern (quoted, so that the shell leaves it alone), less some
  ctx add -g ~/notes/style.md             to the global list, for every profile
  ctx add --pin --tag api src/lib.rs      never trimmed, and picked by 'ctx render --tag api'")]
pub struct Add {
    #[command(flatten)]
    scope: GlobalScope,

    /// Add what does not exist yet
    #[arg(short, long)]
    force: bool,

    /// Take directories with everything below them
    #[arg(short, long)]
    recursive: bool,

    /// Give the entries a tag (repeat for several)
    #[arg(long = "tag", value_name = "TAG", value_parser = tag::parse, add = ArgValueCandidates::new(complete::tags))]
    tags: Vec<String>,

    /// Never trim what the entries match, whatever the budget
    #[arg(long)]
    pin: bool,

    /// Match files that .gitignore, .ignore and .ctxignore leave out
    #[arg(long)]
    no_ignore: bool,

    /// Match names that suggest secrets; with `=contents`, leave secrets in the contents as they are
    #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "names")]
    allow_secrets: Option<AllowedSecrets>,

    /// Leave hidden characters as they are
    #[arg(long)]
    allow_hidden: bool,

    /// How long a command may run: 30s, 5m (default 30s, at most 10m)
    #[arg(long, value_name = "TIME", help_heading = "Commands")]
    timeout: Option<String>,

    /// How much of a command's output is kept, in bytes: 64k, 1m (default 64k)
    #[arg(long, value_name = "SIZE", help_heading = "Commands")]
    max_output: Option<String>,

    /// Use a command's output only if it succeeds
    #[arg(long, help_heading = "Commands")]
    only_success: bool,

    /// Use the output of a success again for so long: 5m, 1h
    #[arg(long, value_name = "TIME", help_heading = "Commands")]
    ttl: Option<String>,

    /// Files, directories, glob patterns, exclusions (`!PATTERN`), `git:WHAT` and `cmd:COMMAND`
    #[arg(required = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    paths: Vec<String>,
}

impl Add {
    /// Adds the entries, all or none.
    pub fn run(self, app: &App) -> Result<Outcome, Error> {
        self.check()?;
        let entries = self.entries(app)?;
        let scope = if self.scope.global { Scope::Global } else { Scope::Profile };
        let kept = kept(app, self.scope.global)?;
        for entry in &entries {
            refuse_known(app, entry, &kept, scope)?;
        }
        let found = self.look_up(app, scope, &kept, &entries)?;
        let Changed { target, .. } = app.change(self.scope.global, |store, target| {
            let list = store.list_mut(target)?;
            Ok(entries.iter().try_for_each(|entry| list.add(entry.clone()))?)
        })?;
        let trusts = trust_commands(app, &entries)?;
        for (entry, report) in entries.iter().zip(&found.entries) {
            app.ui.confirm(format!("Added '{}' to {}{}", entry.path, named(&target), files(entry, report)));
        }
        for (entry, report) in entries.iter().zip(&found.entries) {
            note_left_out(app, entry, report);
        }
        if let Some(text) = built_in::left_out(found.left_out_built_in) {
            app.ui.note(text);
        }
        if !trusts {
            app.ui.warn(
                "the store is in this repository, where nothing can grant trust; the command is not run",
            );
        }
        self.note_awaited(app);
        if let Some(entry) = entries.iter().find(|entry| self.has_attributes() && entry.is_exclusion()) {
            app.ui
                .note(format!("'{}' is an exclusion, which took no --tag, --pin or --no-ignore", entry.path));
        }
        Ok(Outcome::Done)
    }

    fn note_awaited(&self, app: &App) {
        let is_awaited = |path: &&str| self.recursive && is_awaited(app, path);
        let names: Vec<String> = distinct(&self.paths).filter(is_awaited).map(quoted).collect();
        if !names.is_empty() {
            app.ui.note(format!("not there yet, so -r takes it as a directory: {}", some_of(&names)));
        }
    }

    fn has_attributes(&self) -> bool {
        let allows = self.allow_secrets.is_some() || self.allow_hidden;
        self.pin || self.no_ignore || allows || !self.tags.is_empty()
    }

    /// No option may be without effect.
    fn check(&self) -> Result<(), Error> {
        let only_exclusions = self.paths.iter().all(|path| path.starts_with('!'));
        match self.paths.first().filter(|_| self.has_attributes() && only_exclusions) {
            Some(path) => Err(Error::usage(format!(
                "'{path}' is an exclusion, which takes no --tag, --pin or --no-ignore"
            ))),
            None => Ok(()),
        }
    }

    /// One entry for each path, however often and in whatever spelling it is named.
    fn entries(&self, app: &App) -> Result<Vec<Entry>, Error> {
        let named = self.paths.iter().map(|path| self.entry(app, path)).collect::<Result<Vec<_>, _>>()?;
        let first = first_places(named.iter().map(|entry| entry.path.as_str()));
        let entries = named.into_iter().zip(first).enumerate();
        Ok(entries.filter(|(place, (_, first))| place == first).map(|(_, (entry, _))| entry).collect())
    }

    fn entry(&self, app: &App, path: &str) -> Result<Entry, Error> {
        if path == STANDARD_STREAM {
            return Err(Error::usage("'-' is standard input, which cannot be kept")
                .with_hint("'ctx render -' reads it; a file of that name is './-'"));
        }
        let kind = Kind::of(path).map_err(|error| invalid(path, &error))?;
        if kind.is_some() {
            return self.text_entry(path);
        }
        if let Some((attribute, _)) = self.run_attributes().first() {
            return Err(Error::usage(format!("'{attribute}' does not apply to '{path}'")));
        }
        let path = app.with_tilde(path);
        let mut entry = Entry::new(match self.is_wanted_whole(app, &path) {
            true => below(&path),
            false => path,
        });
        if entry.is_exclusion() {
            return Ok(entry);
        }
        for tag in &self.tags {
            if !entry.attributes.tags.contains(tag) {
                entry.attributes.tags.push(tag.clone());
            }
        }
        entry.attributes.pin = self.pin;
        entry.attributes.ignore = !self.no_ignore;
        entry.attributes.secrets = self.allow_secrets.map_or(SecretAllowance::Nothing, SecretAllowance::from);
        entry.attributes.hidden = self.allow_hidden;
        Ok(entry)
    }

    /// An entry that is no path.
    fn text_entry(&self, path: &str) -> Result<Entry, Error> {
        let mut entry = Entry::new(path);
        entry.attributes.tags = distinct(&self.tags).map(str::to_owned).collect();
        entry.attributes.pin = self.pin;
        entry.attributes.secrets = self.allow_secrets.map_or(SecretAllowance::Nothing, SecretAllowance::from);
        entry.attributes.hidden = self.allow_hidden;
        let attributes = self.run_attributes();
        for (name, value) in &attributes {
            entry.unknown.insert((*name).to_owned(), value.as_str().into());
        }
        let command = command_of(&entry).map_err(|error| invalid(path, &error))?;
        match (command, attributes.first()) {
            (None, Some((attribute, _))) => {
                Err(Error::usage(format!("'{attribute}' does not apply to '{path}'")))
            }
            (Some(_) | None, _) => Ok(entry),
        }
    }

    /// The attributes that only commands have, by the keys that the store has for them.
    fn run_attributes(&self) -> Vec<(&'static str, String)> {
        let exit = self.only_success.then(|| "zero".to_owned());
        let values = [
            ("timeout", self.timeout.clone()),
            ("max_output", self.max_output.clone()),
            ("exit", exit),
            ("ttl", self.ttl.clone()),
        ];
        values.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
    }

    /// Whether -r takes the path with everything below it: a directory, or with --force what may become
    /// one.
    fn is_wanted_whole(&self, app: &App, path: &str) -> bool {
        let is_directory = !path.starts_with('!') && is_directory(app, path);
        self.recursive && (is_directory || self.force && is_awaited(app, path))
    }

    /// What the entries match now.
    fn look_up(
        &self,
        app: &App,
        scope: Scope,
        kept: &[ScopedEntry],
        entries: &[Entry],
    ) -> Result<Selected, Error> {
        let mut scoped: Vec<ScopedEntry> =
            entries.iter().map(|entry| ScopedEntry::stored(scope, entry.clone())).collect();
        scoped.extend(kept.iter().filter(|kept| kept.entry.is_exclusion()).cloned());
        let texts = entries.iter().enumerate().filter(|(_, entry)| is_of_a_kind(&entry.path));
        let texts = texts.map(|(index, _)| EntryId(index)).collect();
        let options = select::Options { texts, ..select::Options::new(holds_secrets) };
        let mut found = select::select(&scoped, app.world(), &options)?;
        found.entries.truncate(entries.len());
        let refused =
            entries.iter().zip(&found.entries).filter_map(|(entry, report)| self.refusal(app, entry, report));
        refused.take(1).try_for_each(Err)?;
        Ok(found)
    }

    fn refusal(&self, app: &App, entry: &Entry, report: &EntryReport) -> Option<Error> {
        let path = &entry.path;
        let invalid = |reason: &dyn Display| format!("Invalid path '{path}': {reason}");
        let not_there = |reason: &dyn Display| {
            let text = format!("{}. Use --force to add anyway.", invalid(reason));
            (!self.force).then(|| Error::impossible(text))
        };
        match &report.problem {
            Some(Problem::Invalid(error)) => Some(Error::usage(invalid(error))),
            Some(Problem::LinkOutside(real)) => Some(Error::link_outside(path, real)),
            Some(problem @ Problem::Missing) => not_there(problem),
            Some(Problem::SecretName(_)) => {
                let error = Error::impossible(invalid(&"its name says that it holds secrets"));
                Some(error.with_hint(command(app, "add --allow-secrets", path, self.scope.global)))
            }
            Some(problem) => Some(Error::impossible(invalid(problem))),
            None if report.kind == EntryKind::Pattern && report.matches == 0 => {
                let error = Error::impossible(format!("No files found matching glob pattern '{path}'"));
                let hint = if report.left_out_built_in > 0 {
                    "the built-in ignore file leaves out what it matches: use --no-ignore to add it"
                        .to_owned()
                } else if report.left_out_secrets > 0 {
                    command(app, "add --allow-secrets", path, self.scope.global)
                } else {
                    "use --force to add it anyway".to_owned()
                };
                (!self.force).then(|| error.with_hint(hint))
            }
            None => unreadable(app, entry, report.kind).map(|reason| Error::impossible(invalid(&reason))),
        }
    }
}

fn invalid(path: &str, error: &KindError) -> Error {
    Error::usage(format!("Invalid path '{path}': {error}"))
}

/// What is typed is trusted, here; whether it could be.
fn trust_commands(app: &App, entries: &[Entry]) -> Result<bool, Error> {
    let scoped: Vec<ScopedEntry> =
        entries.iter().map(|entry| ScopedEntry::stored(Scope::Profile, entry.clone())).collect();
    if scoped.iter().all(|scoped| !matches!(command_of(&scoped.entry), Ok(Some(_)))) {
        return Ok(true);
    }
    let ground = Ground::around(app)?;
    let items = ground.items(app, &ProfileName::default_profile(), &scoped);
    match ground.file(app)? {
        Some(file) => file.grant(&ground.here, &items).map(|()| true).map_err(Error::from),
        None => Ok(false),
    }
}

/// What is kept already and counts beside the new entries.
fn kept(app: &App, global: bool) -> Result<Vec<ScopedEntry>, Error> {
    app.store.read(|view| match app.target_in(view, global)? {
        Target::Global => Ok(view.global()?.scoped(Scope::Global).collect()),
        Target::Profile(name) => Ok(view.entries(&name)?),
    })
}

/// That an entry is kept already comes before whatever else may be wrong with it by now.
fn refuse_known(app: &App, entry: &Entry, kept: &[ScopedEntry], scope: Scope) -> Result<(), Error> {
    let is_same = |kept: &&ScopedEntry| {
        kept.scope == scope && is_same_path(&app.with_tilde(&kept.entry.path), &entry.path)
    };
    let Some(known) = kept.iter().find(is_same) else { return Ok(()) };
    let error = Error::from(StoreError::Duplicate { path: entry.path.clone() });
    let allows_more = entry.attributes.secrets > known.entry.attributes.secrets
        || entry.attributes.hidden && !known.entry.attributes.hidden;
    Err(match allows_more {
        true => {
            error.with_hint(command(app, "set", &entry.path, scope == Scope::Global) + &allowances(entry))
        }
        false => error,
    })
}

/// The options that give an entry what another allows.
fn allowances(entry: &Entry) -> String {
    let secrets = match entry.attributes.secrets {
        SecretAllowance::Nothing => "",
        SecretAllowance::Names => " --allow-secrets",
        SecretAllowance::Contents => " --allow-secrets=contents",
    };
    let hidden = if entry.attributes.hidden { " --allow-hidden" } else { "" };
    format!("{secrets}{hidden}")
}

/// A command on an entry, as a shell takes it.
fn command(app: &App, command: &str, path: &str, global: bool) -> String {
    let ctx = app.profile_option().map_or("ctx".to_owned(), |name| format!("ctx --profile {name}"));
    let global = if global { " -g" } else { "" };
    let place = if path.starts_with('-') { "./" } else { "" };
    format!("{ctx} {command}{global} '{place}{}'", path.replace('\'', r"'\''"))
}

/// Why a file or directory cannot be read, if it cannot.
fn unreadable(app: &App, entry: &Entry, kind: EntryKind) -> Option<String> {
    let path = select::path_of(&entry.path, app.world()).ok()?;
    match kind {
        EntryKind::Literal => read::open(&path).err().map(|error| error.to_string()),
        EntryKind::Directory => fs::read_dir(path).err().map(|error| Problem::of(&error).to_string()),
        EntryKind::Pattern | EntryKind::Exclusion | EntryKind::Text => None,
    }
}

/// Whether nothing is there yet by that name.
fn is_awaited(app: &App, path: &str) -> bool {
    let is_missing =
        |path: PathBuf| path.metadata().is_err_and(|error| Problem::of(&error) == Problem::Missing);
    matches!(pattern::parse(path), Ok(pattern::Target::Literal(_)))
        && select::path_of(path, app.world()).is_ok_and(is_missing)
}

fn is_directory(app: &App, path: &str) -> bool {
    !path.is_empty() && select::path_of(path, app.world()).is_ok_and(|path| path.is_dir())
}

fn files(entry: &Entry, report: &EntryReport) -> String {
    match report.matches {
        _ if entry.is_exclusion() || report.kind == EntryKind::Text => String::new(),
        0 => ": no file yet".to_owned(),
        matches => format!(": {}", counted(matches, "file")),
    }
}

fn note_left_out(app: &App, entry: &Entry, report: &EntryReport) {
    if let Some(text) = report.left_out_below(&entry.path) {
        app.ui.note(text);
    }
    if report.left_out_secrets > 0 {
        let count = counted(report.left_out_secrets, "file");
        app.ui
            .note(format!("{count} left out: the name says that it holds secrets; --allow-secrets takes it"));
    }
}

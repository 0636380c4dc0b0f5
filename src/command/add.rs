mod look_up;

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};

use look_up::{Kept, account, as_kept, look_up, notes_of_awaited};

use crate::app::{App, Changed, named};
use crate::attributes::{self, AttributeOptions, unreadable};
use crate::dependencies;
use crate::error::{Error, parted};
use crate::habits::{self, answer_to_path};
use crate::hints::{did_you_mean, shell_word};
use crate::input::STANDARD_STREAM;
use crate::near::{self, MeantPattern, near_path};
use crate::options::GlobalScope;
use crate::text_makers;
use crate::trust::{Ground, NO_TRUST};
use crate::visible::visible;
use ctx_core::account::{EntryRecord, Measures};
use ctx_core::entry::pattern;
use ctx_core::entry::pattern::below;
use ctx_core::entry::rooted::Rooted;
use ctx_core::entry::{Attributes, Author, Entry, Kind, Provenance, Scope, ScopedEntry};
use ctx_core::fs::real;
use ctx_core::git::rule_file;
use ctx_core::report::{Reason, ReasonCode, Unread};
use ctx_core::select::dead_rule::dead_rule;
use ctx_core::select::{
    self, EntryFate, EntryKind, EntryReport, Idle, MissedReason, Problem, built_in, entry_of,
};
use ctx_core::source::kind::{TextSource, is_of_a_kind};
use ctx_core::store::{ChosenFor, ListTarget, StoreError, distinct, first_places};
use ctx_core::todo::TodoError;
use ctx_core::tree::Tree;
use ctx_core::trust::{TrustItem, items_of};
use ctx_core::words::{WrongText, counted, grouped, quoted, some_of};
use ctx_core::world::World;

const EXAMPLES: &str = "Examples:
  ctx add README.md docs                  a file, and the files directly in docs
  ctx add 'src/**/*.rs' '!src/gen/**'     a pattern in quotes, minus some files
  ctx add -g ~/notes/style.md             to the global list, for every profile
  ctx add --pin --tag api src/lib.rs      always whole, and picked by 'ctx render --tag api'";

/// All kinds of entries.
const KINDS: &str = "Entries and their options:
  FILE                     a file
  FILE:10-40               some lines of a file; also FILE:10, FILE:10- and FILE#L10-L40
  'FILE#NAME'              the declaration or section of this name, wherever it now stands
  DIR, DIR/**              the files directly in a directory; everything below it
  'src/**/*.rs'            the files that match a pattern: * ? ** [a-z] {a,b}
  '!src/gen/**'            nothing: excludes files from patterns and directories
  up:AGENTS.md             the files with this name from the top of the repository down to here
  git:diff [RANGE]         your unstaged changes, or the changes of a range of commits
  git:staged, git:changes  your staged changes; everything that differs from the last commit
  git:show [REV]           a commit: its message, then its changes to each file
  git:log [-N] [RANGE]     the messages of commits; any git: entry can end in '-- PATH'
  'cmd:cargo test'         the output of a command
  todo:LIST                a to-do list
  --search dep:NAME        the sources of a dependency, in the version of the lock file here
  --tag, --pin, --allow    any entry except an exclusion; --pin not dep:NAME
  --as, --search, --share  files, directories and patterns; --search and --share also dep:NAME
  --imports                files, directories, patterns and up:
  --timeout, --max-output, --only-success, --ttl
                           cmd:";

/// Add files, directories and patterns to your list
///
/// ctx stores paths relative to the root of the project or repository, and looks them up from the root of the one
/// where you run `ctx render`, so one profile serves many checkouts. Outside of both, that root is the current
/// directory. A directory means the files directly in it; `DIR/**` or -r includes everything below it. `!PATTERN`
/// leaves out the files it matches. If a path is on the list already, its entry gets the attributes that you give.
/// If one path can't be added, none is.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{KINDS}"))]
pub struct Add {
    #[command(flatten)]
    scope: GlobalScope,

    /// Add paths even if they don't exist yet
    #[arg(short, long)]
    force: bool,

    /// Fail if a path is on the list already
    #[arg(long)]
    strict: bool,

    /// Include everything below directories
    #[arg(short, long)]
    recursive: bool,

    #[command(flatten)]
    attributes: AttributeOptions,

    /// Print what would be added without adding it
    #[arg(long)]
    dry_run: bool,

    /// Files, directories, glob patterns, exclusions (`!PATTERN`), `git:WHAT`, `cmd:COMMAND` and `todo:LIST`
    #[arg(required = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    paths: Vec<String>,
}

impl Add {
    /// Adds the entries, all or none.
    pub fn run(self, app: &App) -> Result<(), Error> {
        let kept = Kept::read(app, self.scope.global)?;
        let (entries, mut faults) = self.entries(app, kept.list.scope);
        // An entry that already exists is reported as such, whatever else is wrong with it.
        let places = places(app, kept.list.scope, &kept.own(app), &entries);
        let (known, entries): (Vec<_>, Vec<_>) =
            entries.into_iter().zip(places).partition(|(_, place)| place.is_some());
        let [known, entries] = [known, entries].map(|all| all.into_iter().map(|(entry, _)| entry).collect());
        let (known, entries): (Vec<Entry>, Vec<Entry>) = (known, entries);
        if self.strict {
            faults.extend(known.iter().map(|entry| Error::from(duplicate(entry))));
        }
        let found = look_up(app, &kept, &entries)?;
        for (entry, report) in entries.iter().zip(&found.reports) {
            let fault = kept.refusal(entry).or_else(|| self.unknown_list(app, entry));
            faults.extend(fault.or_else(|| self.refusal(app, &kept, entry, report, &found.scoped)));
        }
        Error::all(faults)?;
        let Changed { target, value: outcomes } = self.store(app, kept.list, [&entries, &known])?;
        let (outcomes, of_known) = outcomes.split_at(entries.len());
        for (entry, outcome) in known.iter().zip(of_known).chain(entries.iter().zip(outcomes)) {
            match outcome {
                Outcome::Added => {}
                Outcome::Changed => {
                    app.ui.confirm(format!("Changed '{}' in {}", entry.name(), named(&target)));
                }
                Outcome::AlreadyThere => app.ui.note(duplicate(entry).to_string()),
            }
        }
        if entries.is_empty() {
            return Ok(());
        }
        let trusts = if self.dry_run { Ok(true) } else { trust(app, &found.scoped[..entries.len()]) };
        let account = account(app, &found.scoped);
        let is_added = |place: &usize| outcomes[*place] == Outcome::Added;
        for place in (0..entries.len()).filter(is_added) {
            let (entry, report) = (&entries[place], &found.reports[place]);
            let has_files = report.matches > 0 && report.kind != EntryKind::Text;
            let files = match account.as_ref().filter(|_| has_files) {
                Some(account) => {
                    format!(": {}", account.entries[place].amount("file", &account.measures))
                }
                None => files(entry, report, &found.scoped),
            };
            let what = format!("{} to {}{files}", quoted(entry.name()), named(&target));
            if self.dry_run {
                app.ui.data(|out| writeln!(out, "Would add {}", visible(&what)))?
            } else {
                app.ui.confirm(format!("Added {what}"))
            }
        }
        let doubts = account.iter().flat_map(|account| {
            (0..entries.len()).filter_map(|place| doubt(&account.entries[place], &account.measures))
        });
        doubts.for_each(|text| app.ui.warn(text));
        found.unused.iter().for_each(|text| app.ui.warn(text));
        notes_of_awaited(app, &found, entries.len())?.into_iter().for_each(|text| app.ui.note(text));
        for (entry, report) in entries.iter().zip(&found.reports) {
            let below = report.left_out_below(&entry.path);
            if let Some(text) = below.or_else(|| near::left_out_by_star(entry, app.base(kept.list.scope))) {
                app.ui.note(text);
            }
        }
        self.hint_syntax(app, &kept, entries.iter().zip(&found.reports));
        if found.secret_names > 0 {
            let count = counted(found.secret_names, "file");
            app.ui.note(format!(
                "{count} left out: {}; --allow secret-names includes it",
                ReasonCode::SecretName.describe()
            ));
        }
        app.ui.notices(built_in::left_out(found.left_out_built_in).as_slice());
        app.ui.notices(rule_file::cut_lines(&found.cut_lines).as_slice());
        let patterns = entries.iter().zip(&found.reports);
        for (entry, _) in patterns.filter(|(_, report)| report.kind == EntryKind::Pattern) {
            if let Some(MeantPattern { why, pattern }) =
                MeantPattern::of_existing(&entry.path, app.base(kept.list.scope))
            {
                let add = app.same_list("add", self.scope.global);
                let escaped = app.word_for(&pattern, kept.list.scope);
                app.ui.note(format!("{why}: '{add} {escaped}' takes it literally"));
            }
        }
        for entry in &entries {
            let written = ScopedEntry::from_list(kept.list, entry.clone());
            if let Some(MeantPattern { why, pattern }) =
                MeantPattern::of_blanks(&written, app.base(kept.list.scope))
            {
                let add = app.same_list("add", self.scope.global);
                app.ui.warn(format!("{why}: {add} {}", app.word_for(&pattern, kept.list.scope)));
            }
        }
        if matches!(trusts, Ok(false)) {
            app.ui.warn(NO_TRUST);
        }
        self.note_expanded(app);
        self.note_awaited(app);
        self.note_root(app, &kept, &entries);
        // The entries are added; a note that can't be made is not a reason to fail.
        note_without_project(app, &kept, &target, &entries).ok();
        self.note_exclusion(app, &entries);
        trusts.map(|_| ())
    }

    /// Tells the patterns that are meant by exclusions in another program's syntax that exclude nothing.
    fn hint_syntax<'e>(
        &self,
        app: &App,
        kept: &Kept,
        entries: impl Iterator<Item = (&'e Entry, &'e EntryReport)>,
    ) {
        let idle = entries.filter(|(_, report)| report.fate == EntryFate::ExcludesNothing(Idle::Unmatched));
        let hints = idle.filter_map(|(entry, _)| self.in_our_syntax(app, kept, entry));
        hints.for_each(|hint| app.ui.hint(hint));
    }

    /// Notes that an exclusion among other entries gets none of the attributes.
    fn note_exclusion(&self, app: &App, entries: &[Entry]) {
        let Some(exclusion) = entries.iter().find(|entry| entry.is_exclusion()) else { return };
        let mut attributes = Attributes::default();
        self.attributes.give(&mut attributes);
        let names: Vec<String> = attributes.given().map(|attribute| quoted(attribute.name())).collect();
        if !names.is_empty() {
            app.ui.note(format!("'{}' is an exclusion; it cannot have {}", exclusion.path, names.join(", ")));
        }
    }

    /// Adds the entries to their list, unless it is a dry run, and gives those that are already there the attributes.
    /// Another process may have added some since the list was read.
    fn store(
        &self,
        app: &App,
        provenance: Provenance,
        [new, known]: [&[Entry]; 2],
    ) -> Result<Changed<Vec<Outcome>>, Error> {
        if self.dry_run {
            let target = app.store.read(|view| app.target_in(view, self.scope.global))?;
            let outcomes =
                new.iter().map(|_| Outcome::Added).chain(known.iter().map(|_| Outcome::AlreadyThere));
            return Ok(Changed { target, value: outcomes.collect() });
        }
        let all: Vec<&Entry> = new.iter().chain(known).collect();
        app.change(self.scope.global, |store, target| {
            let list = store.list_mut(target)?;
            let there: Vec<Entry> =
                list.paths.iter().map(|entry| as_kept(app, provenance.scope, entry)).collect();
            let places = places(app, provenance.scope, &there, all.iter().copied());
            let mut added = Vec::new();
            let outcome = |(entry, place): (&&Entry, Option<usize>)| match place {
                None => {
                    added.push((*entry).clone());
                    Ok(Outcome::Added)
                }
                Some(_) if self.strict => Err(duplicate(entry).into()),
                Some(place) => self.give(provenance, &mut list.paths[place]),
            };
            let outcomes = all.iter().zip(places).map(outcome).collect::<Result<_, Error>>()?;
            list.add_all(&added)?;
            Ok(outcomes)
        })
    }

    /// Gives an entry of the list the attributes.
    fn give(&self, provenance: Provenance, entry: &mut Entry) -> Result<Outcome, Error> {
        let mut changed = entry.clone();
        if !entry.is_exclusion() {
            self.attributes.give(&mut changed.attributes);
        }
        if changed == *entry {
            return Ok(Outcome::AlreadyThere);
        }
        attributes::check(&changed)?;
        if let Some(forbidden) = ScopedEntry::from_list(provenance, changed.clone()).forbidden() {
            return Err(Error::usage(format!("Invalid path '{}': {forbidden}", entry.path)));
        }
        *entry = changed;
        Ok(Outcome::Changed)
    }

    /// Notes the patterns that a shell has probably expanded: all files of a directory with the same extension.
    fn note_expanded(&self, app: &App) {
        let mut groups: BTreeMap<(&Path, &OsStr), usize> = BTreeMap::new();
        for path in distinct(&self.paths).map(Path::new) {
            if let Some((directory, extension)) = path.parent().zip(path.extension()) {
                *groups.entry((directory, extension)).or_default() += 1;
            }
        }
        for ((directory, extension), count) in groups.into_iter().filter(|(_, count)| *count >= SEVERAL) {
            let listed = app.world().cwd.join(directory).read_dir().ok().into_iter().flatten().flatten();
            let names = listed.map(|entry| PathBuf::from(entry.file_name()));
            let is_meant = |name: &PathBuf| name.extension() == Some(extension);
            let pattern = directory.join(format!("*.{}", extension.display()));
            if let Some(pattern) = pattern.to_str().filter(|_| names.filter(is_meant).count() == count) {
                let line = format!("{} {}", app.same_list("add", self.scope.global), shell_word(pattern));
                app.ui.note(format!(
                    "these are all files that a pattern matches now; {} matches later ones too",
                    quoted(line)
                ));
            }
        }
    }

    fn note_awaited(&self, app: &App) {
        let is_awaited = |path: &&str| self.recursive && is_awaited(app.world(), path);
        let names: Vec<String> = distinct(&self.paths).filter(is_awaited).map(quoted).collect();
        if !names.is_empty() {
            app.ui.note(format!("-r adds what does not exist yet as a directory: {}", some_of(&names)));
        }
    }

    /// Notes which entries are stored in a different form than typed, and which commands run in another
    /// directory.
    fn note_root(&self, app: &App, kept: &Kept, entries: &[Entry]) {
        for typed in &self.paths {
            if let Ok(Rooted { text, is_outside: true }) = app.kept_as(typed, kept.list.scope) {
                app.ui.note(format!("'{typed}' is outside {}: stored as '{text}'", app.root()));
            }
        }
        let moves = |entry: &&Entry| {
            let depends = |source: TextSource| source.depends_on_directory();
            TextSource::of(&entry.path).ok().flatten().is_some_and(depends)
        };
        let below = app.base(kept.list.scope).cwd != app.world().cwd;
        for entry in entries.iter().filter(moves).filter(|_| below) {
            app.ui.note(format!("'{}' runs in {}", entry.path, app.root()));
        }
        let scoped = entries.iter().map(|entry| ScopedEntry::from_list(kept.list, entry.clone()));
        app.refused_repository(&scoped.collect::<Vec<_>>()).into_iter().for_each(|text| app.ui.note(text));
    }

    /// One entry for each path, even if it is named several times or in several spellings, and the errors for
    /// the other paths.
    fn entries(&self, app: &App, scope: Scope) -> (Vec<Entry>, Vec<Error>) {
        let (named, faults) = parted(self.paths.iter().map(|path| self.entry(app, path, scope)));
        let first = first_places_of_files(app.base(scope), &named.iter().collect::<Vec<_>>());
        let entries = named.into_iter().zip(first).enumerate();
        let entries = entries.filter(|(place, (_, first))| place == first).map(|(_, (entry, _))| entry);
        (entries.collect(), faults)
    }

    fn entry(&self, app: &App, path: &str, scope: Scope) -> Result<Entry, Error> {
        if path == STANDARD_STREAM {
            return Err(Error::usage("'-' is standard input, which cannot be stored")
                .with_hint("'ctx render -' reads it; for a file of that name, use './-'"));
        }
        let invalid = |error: WrongText| Error::usage(format!("Invalid path '{path}': {error}"));
        TextSource::of(path).map_err(invalid)?;
        self.check_is_path(app.world(), path)?;
        let path = app.kept_as(path, scope)?.text;
        let world = app.base(scope);
        let is_whole = !is_of_a_kind(&path) && self.is_wanted_whole(world, &path);
        let mut entry = if is_whole { Entry::new(below(&path)) } else { entry_of(&path, world) };
        if entry.is_exclusion() && self.names_more_than_exclusions() {
            return Ok(entry);
        }
        self.attributes.give(&mut entry.attributes);
        attributes::check(&entry)?;
        self.check_dependency(app, &entry, scope).map(|()| entry)
    }

    /// Refuses a dependency that would not be searched, or whose sources are not here unless --force is given.
    fn check_dependency(&self, app: &App, entry: &Entry, scope: Scope) -> Result<(), Error> {
        if entry.kind() != Kind::Dependency {
            return Ok(());
        }
        let path = &entry.path;
        let scoped = ScopedEntry::from_list(Provenance { scope, author: Author::User }, entry.clone());
        match dependencies::stored(&scoped, app) {
            None if !entry.attributes.search => Err(Error::usage(format!(
                "Invalid path '{path}': a dependency is only searched"
            ))
            .with_hint(format!("ctx add --search {}, or once: ctx ask QUESTION {0}", shell_word(path)))),
            Some(Err(why)) if !self.force => {
                Err(Error::impossible(format!("Invalid path '{path}': {why}. Use --force to add anyway.")))
            }
            None | Some(_) => Ok(()),
        }
    }

    /// Whether the attributes are meant for other entries than the exclusions.
    fn names_more_than_exclusions(&self) -> bool {
        self.paths.iter().any(|path| Kind::of(path) != Kind::Exclusion)
    }

    /// Refuses a URL, or a path in another program's form, unless it exists as a path or --force is given.
    fn check_is_path(&self, world: &World, path: &str) -> Result<(), Error> {
        let Some(answer) = answer_to_path(path).filter(|_| !self.force) else { return Ok(()) };
        if select::path_of(path, world).is_ok_and(|path| path.exists()) {
            return Ok(());
        }
        let why = if habits::is_address(path) {
            "ctx does not fetch URLs"
        } else {
            ReasonCode::NotFound.describe()
        };
        Err(Error::impossible(format!("Invalid path '{path}': {why}")).with_hint(answer))
    }

    /// Whether -r includes everything below the path: it is a directory or, with --force, may become one.
    fn is_wanted_whole(&self, world: &World, path: &str) -> bool {
        let is_directory = !path.starts_with('!') && is_directory(world, path);
        self.recursive && (is_directory || self.force && is_awaited(world, path))
    }

    /// The error for a to-do list that does not exist yet, unless --force is given.
    fn unknown_list(&self, app: &App, entry: &Entry) -> Option<Error> {
        let Ok(Some(TextSource::Todo(name))) = TextSource::of(&entry.path) else { return None };
        match app.store.todo_list(&name) {
            Err(error @ TodoError::Unknown { .. }) if !self.force => Some(Error::impossible(format!(
                "Invalid path '{}': {error}. Use --force to add anyway.",
                entry.path
            ))),
            Ok(_) | Err(_) => None,
        }
    }

    /// The option with which an entry could be added, if there is one.
    fn lacks(&self, report: &EntryReport, scope: Scope) -> Option<&'static str> {
        let is_unmatched = report.kind == EntryKind::Pattern && matches!(report.fate, EntryFate::Nothing(_));
        let needed = match report.fate.problem() {
            Some(Problem::SecretName(_)) => SECRET_NAMES,
            Some(Problem::Missing) => FORCE,
            Some(_) => return None,
            None if !is_unmatched => return None,
            None if report.left_out_secrets > 0 => SECRET_NAMES,
            None if report.fate.is_ignored() => IGNORED,
            None => FORCE,
        };
        let is_open = if needed == FORCE { !self.force } else { may_allow(scope) };
        is_open.then_some(needed)
    }

    fn refusal(
        &self,
        app: &App,
        kept: &Kept,
        entry: &Entry,
        report: &EntryReport,
        scoped: &[ScopedEntry],
    ) -> Option<Error> {
        let path = &*entry.name();
        let invalid = |reason: &dyn Display| format!("Invalid path '{path}': {reason}");
        let answered = |error| {
            let near = || near_path(path).map(|near| did_you_mean(&near));
            let answer = answer_to_path(path).or_else(near);
            answer.into_iter().fold(error, Error::and_hint)
        };
        let not_there = |reason: &dyn Display| {
            let text = format!("{}. Use --force to add anyway.", invalid(reason));
            (!self.force).then(|| answered(Error::impossible(text)))
        };
        match report.fate.problem() {
            Some(Problem::Invalid(error)) => Some(answered(Error::usage(invalid(error)))),
            Some(Problem::LinkOutside(real)) if may_allow(kept.list.scope) => {
                Some(Error::link_outside(path, real))
            }
            Some(problem @ Problem::Missing) => {
                let other = || self.in_our_syntax(app, kept, entry);
                let error = not_there(&near::in_words(problem, path, app.base(kept.list.scope)));
                error.map(|error| other().into_iter().fold(error, Error::and_hint))
            }
            Some(Problem::SecretName(_)) => {
                let error = Error::impossible(invalid(&"its name suggests secrets"));
                let hint = self.lacks(report, kept.list.scope).map(adds_it);
                Some(hint.into_iter().fold(error, Error::and_hint))
            }
            Some(problem) => Some(Error::impossible(invalid(problem))),
            None if report.kind == EntryKind::Pattern && matches!(report.fate, EntryFate::Nothing(_)) => {
                (!self.force).then(|| self.no_match(app, kept, entry, report, scoped))
            }
            None => unreadable(app.base(kept.list.scope), entry, report.kind)
                .map(|reason| Error::impossible(invalid(&reason))),
        }
    }

    /// The command with the patterns that are meant by one in another program's syntax.
    fn in_our_syntax(&self, app: &App, kept: &Kept, entry: &Entry) -> Option<String> {
        let scope = kept.list.scope;
        let (mark, path) = entry.path.split_at(usize::from(entry.is_exclusion()));
        let written = ScopedEntry::from_list(kept.list, Entry { path: path.to_owned(), ..entry.clone() });
        let meant = MeantPattern::of_other_syntax(&written, app.base(scope))?;
        if meant.iter().any(|pattern| !mark.is_empty() && pattern.starts_with('!')) {
            return None;
        }
        let words: Vec<String> =
            meant.iter().map(|pattern| app.word_for(&format!("{mark}{pattern}"), scope)).collect();
        Some(format!("{} {}", app.same_list("add", self.scope.global), words.join(" ")))
    }

    /// The error for a pattern that matches nothing: why, and what would change that.
    fn no_match(
        &self,
        app: &App,
        kept: &Kept,
        entry: &Entry,
        report: &EntryReport,
        scoped: &[ScopedEntry],
    ) -> Error {
        let scope = kept.list.scope;
        let add = app.same_list("add", self.scope.global);
        let no_files = |why: &dyn Display| {
            Error::impossible(format!("No files found matching glob pattern '{}'{why}", entry.path))
        };
        let adding = |pattern: &str| format!("{add} {}", app.word_for(pattern, scope));
        if let Some(MeantPattern { why, pattern }) = MeantPattern::of_existing(&entry.path, app.base(scope)) {
            return no_files(&format_args!(": {why}")).with_hint(adding(&pattern));
        }
        let written = ScopedEntry::from_list(kept.list, entry.clone());
        if let Some(MeantPattern { why, pattern }) = MeantPattern::of_look_alike(&written, app.base(scope)) {
            return no_files(&format_args!("; {why}")).with_hint(adding(&pattern));
        }
        if let Some(hint) = self.in_our_syntax(app, kept, entry) {
            return no_files(&"").with_hint(hint);
        }
        let reason = Reason::of_entry(scoped, report).filter(|reason| reason.code != ReasonCode::NoMatch);
        // The contents of a directory that was not searched are unknown.
        let is_certain = report.fate.missed().is_some_and(|missed| !missed.is_directory);
        let is_certain = is_certain || report.left_out_secrets > 0;
        let hidden =
            || MeantPattern::of_hidden(&ScopedEntry::from_list(kept.list, entry.clone()), app.world());
        if let Some(MeantPattern { why, pattern }) = (!is_certain).then(hidden).flatten() {
            return no_files(&format_args!(": {why}")).with_hint(adding(&pattern));
        }
        let dead = || {
            let missed = report.fate.missed().filter(|_| report.fate.is_ignored())?;
            dead_rule(&real(app.base(scope).cwd.join(missed.label.as_str())).ok()?, app.world())
        };
        let why = reason.map_or_else(String::new, |reason| format!(": {}", reason.text));
        let dead = dead().map_or_else(String::new, |rule| format!("; {rule}"));
        let error = no_files(&format_args!("{why}{dead}"));
        let option = self.lacks(report, scope).map(adds_it);
        let missed = report.fate.missed();
        let hint = match missed.map(|missed| &missed.why) {
            _ if report.left_out_secrets > 0 => option,
            Some(MissedReason::Ignored(_)) => option,
            // An exclusion that is typed now is on no list.
            Some(MissedReason::Excluded(by)) if self.paths.contains(&scoped[by.0].entry.path) => option,
            Some(MissedReason::Excluded(by)) => {
                let excluding = &scoped[by.0];
                let rm = app.same_list("rm", excluding.scope == Scope::Global);
                Some(format!("{rm} {}", shell_word(&excluding.entry.path)))
            }
            Some(MissedReason::DotFile) => {
                missed.map(|missed| format!("{add} {}", app.word_for(missed.label.as_str(), scope)))
            }
            Some(
                MissedReason::LeavesDirectory
                | MissedReason::LeavesTree
                | MissedReason::BrokenLink
                | MissedReason::TooManyLinks
                | MissedReason::UnreadableDirectory(_)
                | MissedReason::UnsafeRules(_)
                | MissedReason::GitDirectory
                | MissedReason::LinkedWorktree
                | MissedReason::NotRegular
                | MissedReason::Problem(_),
            )
            | None => option,
        };
        hint.into_iter().fold(error, Error::and_hint)
    }
}

/// This many files of one directory and extension were probably a pattern.
const SEVERAL: usize = 5;

/// Why an entry that was added may not bring what it should: it is only binary, or alone too large for the budget.
fn doubt(record: &EntryRecord, measures: &Measures) -> Option<String> {
    let EntryRecord { entry, matches, tokens, unread, attributes, .. } = record;
    let binary: usize =
        unread.iter().filter(|tally| tally.kind == Unread::Binary.to_string()).map(|tally| tally.count).sum();
    if *matches > 0 && binary == *matches {
        let way = text_makers::to_read_file(entry).map_or_else(String::new, |way| format!("; {way}"));
        return Some(format!("{} is only binary, which is never printed{way}", quoted(entry)));
    }
    let budget = measures.budget.filter(|budget| tokens > budget && !attributes.search)?;
    let (tokens, budget) = (grouped(*tokens), grouped(budget));
    Some(format!("{} alone has {tokens} tokens, more than the budget of {budget}", quoted(entry)))
}

/// What became of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Added,
    /// It was on the list, and got attributes.
    Changed,
    AlreadyThere,
}

fn duplicate(entry: &Entry) -> StoreError {
    StoreError::Duplicate { path: entry.name().into_owned() }
}

/// For each entry, the place of the entry that is already `there` with the same path, or with another path of the
/// same file.
fn places<'a>(
    app: &App,
    scope: Scope,
    there: &'a [Entry],
    entries: impl IntoIterator<Item = &'a Entry>,
) -> Vec<Option<usize>> {
    let all: Vec<&Entry> = there.iter().chain(entries).collect();
    let first = first_places_of_files(app.base(scope), &all);
    first[there.len()..].iter().map(|place| Some(*place).filter(|place| *place < there.len())).collect()
}

/// As [`first_places`], but paths of the same file are the same too.
fn first_places_of_files(world: &World, entries: &[&Entry]) -> Vec<usize> {
    fn last_name(entry: &Entry) -> &str {
        entry.path.rsplit('/').next().unwrap_or(&entry.path)
    }
    let mut first = first_places(entries.iter().copied());
    let mut names: HashMap<&str, usize> = HashMap::new();
    for entry in entries {
        *names.entry(last_name(entry)).or_default() += 1;
    }
    let mut files: HashMap<(PathBuf, String), usize> = HashMap::new();
    for (place, entry) in entries.iter().enumerate() {
        let may_be_again = first[place] == place && entry.kind() == Kind::Path && names[last_name(entry)] > 1;
        let file = || real(select::path_of(&entry.path, world).ok()?).ok();
        if let Some(file) = may_be_again.then(file).flatten() {
            // Its lines, or the name of a part.
            let part = entry.name().strip_prefix(&*entry.path).unwrap_or_default().to_owned();
            first[place] = *files.entry((file, part)).or_insert(place);
        }
    }
    first
}

/// The options with which an entry that is refused could be added.
const FORCE: &str = "--force";
const SECRET_NAMES: &str = "--allow secret-names";
const IGNORED: &str = "--allow ignored";

/// The hint that this option adds an entry that is refused.
fn adds_it(option: &str) -> String {
    format!("{option} adds it")
}

/// Whether the entries of a list may allow what the rules forbid; a project's may not.
fn may_allow(scope: Scope) -> bool {
    scope != Scope::Project
}

/// Notes that a profile is used in every repository when it gets its first relative entry, since you may have
/// meant a list for this one.
fn note_without_project(app: &App, kept: &Kept, target: &ListTarget, entries: &[Entry]) -> Result<(), Error> {
    let ListTarget::Profile(name) = target else { return Ok(()) };
    let is_of_user = kept.list.scope == Scope::Profile && kept.list.author == Author::User;
    let is_first = entries.iter().any(Entry::is_relative) && !kept.own(app).iter().any(Entry::is_relative);
    let is_repository = || !Tree::around(app.world()).git_dirs().is_empty();
    if !(is_of_user && is_first && is_repository()) {
        return Ok(());
    }
    let by = app.store.read(|view| app.choice_in(view))?.map(|choice| choice.by);
    // Other repositories begin with the default profile, even if it was also chosen for this one.
    let is_shared = |by| name.is_default() || matches!(by, ChosenFor::Nothing | ChosenFor::Everywhere);
    if by.is_some_and(is_shared) {
        app.ui.note(format!(
            "profile '{name}' is used in every repository; 'ctx switch -c NAME' or 'ctx init' keeps a list for this one"
        ));
    }
    Ok(())
}

/// Trusts the added entries here, and returns whether that was possible.
fn trust(app: &App, added: &[ScopedEntry]) -> Result<bool, Error> {
    let ground = Ground::around(app)?;
    let items = |scoped| items_of(scoped, "", app.world(), ground.scripts);
    ground.grant(app, &added.iter().flat_map(items).collect::<Vec<TrustItem>>())
}

/// Whether nothing with that name exists yet.
fn is_awaited(world: &World, path: &str) -> bool {
    let is_missing =
        |path: PathBuf| path.metadata().is_err_and(|error| Problem::of(&error) == Problem::Missing);
    matches!(pattern::parse(path), Ok(pattern::Target::Literal(_)))
        && select::path_of(path, world).is_ok_and(is_missing)
}

fn is_directory(world: &World, path: &str) -> bool {
    !path.is_empty() && select::path_of(path, world).is_ok_and(|path| path.is_dir())
}

fn files(entry: &Entry, report: &EntryReport, scoped: &[ScopedEntry]) -> String {
    if let Some(words) = report.fate.exclusion_in_words() {
        format!(": {words}")
    } else if entry.is_exclusion() {
        let reason = Reason::of_entry(scoped, report);
        reason.map_or_else(String::new, |reason| format!(": {}", reason.text))
    } else if report.kind == EntryKind::Text {
        String::new()
    } else if report.matches == 0 {
        let is_certain = report.fate.missed().is_some() || report.left_out_subdirectories > 0;
        let reason = Reason::of_entry(scoped, report).filter(|_| is_certain);
        reason.map_or_else(|| ": no file yet".to_owned(), |reason| format!(": no file, {}", reason.text))
    } else {
        format!(": {}", counted(report.matches, "file"))
    }
}

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};

use crate::app::{App, named};
use crate::error::{Error, Failure};
use crate::hints::trust_of;
use crate::input;
use crate::models::registry;
use crate::options::among;
use crate::request::check_setting;
use crate::visible::visible;
use ctx_core::entry::{Entry, Kind, Scope, ScopedEntry};
use ctx_core::select::bound::Forbidden;
use ctx_core::share::tool::{self, FoundLists, Tool};
use ctx_core::share::{
    self, Action, Bundle, BundleError, ChangeError, Flaw, Invalid, ListChange, MAX_BYTES, take_outside,
};
use ctx_core::store::{List, ListTarget, Setting, StoreError, Transaction};
use ctx_core::todo::Merged;
use ctx_core::words::{all_of, counted};

/// How many invalid entries a message names.
const MOST_INVALID: usize = 10;

/// Import profiles from `ctx export`, or from another tool
///
/// ctx checks everything before it changes anything, and imports all of it or nothing. It never overwrites an
/// existing profile or global list; --merge adds missing entries and leaves attributes and settings alone. The
/// active profile stays the same. If you have never changed the global list, the one in FILE replaces the built-in
/// one; --merge and --from add to it. FILE may also be a single agent, or a list such as `{"paths": ["README.md"]}`,
/// which becomes the profile with the file's name.
///
/// `--from amazonq` reads profiles, `~/.aws/amazonq/context`, and agents in `.amazonq/cli-agents` and
/// `~/.aws/amazonq/cli-agents`. `--from kiro` reads agents in `.kiro/agents` and `~/.kiro/agents`. It also adds
/// steering files to the profile `default`, those for certain files with that condition (--when). If an agent is in both directories, the
/// local one wins. An agent's `file://` resources become entries, its prompt becomes the instruction, and hooks that
/// print context become commands, which don't run until you trust them with 'ctx trust'. A repository's agent `default`
/// becomes the profile `DIRECTORY-default`, since `default` is used in every repository. Amazon Q's to-do lists in
/// `.amazonq/cli-todo-lists` become lists of 'ctx todo'. ctx only reads the other tool's files, and lists what it
/// can't import.
///
/// FILE, or an agent in a repository, may be somebody else's, so ctx leaves out what it names outside this directory
/// tree, and lists it; --force imports that too.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx import context.json                 import the output of 'ctx export'
  ctx export | ctx --store DIR import -   copy a profile to another store
  ctx import --merge context.json         add missing entries
  ctx import --from amazonq --dry-run     see what would come from Amazon Q Developer CLI
  ctx import --from kiro")]
pub struct Import {
    /// Read another tool's files instead of an exported document
    #[arg(long, value_name = "TOOL", value_parser = among(&Tool::ALL))]
    from: Option<Tool>,

    /// Print what would be done without doing it
    #[arg(long)]
    dry_run: bool,

    /// Add missing entries to existing profiles
    #[arg(long)]
    merge: bool,

    /// Accept entries that allow what ctx otherwise leaves out or changes, or that lead out of this directory tree
    #[arg(short, long)]
    force: bool,

    /// The document, an agent, or a list of `paths`; `-` is standard input
    #[arg(value_name = "FILE", conflicts_with = "from", value_hint = ValueHint::FilePath)]
    file: Option<PathBuf>,
}

impl Import {
    /// Imports all lists, or none.
    pub fn run(self, app: &App) -> Result<(), Error> {
        app.check_named()?;
        let (found, origin) = match (self.from, &self.file) {
            (Some(tool), _) => (found(app, tool, self.force)?, tool.to_string()),
            (None, Some(file)) => {
                let mut found = in_file(app, file)?;
                if !self.force {
                    leave_out_outside(app, &mut found.bundle);
                }
                (found, input::called(file))
            }
            (None, None) => {
                return Err(Error::usage("nothing to import: name a FILE, or the tool whose lists you want")
                    .with_hint(format!("ctx import --from {} --dry-run", Tool::ALL[0])));
            }
        };
        let FoundLists { mut bundle, todo_lists, .. } = found;
        self.check(app, &bundle, &origin)?;
        let refused = keep_as_here(app, &mut bundle, |target, entry, forbidden| {
            let (name, target) = (entry.name(), named(target));
            match self.from {
                Some(_) => Ok(format!("left out of {target}: '{name}' ({forbidden})")),
                None => Err(Error::usage(format!("Invalid path '{name}' in {target}: {forbidden}"))),
            }
        })?;
        for remark in Error::each(refused)? {
            app.ui.confirm(remark);
        }
        app.store.check_todo_import(&todo_lists, self.merge)?;
        if self.dry_run {
            let changes =
                app.store.read(|view| share::dry_run(&bundle, self.merge, view).map_err(Error::from))?;
            app.ui.data(|out| {
                changes.iter().try_for_each(|change| print(out, change))?;
                todo_lists.iter().try_for_each(|named| {
                    let tasks = counted(named.list.tasks.len(), "task");
                    writeln!(out, "list '{}': {tasks}", named.name)
                })
            })?;
        } else {
            app.warn_of_project();
            let (changes, merged) =
                app.store.update_and_import(&todo_lists, self.merge, |store: &mut Transaction<'_>| {
                    app.warn_of_kept_edits(store);
                    share::apply(&bundle, self.merge, store).map_err(Error::from)
                })?;
            changes.iter().for_each(|change| confirm(app, change));
            note_commands(app, &changes);
            for Merged { name, tasks, is_new } in merged {
                let tasks = counted(tasks, "task");
                app.ui.confirm(if is_new {
                    format!("Imported list '{name}': {tasks}")
                } else {
                    format!("Added {tasks} to list '{name}'")
                });
            }
        }
        Ok(())
    }

    /// Refuses what `add`, `set` and `profile --set` would refuse.
    fn check(&self, app: &App, bundle: &Bundle, origin: &str) -> Result<(), Error> {
        let invalid: Vec<String> = share::invalid(bundle.lists(), app.base(Scope::Profile))
            .iter()
            .take(MOST_INVALID)
            .map(|Invalid { target, path, flaw }| {
                let place = format!("in {} of {origin}", named(target));
                match flaw {
                    Flaw::Path(error) => format!("Invalid path '{path}' {place}: {error}"),
                    Flaw::Kind(error) => format!("Invalid path '{path}' {place}: {error}"),
                    Flaw::StandardInput => {
                        format!("Invalid path '{path}' {place}: it is standard input, which cannot be stored")
                    }
                    Flaw::Attribute(attribute) => format!("'{attribute}' does not apply to '{path}' {place}"),
                    Flaw::Tag { tag, error } => format!("Invalid tag '{tag}' of '{path}' {place}: {error}"),
                }
            })
            .collect();
        if !invalid.is_empty() {
            return Err(Error::several(Failure::Usage, invalid));
        }
        for (target, list) in bundle.lists() {
            check_settings(app, &target, list)?;
        }
        if self.from.is_none() && !self.force {
            Error::all(bundle.lists().flat_map(|(target, list)| allowances(&target, list)).collect())?;
        }
        Ok(())
    }
}

/// Errors for the entries that allow what only the user may allow, except for entries that ctx imports from
/// other tools.
fn allowances(target: &ListTarget, list: &List) -> Vec<Error> {
    let allows =
        |entry: &&Entry| !entry.attributes.allow.is_empty() && **entry != Entry::of_tool(&entry.path);
    let error = |entry: &Entry| {
        Error::impossible(format!(
            "'{}' in {} allows {}. Use --force to import it anyway.",
            entry.name(),
            named(target),
            all_of(entry.attributes.allow.each())
        ))
    };
    list.paths.iter().filter(allows).map(error).collect()
}

fn check_settings(app: &App, target: &ListTarget, list: &List) -> Result<(), Error> {
    for setting in Setting::ALL {
        let Some(value) = list.defaults.get(setting) else { continue };
        let Err(error) = check_setting(app, setting, value) else { continue };
        let message = format!("{}: {}", named(target), error.messages.join("; "));
        if setting != Setting::Model {
            return Err(Error::usage(message));
        }
        // A team's own model may not be in this registry yet.
        app.ui.warn(message);
    }
    Ok(())
}

/// Reads the lists of another tool, and reports what cannot be imported.
fn found(app: &App, tool: Tool, may_lead_outside: bool) -> Result<FoundLists, Error> {
    let found = tool::read(tool, app.base(Scope::Profile), &registry(&app.store)?, may_lead_outside);
    for remark in &found.remarks {
        app.ui.confirm(remark);
    }
    if found.left_outside {
        app.ui.confirm("--force imports what is outside this directory tree");
    }
    if found.bundle.is_empty() && found.todo_lists.is_empty() {
        let places = all_of(tool.places());
        return Err(Error::impossible(format!("nothing to import from {tool}"))
            .with_hint(format!("ctx looks for its files in {places}")));
    }
    Ok(found)
}

/// Reads an exported document or, from a file, a single list: an agent, or an object with `paths`.
fn in_file(app: &App, file: &Path) -> Result<FoundLists, Error> {
    let (world, registry) = (app.world(), &registry(&app.store)?);
    let piped = input::is_standard(file).then(|| bytes_of(app, file)).transpose()?;
    let single = match (&piped, file.to_str()) {
        (Some(bytes), _) => {
            let text = String::from_utf8_lossy(bytes).into_owned();
            tool::read_text(STANDARD_INPUT, text, world, registry)
        }
        (None, name) => name.and_then(|name| tool::read_file(name, world, registry)),
    };
    let Some(mut found) = single else {
        let bytes = piped.map_or_else(|| bytes_of(app, file), Ok)?;
        return Ok(FoundLists { bundle: document(app, file, &bytes)?, ..FoundLists::default() });
    };
    for remark in &found.remarks {
        app.ui.confirm(remark);
    }
    leave_out_what_stays(app, &mut found.bundle);
    Ok(found)
}

/// Removes settings that are always the user's own choice, and says so.
fn leave_out_what_stays(app: &App, bundle: &mut Bundle) {
    for (target, setting) in bundle.leave_out_what_stays() {
        app.ui.confirm(format!("left out of {}: '{setting}', which only you can set", named(&target)));
    }
}

/// Adds how to read another tool's files to the error about a file with the tool's name.
fn of_tool(file: &Path, error: Error) -> Error {
    let tool = Tool::ALL.iter().find(|tool| file.as_os_str() == tool.to_string().as_str());
    tool.into_iter().fold(error, |error, tool| error.with_hint(format!("ctx import --from {tool}")))
}

/// What a list on standard input is called, unless it has a name.
const STANDARD_INPUT: &str = "stdin";

fn bytes_of(app: &App, file: &Path) -> Result<Vec<u8>, Error> {
    input::bytes(app, file, MAX_BYTES).map_err(|error| of_tool(file, error))
}

fn document(app: &App, file: &Path, bytes: &[u8]) -> Result<Bundle, Error> {
    let name = input::called(file);
    let mut bundle = Bundle::parse(bytes).map_err(|error| {
        let failure = match &error {
            BundleError::Damaged(_) => Failure::Impossible,
            BundleError::InvalidName(_) => Failure::Usage,
        };
        Error::new(failure, format!("cannot import {name}: {error}"))
    })?;
    leave_out_what_stays(app, &mut bundle);
    if !bundle.unknown.is_empty() {
        app.ui.confirm(format!("left out of {name}: {}", bundle.unknown.join(", ")));
    }
    if bundle.is_empty() {
        return Err(Error::impossible(format!("nothing to import: {name} contains no profile")));
    }
    Ok(bundle)
}

/// Leaves out the entries that lead out of the tree, and names them.
fn leave_out_outside(app: &App, bundle: &mut Bundle) {
    let profiles = bundle.profiles.iter_mut().map(|(name, list)| (ListTarget::Profile(name.clone()), list));
    let global = bundle.global.iter_mut().map(|list| (ListTarget::Global, list));
    for (target, list) in global.chain(profiles) {
        let outside = take_outside(list, app.base(Scope::Profile));
        if outside.is_empty() {
            continue;
        }
        let names: Vec<String> = outside.iter().map(|entry| format!("'{}'", entry.name())).collect();
        let them = if names.len() == 1 { "it" } else { "them" };
        app.ui.confirm(format!(
            "left out of {}: {} (outside this directory tree; --force imports {them})",
            named(&target),
            names.join(", ")
        ));
    }
}

/// Writes the paths as `ctx add` would: with `~` below the home directory, and in a project relative to its
/// root. Removes entries that a project may not have, and returns the result of `refused` for each.
///
/// # Errors
/// If the store cannot be read.
fn keep_as_here<T>(
    app: &App,
    bundle: &mut Bundle,
    refused: impl Fn(&ListTarget, &Entry, Forbidden) -> T,
) -> Result<Vec<T>, Error> {
    let mut all = Vec::new();
    let provenances = app.store.read(|view| {
        let of_each = bundle.lists().map(|(target, _)| view.provenance(&target));
        of_each.collect::<Result<Vec<_>, StoreError>>().map_err(Error::from)
    })?;
    let profiles = bundle.profiles.iter_mut().map(|(name, list)| (ListTarget::Profile(name.clone()), list));
    let global = bundle.global.as_mut().map(|list| (ListTarget::Global, list));
    for ((target, list), provenance) in global.into_iter().chain(profiles).zip(provenances) {
        let List { paths, .. } = list;
        for entry in paths.iter_mut() {
            entry.path = app.stored_as(&entry.path, provenance.scope);
        }
        paths.retain(|entry: &Entry| match ScopedEntry::from_list(provenance, entry.clone()).forbidden() {
            Some(forbidden) => {
                all.push(refused(&target, entry, forbidden));
                false
            }
            None => true,
        });
    }
    Ok(all)
}

impl From<ChangeError> for Error {
    fn from(error: ChangeError) -> Self {
        match error {
            ChangeError::Store(error) => error.into(),
            ChangeError::Exist(targets) => {
                let message = |target: &ListTarget| match target {
                    ListTarget::Global => "the global list already has entries".to_owned(),
                    ListTarget::Profile(name) => format!("Profile '{name}' already exists"),
                };
                Self::several(Failure::Impossible, targets.iter().map(message).collect())
                    .with_hint("nothing was changed; --merge adds the missing entries")
            }
        }
    }
}

/// The entries in a change.
fn entries(change: &ListChange) -> &[Entry] {
    match &change.action {
        Action::Create { list, .. } => &list.paths,
        Action::Add { entries, .. } => entries,
    }
}

fn print(out: &mut impl Write, change: &ListChange) -> io::Result<()> {
    let (target, count) = (named(&change.target), counted(entries(change).len(), "entry"));
    match &change.action {
        Action::Create { replaced, left_out, .. } => {
            writeln!(out, "create {target}: {count}{}{}", without(replaced), besides(left_out))?
        }
        Action::Add { left_out, .. } => writeln!(out, "add to {target}: {count}{}", besides(left_out))?,
    }
    entries(change).iter().try_for_each(|entry| {
        let when = match &entry.attributes.when[..] {
            [] => String::new(),
            when => format!(" (when {})", visible(&when.join(", "))),
        };
        writeln!(out, "    {}{when}", visible(&entry.name()))
    })?;
    settings(change).iter().try_for_each(|line| writeln!(out, "    {}", visible(line)))
}

/// The lines that show the imported settings, which may be somebody else's words to the model.
fn settings(change: &ListChange) -> Vec<String> {
    let Action::Create { list, .. } = &change.action else { return Vec::new() };
    let of = |setting: Setting| list.defaults.get(setting).map(|value| format!("{setting} = {value}"));
    let texts: Vec<String> = Setting::ALL.into_iter().filter_map(of).collect();
    let lines = |text: &String| text.lines().enumerate().map(line_of_a_setting).collect::<Vec<_>>();
    texts.iter().flat_map(lines).collect()
}

/// No line of a value may look like something else.
fn line_of_a_setting((number, line): (usize, &str)) -> String {
    if number == 0 { line.to_owned() } else { format!("| {line}") }
}

fn confirm(app: &App, change: &ListChange) {
    let (target, count) = (named(&change.target), counted(entries(change).len(), "entry"));
    app.ui.confirm(match &change.action {
        Action::Create { replaced, left_out, .. } => {
            format!("Imported {target}: {count}{}{}", without(replaced), besides(left_out))
        }
        Action::Add { left_out, .. } => format!("Added {count} to {target}{}", besides(left_out)),
    });
    settings(change).iter().for_each(|line| app.ui.confirm(format!("    {line}")));
}

/// What to type to see the imported commands: a list that is not active has to be named.
fn lines_that_show(app: &App, changes: &[ListChange], is_command: impl Fn(&&Entry) -> bool) -> Vec<String> {
    let active = app.store.read(|view| app.profile_in(view)).ok();
    let has_command = |change: &&ListChange| entries(change).iter().any(|entry| is_command(&entry));
    let line = |change: &ListChange| match &change.target {
        ListTarget::Profile(name) if active.as_ref() != Some(name) => {
            format!("'{} --dry-run'", trust_of(Some(name.as_str())))
        }
        ListTarget::Profile(_) | ListTarget::Global => format!("'{} --dry-run'", trust_of(None)),
    };
    let mut lines: Vec<String> = changes.iter().filter(has_command).map(line).collect();
    lines.dedup();
    lines
}

/// Notes that importing commands does not run them.
fn note_commands(app: &App, changes: &[ListChange]) {
    let is_command = |entry: &&Entry| Kind::of(&entry.path) == Kind::Command;
    let commands = changes.iter().flat_map(entries).filter(is_command).count();
    if commands > 0 {
        let (count, them) = (counted(commands, "command"), if commands == 1 { "it" } else { "them" });
        let lines = lines_that_show(app, changes, is_command);
        let verb = if lines.len() == 1 { "shows" } else { "show" };
        let lines = all_of(lines.iter().map(String::as_str));
        app.ui.note(format!("{count} will not run until you trust {them}; {lines} {verb} {them}"));
        app.ui.note(format!(
            "a question includes commands only if they are pinned: 'ctx set --pin' pins {them}"
        ));
    }
}

fn without(replaced: &[String]) -> String {
    match replaced {
        [] => String::new(),
        paths => format!("; replaces the built-in list, without {}", paths.join(", ")),
    }
}

fn besides(left_out: &[String]) -> String {
    match left_out {
        [] => String::new(),
        parts => format!("; not imported: {}", parts.join(", ")),
    }
}

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::{Args, ValueHint};

use super::show::entries::details;
use crate::app::App;
use crate::error::Error;
use crate::hints;
use crate::hints::{did_you_mean, shell_word, trust_of};
use crate::input::STANDARD_STREAM;
use crate::near::{self, near_path};
use crate::options::{JsonOption, PlanOptions};
use crate::palette::{BAD, CAUTION, GOOD};
use crate::request::{self, Extra};
use crate::session::{PromptOptions, STDIN, read_standard_input};
use crate::summary::printed_lines;
use crate::trust::Ground;
use crate::ui::Ui;
use crate::visible::visible;
use ctx_core::account::{EntryState, FileRecord, Measures, Status, Tally};
use ctx_core::dependency::DependencyName;
use ctx_core::entry::Scope;
use ctx_core::fs::{real, with_tilde};
use ctx_core::plan::{
    Detail, DirectoryRecord, Effect, EntryEffect, Explained, ExplainedCommand, ExplainedEntry, FilesInParts,
    Plan, RuleRecord,
};
use ctx_core::report::{Hint, ReasonCode};
use ctx_core::select::{Label, Problem};
use ctx_core::source::kind::is_of_a_kind;
use ctx_core::words::{counted, figure, grouped, quoted, size, tokens};
use ctx_core::world::World;

/// Explain why a file is or isn't in the output
///
/// Lists the entries that match the file, the exclusion or ignore rule that leaves it out (with file and line),
/// how ctx reads it, and whether it fits the budget. An entry that isn't a file, such as `cmd:date`, `git:diff` or
/// `up:AGENTS.md`, is explained as a whole. Use the options of `ctx render` to explain what it would do with them.
/// With a question (-p), a file on no list is explained as a part of the answer of `ctx ask`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx explain src/main.rs
  ctx explain target/debug/build.log     find the ignore rule that leaves it out
  ctx explain -b 20k docs/guide.md       see if it is left out
  ctx explain src/undo.rs -p \"why?\"      see how much of it answers a question
  ctx explain up:AGENTS.md               explain it for each directory
  ctx explain --json notes.md | jq -r .status")]
pub struct Explain {
    /// The file, or an entry as stored
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    path: OsString,

    /// Also read the text on standard input, which takes part in choosing
    #[arg(value_name = "-", value_parser = [STANDARD_STREAM])]
    piped: Option<String>,

    #[command(flatten)]
    prompt: PromptOptions,

    #[command(flatten)]
    json: JsonOption,

    #[command(flatten)]
    plan: PlanOptions,
}

impl Explain {
    /// Prints what affects the file.
    pub fn run(self, app: &App) -> Result<(), Error> {
        // Only the JSON has hashes and positions.
        let detail = if self.json.json { Detail::Account } else { Detail::Counts };
        let mut extra =
            Extra { detail, count_exclusions: true, history_may_be_new: true, ..Extra::default() };
        self.read(app, &mut extra)?;
        // To name a file that is called like another kind of entry, you type './cmd:x'.
        let text = self.called();
        let (plan, found) = if is_of_a_kind(&text) {
            (request::plan(app, &self.plan, extra)?, Err(Problem::Missing))
        } else {
            let plan = request::plan_of_file(app, &self.plan, extra, &self.path)?;
            let found = self.explained(app, &plan);
            (plan, found)
        };
        let problem = match found {
            Ok(explained) if self.json.json => return app.ui.json(&explained),
            Ok(explained) => {
                let is_directory =
                    explained.reason.as_ref().is_some_and(|reason| reason.code == ReasonCode::IsDirectory);
                let below = is_directory.then(|| files_below(app, Path::new(&self.path), &plan));
                // One of the unusable entries may match the file.
                app.ui.notices(plan.unusable_entries().as_slice());
                if self.piped.is_none() {
                    self.prompt.note_unread_input(app);
                }
                app.ui.data(|out| write(out, &explained, below, &plan, &app.ui))?;
                self.hint_to_add(app, &explained);
                return Ok(());
            }
            Err(problem) => problem,
        };
        let scripts = Ground::around(app)?.scripts;
        // In the plan, a dependency is named with the version that is here.
        let entries = plan.request().entries.iter().map(|scoped| &scoped.entry.path);
        let labels = entries.filter(|path| DependencyName::spellings(path).contains(&text)).cloned();
        let explained = app
            .spellings(&text, Scope::Profile)
            .into_iter()
            .chain(labels)
            .find_map(|path| plan.explain_entry(&path, app.world(), scripts))
            .ok_or_else(|| self.no_such(&problem, app.world()))?;
        if self.json.json {
            app.ui.json(&explained)
        } else {
            let profile = app.named_profile().map(|name| name.to_string());
            let trust = trust_of(profile.as_deref());
            app.ui.data(|out| write_entry(out, &explained, &plan.measures(), &trust))
        }
    }

    /// Reads the prompt and the text beside it.
    fn read(&self, app: &App, extra: &mut Extra) -> Result<(), Error> {
        if self.piped.is_some() {
            read_standard_input(app, STDIN, &self.plan, extra)?;
        }
        self.prompt.read(app, &self.plan, extra).map(drop)
    }

    /// A typed path is relative to the current directory; if nothing exists there, a label works as well.
    fn explained(&self, app: &App, plan: &Plan) -> Result<Explained, Problem> {
        let world = app.world();
        match plan.explain(&self.path, world) {
            Err(Problem::Missing) => plan.explain(&self.path, app.base(Scope::Profile)),
            explained => explained,
        }
    }

    /// Suggests adding a file that can be added as it is.
    fn hint_to_add(&self, app: &App, explained: &Explained) {
        let can_be_added = match &explained.search {
            Some(Ok(())) => true,
            // Naming a file takes precedence over both.
            Some(Err(reason)) => matches!(reason.code, ReasonCode::Ignored | ReasonCode::Excluded),
            None => false,
        };
        if can_be_added && is_of_no_list(explained) && app.world().cwd.join(&self.path).exists() {
            app.ui.hint(format!("ctx add {}", shell_word(&self.called())));
        }
    }

    /// The path as printed.
    fn called(&self) -> String {
        match self.path.to_str() {
            Some(text) => text.to_owned(),
            None => Label::new(self.path.as_encoded_bytes()).to_string(),
        }
    }

    fn no_such(&self, problem: &Problem, world: &World) -> Error {
        let path = quoted(self.called());
        match problem {
            Problem::Invalid(error) => Error::usage(format!("Invalid path {path}: {error}")),
            problem => {
                let text = self.called();
                let problem = near::in_words(problem, &text, world);
                let error = Error::impossible(format!("cannot explain {path}: {problem}"));
                near_path(&text).into_iter().fold(error, |error, near| error.with_hint(did_you_mean(&near)))
            }
        }
    }
}

/// How many of the files below a directory are in the block, and how many are not: `2 files whole, 1 file left out`.
fn files_below(app: &App, directory: &Path, plan: &Plan) -> String {
    let world = app.world();
    let place = world.cwd.join(directory);
    let real = real(&place).unwrap_or(place);
    let label = |path: &Path| Label::new(path.as_os_str().as_encoded_bytes()).to_string();
    let prefix = match real.strip_prefix(&world.root) {
        Ok(below) if below.as_os_str().is_empty() => String::new(),
        Ok(below) => label(below) + "/",
        Err(_) => with_tilde(&label(&real), world.home.as_deref()) + "/",
    };
    let in_parts = FilesInParts::of(plan);
    let mut below: BTreeMap<&str, Vec<FileRecord>> = BTreeMap::new();
    for file in plan.records().filter(|file| file.file().starts_with(&prefix)) {
        below.entry(in_parts.status(&file).in_words()).or_default().push(file);
    }
    let in_words = |(status, files): (&str, Vec<FileRecord>)| {
        format!("{} {status}", counted(in_parts.count(files.into_iter()), "file"))
    };
    let counts: Vec<String> = below.into_iter().map(in_words).collect();
    if counts.is_empty() { "no entry matches a file in it".to_owned() } else { counts.join(", ") }
}

fn write(
    out: &mut impl Write,
    explained: &Explained,
    below: Option<String>,
    plan: &Plan,
    ui: &Ui,
) -> io::Result<()> {
    let estimated = plan.request().measure.estimated;
    let lack = match &plan.request().looked_through {
        Some(_) => "for this question, ",
        None if plan.lacks_question() => "without a question, ",
        None => "",
    };
    let headline = match below {
        Some(below) => format!("a directory: {below}"),
        None => headline(explained, estimated, ui),
    };
    writeln!(out, "{lack}{} is {headline}", visible(&explained.path))?;
    for line in lines(explained, plan.request().looked_through.as_deref()) {
        writeln!(out, "  {}", visible(&line))?;
    }
    Ok(())
}

/// Writes the state of an entry that is not a file, where it was looked up, and its documents.
fn write_entry(
    out: &mut impl Write,
    explained: &ExplainedEntry,
    measures: &Measures,
    trust: &str,
) -> io::Result<()> {
    let ExplainedEntry { entry, directories, files, .. } = explained;
    let (text, scope) = (quoted(&entry.entry), entry.scope.name());
    writeln!(out, "{} ({scope}): {}", visible(&text), details(entry, measures))?;
    if let Some(command) = &explained.command {
        command_lines(command, entry.state, trust)
            .iter()
            .try_for_each(|line| writeln!(out, "  {}", visible(line)))?;
    }
    for DirectoryRecord { directory, name, problem } in directories {
        let name = name.as_deref().unwrap_or("none of the names");
        let problem = problem.as_ref().map_or_else(String::new, |problem| format!(", left out: {problem}"));
        writeln!(out, "  in {}: {}{}", visible(directory), visible(name), visible(&problem))?;
    }
    for file in files {
        let why = file
            .reason
            .as_ref()
            .map_or_else(|| measures.tokens(file.tokens).to_string(), |why| why.text.clone());
        let exit = file.exit.map_or_else(String::new, |exit| format!(", exit {exit}"));
        let outcome = printed(file.in_words());
        writeln!(out, "  [{}] is {outcome}: {}{exit}", visible(&file.path), visible(&why))?;
    }
    Ok(())
}

/// What a command runs and, if it does not run, why not; `trust` is what to type to trust it.
fn command_lines(command: &ExplainedCommand, state: EntryState, trust: &str) -> Vec<String> {
    let ExplainedCommand { line, directory, scripts, timeout_ms, max_output, only_success, ttl_ms, .. } =
        command;
    let mut lines = vec![format!("runs {line} in {directory}")];
    let only_success = if *only_success { ", used only if it succeeds" } else { "" };
    let again = match ttl_ms {
        Some(ttl) => format!(", output reused for {}s", ttl / 1_000),
        None => ", at every render".to_owned(),
    };
    let size = grouped(*max_output);
    lines.push(format!(
        "for at most {}s, at most {size} bytes of output{only_success}{again}",
        timeout_ms / 1_000
    ));
    if !scripts.is_empty() {
        lines.push(format!("trusted with {}", scripts.iter().map(quoted).collect::<Vec<_>>().join(", ")));
    }
    let why = match state {
        EntryState::NotTrusted => {
            format!("not trusted here: '{trust} --dry-run' shows it, '{trust}' trusts it")
        }
        EntryState::NotRun => "'ctx explain' runs no command, and no output is cached".to_owned(),
        EntryState::Cached => "its output is cached from a successful run".to_owned(),
        EntryState::Ok
        | EntryState::Missing
        | EntryState::NoMatches
        | EntryState::Exclusion
        | EntryState::Invalid
        | EntryState::Filtered
        | EntryState::Off
        | EntryState::Failed => return lines,
    };
    lines.push(why);
    lines
}

/// Whether no list has an entry that matches the file, and nothing else keeps it out.
fn is_of_no_list(explained: &Explained) -> bool {
    explained.reason.as_ref().is_some_and(|reason| reason.code == ReasonCode::NoEntry)
}

/// Why the file is not whole, and whether questions search it if it is on no list.
fn why(explained: &Explained) -> String {
    let why = explained.reason.as_ref().map_or("", |reason| reason.text.as_str());
    match &explained.search {
        Some(Ok(())) if is_of_no_list(explained) => format!("{why}; 'ctx ask' searches it"),
        Some(Err(reason)) if is_of_no_list(explained) => {
            format!("{why}, and 'ctx ask' doesn't search it: {}", reason.text)
        }
        Some(_) | None => why.to_owned(),
    }
}

fn headline(explained: &Explained, estimated: bool, ui: &Ui) -> String {
    let why = why(explained);
    let tokens = |count: u64| tokens(count, estimated);
    let taken = explained.file.as_ref().map_or(0, |file| file.tokens);
    let whole = explained.file.as_ref().and_then(|file| file.whole_tokens);
    let part = || match whole {
        Some(whole) => format!("{} of {}", figure(taken, estimated), tokens(whole)),
        None => tokens(taken),
    };
    let (style, rest) = match explained.status {
        Some(Status::Included) if why.is_empty() => (GOOD, tokens(taken)),
        Some(Status::Included | Status::Unchanged) => (GOOD, why),
        Some(Status::Outlined | Status::Truncated) => (CAUTION, format!("{}, {why}", part())),
        Some(Status::Dropped) => (BAD, format!("{}, {why}", tokens(whole.unwrap_or(0)))),
        Some(Status::Skipped) | None => (BAD, why),
    };
    let outcome = match &explained.file {
        Some(file) => file.in_words(),
        None => explained.status.unwrap_or(Status::Skipped).in_words(),
    };
    format!("{}: {}", ui.paint(printed(outcome), style), visible(&rest))
}

/// An outcome after "is".
fn printed(outcome: &str) -> String {
    match outcome {
        "whole" | "in part" => format!("printed {outcome}"),
        other => other.to_owned(),
    }
}

/// What affects the file, one line each. That a question looks through everything is not worth one.
fn lines(explained: &Explained, looked_through: Option<&str>) -> Vec<String> {
    let is_own = |matched: &&EntryEffect| Some(&*matched.entry) != looked_through;
    let mut lines: Vec<String> = explained.entries.iter().filter(is_own).map(entry).collect();
    let importer = explained.file.as_ref().and_then(|file| file.imported_by.as_ref());
    lines.extend(importer.map(ToString::to_string));
    lines.extend(explained.rule.as_ref().map(|rule| ignore_rule(rule, explained)));
    lines.extend(explained.dead_rule.as_ref().map(ToString::to_string));
    lines.extend(explained.secret_name.map(|rule| secret_name(rule, explained)));
    lines.extend(explained.file.iter().flat_map(reading));
    lines.extend(
        explained.other_ranges.iter().map(|file| format!("also [{}], {}", file.path, file.in_words())),
    );
    lines
}

fn entry(entry: &EntryEffect) -> String {
    let text = quoted(&entry.entry);
    let scope = entry.scope.name();
    let pinned = if entry.pinned { ", pinned" } else { "" };
    let matched = format!("matched by {text} ({scope}, {}{pinned})", entry.kind);
    match (entry.effect, &entry.excluded_by) {
        (Effect::Selects, _) => matched,
        (Effect::Excluded, Some(by)) => {
            let files = entry.excluded_files.map(|count| counted(count, "file"));
            let takes = files.map_or_else(String::new, |files| format!(", which excludes {files}"));
            format!("{matched}, excluded by {}{takes}", quoted(by))
        }
        (Effect::Excluded, None) => format!("{matched}, excluded"),
        (Effect::Ignored, _) => format!("{matched}, which honours ignore rules"),
        (Effect::SecretName, _) => format!("{matched}, which leaves out names that suggest secrets"),
        (Effect::InsideGit, _) => format!("{matched}, which never enters a git directory"),
        (Effect::DotFile, _) => format!("{matched}, which leaves out names that begin with a dot"),
        (Effect::Filtered, _) => format!("{matched}, which has none of the requested tags"),
        (Effect::Off, _) => format!("{matched}, which is turned off"),
        (Effect::OtherLines, _) => format!("{matched}, which names other lines"),
        (Effect::Unreached, _) => match &entry.unfollowed {
            Some(why) => format!("{matched}, which leaves it out: {why}"),
            None => format!("{matched}, which does not search it"),
        },
    }
}

fn ignore_rule(rule: &RuleRecord, explained: &Explained) -> String {
    let Some(pattern) = &rule.pattern else {
        let line = rule.line.map_or_else(String::new, |line| format!(":{line}"));
        return format!("ignored, because {}{line} cannot be read safely", rule.file);
    };
    let line = rule.line.unwrap_or_default();
    let told = format!("{}:{line}: {pattern}", rule.file);
    let overruled = explained.entries.iter().any(|entry| entry.effect == Effect::Selects);
    if !rule.ignores {
        format!("kept by {told}")
    } else if overruled {
        format!("overruled: {told}")
    } else {
        format!("ignored by {told}")
    }
}

fn secret_name(rule: &str, explained: &Explained) -> String {
    let reason = format!("its name suggests secrets ({rule})");
    let named = |entry: &&EntryEffect| {
        let is_own = matches!(entry.scope, Scope::Global | Scope::Profile);
        entry.effect == Effect::SecretName && entry.kind == "literal" && is_own
    };
    if explained.entries.iter().any(|entry| entry.effect == Effect::Selects) {
        format!("{reason}; included because you allowed it")
    } else if let Some(entry) = explained.entries.iter().find(named) {
        let is_global = entry.scope == Scope::Global;
        hints::with(reason, Some(&Hint::AllowSecretName { entry: entry.entry.clone(), is_global }))
    } else {
        let line = format!("ctx add --allow secret-names {}", shell_word(&explained.path));
        format!("{reason}; {} includes it", quoted(line))
    }
}

fn reading(file: &FileRecord) -> Vec<String> {
    let tallies = |tallies: &[Tally]| tallies.iter().map(Tally::to_string).collect::<Vec<_>>().join(", ");
    let mut lines = vec![format!("labelled [{}]", file.path)];
    lines.extend(printed_lines(file).filter(|_| file.only_competes));
    lines.extend(file.encoding.as_ref().map(|encoding| format!("read as {encoding}")));
    if !file.redacted.is_empty() {
        lines.push(format!("secrets redacted: {}", tallies(&file.redacted)));
    }
    if !file.revealed.is_empty() {
        lines.push(format!("hidden characters made visible: {}", tallies(&file.revealed)));
    }
    lines.extend(file.omitted_data.map(|bytes| format!("embedded data omitted: {}", size(bytes))));
    if let (Some(rank), Some(score)) = (file.rank, file.score) {
        lines.push(format!("rank {rank} by relevance, score {score:.3}"));
    }
    if file.pinned {
        lines.push("pinned: always whole".to_owned());
    }
    lines
}

use std::io::{self, Write};

use clap::Args;
use serde_json::{Value, json};

use crate::app::{App, Changed, named};
use crate::error::Error;
use crate::options::JsonOption;
use crate::palette::FAINT;
use crate::ui::Ui;
use crate::visible::visible;
use ctx_core::detect::{self, ContextFile, Detected, Loading};
use ctx_core::entry::Entry;
use ctx_core::store::{List, ListTarget, distinct};
use ctx_core::words::{counted, quoted, some_of};

/// Find AGENTS.md, CLAUDE.md, GEMINI.md and other tools' rule files
///
/// Looks for the files of other tools (AGENTS.md, CLAUDE.md, GEMINI.md, rules of Cursor, Copilot, Kiro and others)
/// from the current directory up to the root of the repository. If a rule's front matter makes it conditional (globs,
/// applyTo, paths, inclusion), ctx lists it as such, and so it does with an AGENTS.md, CLAUDE.md or GEMINI.md further
/// down, which is for the files in its directory. --add adds one for certain files with that condition (--when), and
/// leaves out one that waits for something else.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx detect             list the files
  ctx detect --add       add those that tools read to the active profile
  ctx detect --json | jq -r '.files[] | select(.loading == \"conditional\") | .path'")]
pub struct Detect {
    /// Add them to your list, those for certain files with --when
    #[arg(short, long)]
    add: bool,

    /// With --add, add to the global list, which is part of every profile
    #[arg(short, long, requires = "add")]
    global: bool,

    #[command(flatten)]
    json: JsonOption,
}

/// A file in the JSON format; the detail is the condition, the other file, or the reason.
fn as_json(found: &Detected, file: &ContextFile) -> Value {
    let (loading, detail) = match &file.loading {
        Loading::Always => ("always", None),
        Loading::Conditional(condition) => ("conditional", Some(condition.told.as_str())),
        Loading::SameAs(other) => ("same-file", Some(other.as_str())),
        Loading::Refused(why) => ("refused", Some(why.as_str())),
    };
    let mut row = json!({"path": file.path, "entry": found.entry, "loading": loading});
    if let Some(detail) = detail {
        row["detail"] = detail.into();
    }
    row
}

/// The result of --add.
#[derive(Default)]
struct Addition {
    /// Entries that were added.
    added: Vec<String>,
    /// Entries that are already on the list.
    present: Vec<String>,
    /// Entries that are already on the global list.
    present_globally: Vec<String>,
}

impl Detect {
    /// Lists the context files, or adds them.
    pub fn run(self, app: &App) -> Result<(), Error> {
        app.check_named()?;
        let found = detect::detect(app.world())?;
        let addition = if self.add { Some(add(app, self.global, &found)?) } else { None };
        if found.is_empty() {
            app.ui.note("no context files here");
        }
        if self.json.json {
            let files: Vec<Value> = files(&found).map(|(found, file)| as_json(found, file)).collect();
            let mut report = json!({"version": 1, "files": files});
            if let Some(Addition { added, present, present_globally }) = addition {
                report["added"] = added.into();
                report["present"] = present.into();
                report["present_globally"] = present_globally.into();
            }
            app.ui.json(&report)?;
        } else if !self.add {
            app.ui.data(|out| files(&found).try_for_each(|(_, file)| write(out, file, &app.ui)))?;
        }
        Ok(())
    }
}

fn files(found: &[Detected]) -> impl Iterator<Item = (&Detected, &ContextFile)> {
    found.iter().flat_map(|found| found.files.iter().map(move |file| (found, file)))
}

fn write(out: &mut impl Write, file: &ContextFile, ui: &Ui) -> io::Result<()> {
    let path = visible(&file.path);
    match remark(&file.loading) {
        None => writeln!(out, "{path}"),
        Some(remark) => {
            writeln!(out, "{path} {}", ui.paint(format!("({})", visible(&remark)), FAINT))
        }
    }
}

fn remark(loading: &Loading) -> Option<String> {
    match loading {
        Loading::Always => None,
        Loading::Conditional(condition) => Some(format!("conditional, {}", condition.told)),
        Loading::SameAs(other) => Some(format!("same file as {other}")),
        Loading::Refused(why) => Some(why.clone()),
    }
}

/// Adds files that are not on the list yet, in one change to the store; those that are for certain files with a condition.
fn add(app: &App, global: bool, found: &[Detected]) -> Result<Addition, Error> {
    let all: Vec<String> = found.iter().flat_map(Detected::unconditional).collect();
    // `up:NAME` also finds the file in the current directory.
    let always = distinct(&all).filter(|path| !all.contains(&format!("up:{path}"))).map(Entry::of_tool);
    let wanted: Vec<Entry> = always.chain(found.iter().flat_map(Detected::conditional)).collect();
    let Changed { target, value: addition } = app.change(global, |store, target| {
        let mut addition = Addition::default();
        let scope = store.before()?.provenance(target)?.scope;
        for entry in &wanted {
            let path = app.kept_as(&entry.path, scope)?.text;
            if *target != ListTarget::Global && holds(store.list_mut(&ListTarget::Global)?, &path) {
                addition.present_globally.push(path);
                continue;
            }
            let list = store.list_mut(target)?;
            if holds(list, &path) {
                addition.present.push(path);
            } else {
                list.add(Entry { path: path.clone(), ..entry.clone() })?;
                addition.added.push(path);
            }
        }
        Ok(addition)
    })?;
    tell(app, &target, &addition, found);
    Ok(addition)
}

/// Whether a list has an entry for a name: either the name itself or `up:NAME`.
fn holds(list: &List, path: &str) -> bool {
    list.position(path).is_some() || list.position(&format!("up:{path}")).is_some()
}

fn tell(app: &App, target: &ListTarget, addition: &Addition, found: &[Detected]) {
    for path in &addition.added {
        app.ui.confirm(format!("Added {} to {}", quoted(path), named(target)));
    }
    for (present, target) in [(&addition.present, target), (&addition.present_globally, &ListTarget::Global)]
    {
        for path in present {
            app.ui.note(format!("{} is already in {}", quoted(path), named(target)));
        }
    }
    let conditional =
        |loading: &Loading| matches!(loading, Loading::Conditional(condition) if condition.when.is_empty());
    let refused = |loading: &Loading| matches!(loading, Loading::Refused(_));
    for (what, names) in
        [("conditional file", named_if(found, conditional)), ("file", named_if(found, refused))]
    {
        if !names.is_empty() {
            let count = counted(names.len(), what);
            app.ui.note(format!("{count} left out: {}; 'ctx detect' shows why", some_of(&names)));
        }
    }
}

fn named_if(found: &[Detected], wanted: impl Fn(&Loading) -> bool) -> Vec<String> {
    files(found).filter(|(_, file)| wanted(&file.loading)).map(|(_, file)| quoted(&file.path)).collect()
}

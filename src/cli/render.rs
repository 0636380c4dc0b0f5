use std::io::Write;
use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueHint};

use super::app::App;
use super::error::{Error, Failure, Outcome};
use super::options::PlanOptions;
use super::request::{self, Extra, GivenText};
use super::{input, output, summary};
use crate::entry::Entry;
use crate::plan::{Detail, Notice, Plan};

/// The path that means standard input.
const STANDARD_INPUT: &str = "-";

/// Print the current contents of everything that is kept, within the budget
///
/// The block goes to standard output, the prompt after it; notes and warnings go to standard error.
/// PATHs are used for this one block, after the stored entries; `-` is the text on standard input.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx render -p \"Where is the bug?\" | llm                  context and question
  git diff | ctx render - -p \"Review this\" | llm           with the text on standard input
  ctx render --only 'src/**/*.rs' -b 60k -o block.txt      just these, into a file
  git ls-files -z | ctx render --only --files-from - -0    the paths that another program names
  ctx render --strict --manifest account.json > block.txt  for CI: all of it, or exit 3")]
pub struct Render {
    /// Files, directories, patterns and exclusions for this one block; `-` is standard input
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    paths: Vec<String>,

    /// Leave the stored entries out
    #[arg(long)]
    only: bool,

    /// Read more paths from a file, a line each; `-` is standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    files_from: Option<PathBuf>,

    /// The paths of --files-from are separated by NUL
    #[arg(short = '0', long, requires = "files_from")]
    null: bool,

    /// The label of the text on standard input
    #[arg(long, value_name = "NAME", default_value = "stdin", value_parser = NonEmptyStringValueParser::new())]
    stdin_name: String,

    /// The message to the model, after the block
    #[arg(short, long, value_name = "TEXT", conflicts_with = "prompt_file")]
    prompt: Option<String>,

    /// Read the message from a file; `-` is standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    prompt_file: Option<PathBuf>,

    #[command(flatten)]
    plan: PlanOptions,

    /// Put a tree of the files in front
    #[arg(long, help_heading = "Budget and form")]
    tree: bool,

    /// Write to a file instead of standard output, whole or not at all
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    output: Option<PathBuf>,

    /// Print a summary on standard error
    #[arg(long, help_heading = "Output")]
    stats: bool,

    /// Print what would be in the block, and no block
    #[arg(long, help_heading = "Output")]
    dry_run: bool,

    /// With --dry-run: print JSON
    #[arg(long, requires = "dry_run", help_heading = "Output")]
    json: bool,

    /// Write the account of all files to a file, as JSON
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    manifest: Option<PathBuf>,

    /// Print nothing and exit 3 if anything selected was left out, cut, redacted or unreadable
    #[arg(long, help_heading = "Safety")]
    strict: bool,
}

impl Render {
    /// Prints the block.
    pub fn run(self, app: &App) -> Result<Outcome, Error> {
        self.check_standard_input()?;
        let extra = self.extra(app)?;
        let prompt = self.prompt(app)?;
        let plan = request::plan(app, &self.plan, extra)?;
        let notices = plan.notices();
        if self.strict {
            refuse(&plan, &notices)?;
        }
        app.ui.notices(&notices);
        if self.dry_run {
            return self.print_plan(app, &plan);
        }
        plan.fits()?;
        if let Some(path) = &self.manifest {
            let account = plan.account();
            output::write(&app.world().cwd.join(path), path, |out| {
                serde_json::to_writer_pretty(&mut *out, &account)?;
                out.write_all(b"\n")
            })?;
        }
        match &self.output {
            Some(path) => output::write(&app.world().cwd.join(path), path, |mut out| {
                plan.write(&mut out, prompt.as_deref())
            })?,
            None => app.ui.data(|out| plan.write(out, prompt.as_deref()))?,
        }
        if self.stats {
            app.ui.report(&summary::statistics(&plan.account()));
        }
        Ok(Outcome::Done)
    }

    /// At most one part of the command line may read standard input.
    fn check_standard_input(&self) -> Result<(), Error> {
        let dashes = self.paths.iter().filter(|path| *path == STANDARD_INPUT).count();
        let files = [&self.prompt_file, &self.files_from].into_iter().flatten();
        let readers = dashes + files.filter(|path| path.as_os_str() == STANDARD_INPUT).count();
        if readers > 1 {
            return Err(Error::usage(
                "only one of '-', --prompt-file - and --files-from - can read standard input",
            )
            .with_hint("put one of the texts into a file"));
        }
        Ok(())
    }

    fn extra(&self, app: &App) -> Result<Extra, Error> {
        let mut session: Vec<Entry> = Vec::new();
        let mut given = None;
        for path in &self.paths {
            if path == STANDARD_INPUT {
                let bytes = input::standard()?;
                given = Some(GivenText { label: self.stdin_name.clone(), bytes, at: session.len() });
            } else {
                session.push(Entry::new(path));
            }
        }
        if let Some(list) = &self.files_from {
            session.extend(input::paths(&app.world().cwd, list, self.null)?.into_iter().map(Entry::new));
        }
        let outputs = [&self.output, &self.manifest].into_iter().flatten().cloned().collect();
        let detail = if self.manifest.is_some() || self.json {
            Detail::Account
        } else if self.stats || self.dry_run {
            Detail::Counts
        } else {
            Detail::Block
        };
        Ok(Extra { session, given, only_session: self.only, tree: self.tree, outputs, detail })
    }

    fn prompt(&self, app: &App) -> Result<Option<String>, Error> {
        match (&self.prompt, &self.prompt_file) {
            (Some(prompt), _) => Ok(Some(prompt.clone())),
            (None, Some(file)) => input::text(&app.world().cwd, file).map(Some),
            (None, None) => Ok(None),
        }
    }

    fn print_plan(&self, app: &App, plan: &Plan) -> Result<Outcome, Error> {
        let account = plan.account();
        match self.json {
            true => app.ui.json(&account)?,
            false => app.ui.data(|out| summary::write_files(out, &account, &app.ui))?,
        }
        plan.fits()?;
        Ok(Outcome::Done)
    }
}

/// Fails with every reason why the block is not all that was selected.
fn refuse(plan: &Plan, notices: &[Notice]) -> Result<(), Error> {
    let mut reasons: Vec<String> =
        notices.iter().filter(|notice| notice.strict).map(ToString::to_string).collect();
    if let Err(error) = plan.fits() {
        reasons.push(error.to_string());
        return Err(Error::several(Failure::Strict, reasons));
    }
    if reasons.is_empty() {
        return Ok(());
    }
    Err(Error::several(Failure::Strict, reasons)
        .with_hint("nothing was printed; without --strict it would be"))
}

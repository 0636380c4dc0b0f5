mod outputs;
pub mod typed;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueHint};
use outputs::Outputs;

use crate::app::App;
use crate::conversation::Unknown;
use crate::error::{Error, Failure, Outcome};
use crate::input::{self, STANDARD_STREAM};
use crate::options::PlanOptions;
use crate::output::{Output, is_stream};
use crate::request::{self, Extra, SessionText};
use crate::summary;
use crate::texts::Commands;
use ctx_core::entry::ScopedEntry;
use ctx_core::fs::expanded;
use ctx_core::plan::{Detail, Notice, Plan};
use ctx_core::read::DEFAULT_MAX_BYTES;
use ctx_core::reference::Prompt;
use ctx_core::select::entry_of;
use ctx_core::trust::Fingerprint;

/// Print the current contents of everything that is kept, within the budget
///
/// The block goes to standard output, the prompt after it; notes and warnings go to standard error.
/// PATHs are used for this one block, after the stored entries; `-` is the text on standard input.
#[derive(Debug, Args)]
#[command(
    after_help = "",
    after_long_help = "Examples:
  ctx render -p \"Where is the bug?\" | llm                  context and question
  git diff | ctx render - -p \"Review this\" | llm           with the text on standard input
  ctx render --only 'src/**/*.rs' -b 60k -o block.txt      just these, into a file
  git ls-files -z | ctx render --only --files-from - -0    the paths that another program names
  ctx render --strict --manifest account.json > block.txt  for CI: all of it, or exit 3"
)]
pub struct Render {
    #[command(flatten)]
    block: Block,

    /// Write to a file instead of standard output, whole or not at all
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output", conflicts_with = "dry_run")]
    output: Option<PathBuf>,

    /// Print what would be in the block, and no block
    #[arg(long, help_heading = "Output")]
    dry_run: bool,

    /// With --dry-run: print JSON
    #[arg(hide_short_help = true, long, requires = "dry_run", help_heading = "Output")]
    json: bool,
}

/// What goes into a block, for one that is printed and for one that a program gets.
#[derive(Debug, Args)]
pub struct Block {
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
    #[arg(hide_short_help = true, short = '0', long, requires = "files_from")]
    null: bool,

    /// The label of the text on standard input
    #[arg(hide_short_help = true, long, value_name = "NAME", default_value = "stdin", value_parser = NonEmptyStringValueParser::new())]
    stdin_name: String,

    /// The message to the model, after the block
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with = "prompt_file")]
    prompt: Option<String>,

    /// Read the message from a file; `-` is standard input
    #[arg(hide_short_help = true, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    prompt_file: Option<PathBuf>,

    /// Leave `@` references in the message alone
    #[arg(hide_short_help = true, long)]
    no_refs: bool,

    #[command(flatten)]
    plan: PlanOptions,

    /// Put a tree of the files in front
    #[arg(hide_short_help = true, long, help_heading = "Budget and form")]
    tree: bool,

    /// Print a summary on standard error
    #[arg(hide_short_help = true, long, help_heading = "Output")]
    stats: bool,

    /// Write the account of all files to a file, as JSON
    #[arg(hide_short_help = true, long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    manifest: Option<PathBuf>,

    /// Run the stored commands if this is the digest of what needs trust here ('ctx trust --dry-run')
    #[arg(hide_short_help = true, long, value_name = "DIGEST", help_heading = "Safety")]
    trust: Option<Fingerprint>,

    /// Print nothing and exit 3 if anything selected was left out, cut, redacted or unreadable
    #[arg(hide_short_help = true, long, help_heading = "Safety")]
    strict: bool,
}

impl Render {
    /// Prints the block.
    pub fn run(mut self, app: &App) -> Result<Outcome, Error> {
        let home = app.world().home.as_deref();
        self.output = self.output.map(|file| expanded(&file, home));
        let output = self.output.as_ref().filter(|path| path.as_os_str() != STANDARD_STREAM).cloned();
        let detail = match (self.json, self.dry_run) {
            (true, _) => Detail::Account,
            (false, true) => Detail::Counts,
            (false, false) => Detail::Block,
        };
        let manner = Manner { output: output.as_deref(), detail, runs: !self.dry_run, ..Manner::default() };
        let Prepared { plan, prompt, .. } = self.block.prepare(app, manner)?;
        if !self.dry_run {
            fits(&plan)?;
        }
        let manifest = self.block.write_manifest(app, &plan)?;
        let is_blank = plan.is_blank() && prompt.is_none();
        let printed = match output {
            _ if self.dry_run => self.print_plan(app, &plan),
            // Read by nobody, and written over with nothing: that would only lose it.
            Some(path) if is_blank && plan.met_outputs() => {
                app.ui.warn(format!("nothing was written to '{}'", path.display()));
                Ok(())
            }
            output => print_block(app, &plan, output.as_ref(), prompt.as_deref()),
        };
        // The account is the same if nobody reads the block to its end.
        if printed.as_ref().err().is_none_or(is_closed_pipe) {
            manifest.map_or(Ok(()), Output::commit)?;
        }
        printed?;
        self.block.print_statistics(app, &plan);
        fits(&plan)?;
        // The process is about to end: giving a large plan back piece by piece would only take time.
        std::mem::forget(plan);
        Ok(Outcome::Done)
    }

    fn print_plan(&self, app: &App, plan: &Plan) -> Result<(), Error> {
        let account = plan.account();
        match self.json {
            true => app.ui.json(&account),
            false => app.ui.data(|out| summary::write_files(out, &account, &app.ui)),
        }
    }
}

/// How a block is made.
#[derive(Debug, Clone, Copy, Default)]
pub struct Manner<'a> {
    /// The file that it is written to, if it is written to one.
    pub output: Option<&'a Path>,
    /// How much has to be known of it.
    pub detail: Detail,
    /// Whether commands may run.
    pub runs: bool,
    /// What becomes of a history that does not exist yet.
    pub unknown_history: Unknown,
}

/// A block that is about to be printed, after everything was said of it.
#[derive(Debug)]
pub struct Prepared {
    /// The plan of it.
    pub plan: Plan,
    /// The prompt after it.
    pub prompt: Option<String>,
    /// The prompt as it was typed.
    pub typed_prompt: Option<String>,
}

impl Block {
    /// Plans the block and says what a person should know about it.
    ///
    /// # Errors
    /// Wrong usage, whatever is in the way of a plan, and what a strict caller does not accept.
    pub fn prepare(&mut self, app: &App, manner: Manner<'_>) -> Result<Prepared, Error> {
        self.manifest = self.manifest.take().map(|file| expanded(&file, app.world().home.as_deref()));
        self.check_standard_input()?;
        self.check_outputs(app, manner.output)?;
        let mut extra = self.extra(app, manner)?;
        let typed_prompt = self.typed_prompt(app)?;
        let prompt = typed_prompt.as_deref().map(|text| extra.take_prompt(self.looked_up(app, text)));
        extra.prompt.clone_from(&prompt);
        let plan = request::plan(app, &self.plan, extra)?;
        typed::check(&plan)?;
        let notices = plan.notices();
        let is_blank = plan.is_blank() && prompt.is_none();
        if self.strict
            && let Err(error) = refuse(&plan, &notices, is_blank)
        {
            self.write_manifest(app, &plan)?.map_or(Ok(()), Output::commit)?;
            return Err(error);
        }
        app.ui.notices(&notices);
        Ok(Prepared { plan, prompt, typed_prompt })
    }

    /// The options of a plan.
    pub fn options(&self) -> &PlanOptions {
        &self.plan
    }

    /// Whether there is a prompt, be it in a file.
    pub fn has_prompt(&self) -> bool {
        self.prompt.is_some() || self.prompt_file.is_some()
    }

    /// Prints the summary, if it was asked for.
    pub fn print_statistics(&self, app: &App, plan: &Plan) {
        if self.stats {
            app.ui.report(&summary::statistics(&plan.totals()));
        }
    }

    /// What is written is nothing that is needed.
    fn check_outputs(&self, app: &App, output: Option<&Path>) -> Result<(), Error> {
        let standard = self.paths.iter().map(Path::new).find(|path| input::is_standard(path));
        let inputs = [self.prompt_file.as_deref(), self.files_from.as_deref(), standard];
        Outputs { block: output, manifest: self.manifest.as_deref() }.check(app, inputs.into_iter().flatten())
    }

    /// The manifest, written and ready to be put in its place once the block is out.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_manifest(&self, app: &App, plan: &Plan) -> Result<Option<Output>, Error> {
        let Some(path) = &self.manifest else { return Ok(None) };
        let account = plan.account();
        let mut file = Output::open(&app.world().cwd.join(path), path)?;
        let written = file.write(|out| {
            serde_json::to_writer_pretty(&mut *out, &account)?;
            out.write_all(b"\n")
        });
        match written {
            // The block is the same if nobody reads the account to its end.
            Err(error) if is_closed_pipe(&error) => Ok(None),
            written => written.map(|()| Some(file)),
        }
    }

    /// At most one part of the command line may read standard input.
    fn check_standard_input(&self) -> Result<(), Error> {
        let dashes = self.paths.iter().filter(|path| input::is_standard(Path::new(path))).count();
        let files = [&self.prompt_file, &self.files_from].into_iter().flatten();
        let readers = dashes + files.filter(|path| input::is_standard(path)).count();
        if readers > 1 {
            return Err(Error::usage(
                "only one of '-', --prompt-file - and --files-from - can read standard input",
            )
            .with_hint("put one of the texts into a file"));
        }
        Ok(())
    }

    fn extra(&self, app: &App, manner: Manner<'_>) -> Result<Extra, Error> {
        let mut session: Vec<ScopedEntry> = Vec::new();
        let mut texts = Vec::new();
        for path in &self.paths {
            if input::is_standard(Path::new(path)) {
                let bytes = input::document(self.largest_input())?;
                texts.push(SessionText { entry: session.len(), label: self.stdin_name.clone(), bytes });
            }
            session.push(ScopedEntry::typed(entry_of(path, app.world())));
        }
        if let Some(list) = &self.files_from {
            session.extend(input::paths(&app.world().cwd, list, self.null)?);
        }
        let outputs = [manner.output, self.manifest.as_deref()].into_iter().flatten();
        // What stands behind a standard stream is known by its number.
        let outputs = outputs.filter(|path| !is_stream(path)).map(Path::to_owned).collect();
        let detail = match manner.detail {
            _ if self.manifest.is_some() => Detail::Account,
            Detail::Block if self.stats => Detail::Counts,
            detail => detail,
        };
        let commands = if manner.runs { Commands::Run(self.trusted(app)?) } else { Commands::NotRun };
        Ok(Extra {
            session,
            texts,
            only_session: self.only,
            tree: self.tree,
            outputs,
            detail,
            commands,
            unknown_history: manner.unknown_history,
            ..Extra::default()
        })
    }

    /// The digest of what may run for this one block.
    fn trusted(&self, app: &App) -> Result<Option<Fingerprint>, Error> {
        let variable = app.environment.ctx_trust.as_ref().map(|digest| digest.to_string_lossy().parse());
        match (self.trust, variable) {
            (Some(digest), _) => Ok(Some(digest)),
            (None, Some(digest)) => {
                digest.map(Some).map_err(|error| Error::usage(format!("$CTX_TRUST: {error}")))
            }
            (None, None) => Ok(None),
        }
    }

    fn typed_prompt(&self, app: &App) -> Result<Option<String>, Error> {
        match (&self.prompt, &self.prompt_file) {
            (Some(prompt), _) => Ok(Some(prompt.clone())),
            (None, Some(file)) => input::text(&app.world().cwd, file).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// A prompt with its references, unless they are not to be looked for.
    fn looked_up(&self, app: &App, text: &str) -> Prompt {
        match self.no_refs {
            true => Prompt::plain(text.to_owned()),
            false => Prompt::of(text, app.world()),
        }
    }

    /// The most bytes that are read as a document from standard input.
    fn largest_input(&self) -> u64 {
        self.plan.selection.max_file_size.unwrap_or(DEFAULT_MAX_BYTES)
    }
}

fn is_closed_pipe(error: &Error) -> bool {
    error.failure() == Failure::ClosedPipe
}

/// Whether the block fits.
///
/// # Errors
/// Why it does not.
pub fn fits(plan: &Plan) -> Result<(), Error> {
    Ok(plan.fits()?)
}

/// Prints the block on standard output, or puts it into a file.
fn print_block(app: &App, plan: &Plan, output: Option<&PathBuf>, prompt: Option<&str>) -> Result<(), Error> {
    match output {
        None => app.ui.data(|mut out| plan.write(&mut out, prompt)),
        Some(path) => {
            let mut file = Output::open(&app.world().cwd.join(path), path)?;
            file.write(|mut out| plan.write(&mut out, prompt))?;
            file.commit()
        }
    }
}

/// Fails with every reason why the block is not everything that was selected.
fn refuse(plan: &Plan, notices: &[Notice], is_blank: bool) -> Result<(), Error> {
    let mut reasons: Vec<String> =
        notices.iter().filter(|notice| notice.strict).map(ToString::to_string).collect();
    if let Err(error) = plan.fits() {
        reasons.push(error.to_string());
        return Err(Error::several(Failure::Strict, reasons));
    }
    if reasons.is_empty() {
        return Ok(());
    }
    let error = Error::several(Failure::Strict, reasons);
    match is_blank {
        true => Err(error),
        false => Err(error.with_hint("nothing was printed; without --strict it would be")),
    }
}

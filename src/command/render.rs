pub mod outputs;
mod places;
pub mod typed;

use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use outputs::{SinceOption, check_outputs};

use crate::app::App;
use crate::asked_places;
use crate::conversation::hint_to_continue;
use crate::error::{Error, Failure};
use crate::hints::{self, quoted_word};
use crate::input::STANDARD_STREAM;
use crate::looks::{Looks, of_root};
use crate::namer::Namer;
use crate::options::PlanOptions;
use crate::output::{Output, is_stream};
use crate::request::{self, Extra, More};
use crate::session::SessionOptions;
use crate::summary;
use crate::text_makers;
use crate::trust::{Commands, TrustOption};
use crate::visible::write_visible_json;
use ctx_core::account::Account;
use ctx_core::budget::FitError;
use ctx_core::fs::expanded;
use ctx_core::naming::NamesRequest;
use ctx_core::plan::{Detail, FilesToWrite, Measure, NeededRoom, Plan, RoomFor};
use ctx_core::report::{Hint, Notice, NoticeKind};
use ctx_core::words::{grouped, tokens};

/// Print your files and a prompt within the token budget
///
/// Prints your files to standard output, followed by the prompt. Notes and warnings go to standard error. PATHs
/// are used once, after your stored entries; `-` is the text on standard input. A budget that you set covers
/// the prompt, too; the default leaves it out.
#[derive(Debug, Args)]
#[command(
    after_help = "",
    after_long_help = "Examples:
  ctx render -p \"Where is the bug?\" | llm                  send your files and a question
  git diff | ctx render - -p \"Review this\" | llm           include the text on standard input
  ctx render --only 'src/**/*.rs' -b 60k -o block.txt      write only these to a file
  git ls-files -z | ctx render --only --files-from - -0    read paths from another program
  ctx render --strict --manifest account.json > block.txt  in CI: print everything, or exit 3"
)]
pub struct Render {
    #[command(flatten)]
    block: Block,

    #[command(flatten)]
    destination: Destination,
}

/// Where a block is printed, or what is printed instead.
#[derive(Debug, Args)]
pub struct Destination {
    /// Write to a file instead of standard output, completely or not at all
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output", conflicts_with = "dry_run")]
    output: Option<PathBuf>,

    /// List what would be printed instead of printing it
    #[arg(long, help_heading = "Output")]
    dry_run: bool,

    /// Print the --dry-run list as JSON
    #[arg(
        hide_short_help = true,
        hide_long_help = true,
        long,
        conflicts_with = "output",
        help_heading = "Output"
    )]
    json: bool,

    /// Whether to list the places in the block instead of printing it.
    #[arg(skip)]
    pub(super) lists_places: bool,
}

/// The contents of a block, whether it is printed or sent to a program.
#[derive(Debug, Args)]
pub struct Block {
    #[command(flatten)]
    pub(super) session: SessionOptions,

    #[command(flatten)]
    pub(super) plan: PlanOptions,

    /// What a question searches for besides its own words.
    #[arg(skip)]
    pub(super) more: More,

    /// Who chooses more of it, if anybody does.
    #[arg(skip)]
    pub(super) namer: Option<Namer>,

    /// Start with a tree of the files
    #[arg(hide_short_help = true, long, help_heading = "Budget and form")]
    tree: bool,

    /// Print a summary on standard error
    #[arg(hide_short_help = true, hide_long_help = true, long, help_heading = "Output")]
    stats: bool,

    /// Write a list of all files, and what happened to each, to a file as JSON
    #[arg(hide_short_help = true, long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    manifest: Option<PathBuf>,

    #[command(flatten)]
    since: SinceOption,

    #[command(flatten)]
    trust: TrustOption,

    /// Print nothing and exit 3 if anything selected was left out, in part or redacted
    #[arg(hide_short_help = true, long, help_heading = "Safety")]
    strict: bool,
}

impl Render {
    /// Prints the block.
    pub fn run(self, app: &App) -> Result<(), Error> {
        self.destination.print(app, self.block, Looks::AtEntries)
    }
}

impl Destination {
    /// Whether the block goes somewhere other than standard output, or is not printed at all.
    pub fn is_chosen(&self) -> bool {
        self.output.is_some() || self.is_list()
    }

    /// Whether what would be printed is only listed.
    pub fn is_list(&self) -> bool {
        self.dry_run || self.json
    }

    /// Prints a block.
    pub fn print(mut self, app: &App, mut block: Block, looks: Looks) -> Result<(), Error> {
        self.dry_run |= self.json;
        let home = app.world().home.as_deref();
        self.output = self.output.map(|file| expanded(&file, home));
        let output = self.output.as_ref().filter(|path| path.as_os_str() != STANDARD_STREAM).cloned();
        let detail = if self.json {
            Detail::Account
        } else if self.dry_run {
            Detail::Counts
        } else {
            Detail::Block
        };
        let manner = Manner {
            output: output.as_deref(),
            detail,
            runs: !self.dry_run,
            hides_dry_run: self.dry_run || self.lists_places,
            looks,
            prints_rest: output.is_none(),
            ..Manner::default()
        };
        let Prepared { plan, message, missing } = block.prepare(app, manner)?;
        if !self.dry_run {
            block.or_account(app, &plan, fits_or_lists(&plan, block.strict))?;
        }
        let manifest =
            if self.dry_run { block.write_account(app, &plan)? } else { block.write_manifest(app, &plan)? };
        let is_blank = plan.is_blank() && message.is_none();
        let printed = match output {
            // The failure is told as JSON on standard error, and nothing else is.
            _ if self.json && plan.block().is_err() => Ok(()),
            _ if self.json => app.ui.json(&plan.account_to_write()),
            _ if self.dry_run => summary::print_files(app, &plan, &plan.account_without_files(), None),
            // The file wasn't read as input, so writing nothing to it would only destroy its contents.
            Some(path) if is_blank && plan.met_outputs() => {
                app.ui.warn(format!("nothing was written to '{}'", path.display()));
                Ok(())
            }
            None if self.lists_places => places::print(app, &plan),
            None => print_block(app, &plan, None).inspect(|()| note_what_scrolled_by(app, &plan)),
            Some(path) => print_block(app, &plan, Some(&path)),
        };
        // The account is the same even if nobody reads the block to its end.
        if printed.as_ref().err().is_none_or(is_closed_pipe) {
            manifest.map_or(Ok(()), Output::commit)?;
        }
        printed?;
        block.print_statistics(app, &plan);
        fits(&plan, block.strict)?;
        // The process is about to end; freeing a large plan piece by piece would only take time.
        std::mem::forget(plan);
        missing.map_or(Ok(()), Err)
    }
}

/// How a block is made.
#[derive(Debug, Clone, Copy, Default)]
pub struct Manner<'a> {
    /// The file to write it to, if any.
    pub output: Option<&'a Path>,
    /// How much detail is needed.
    pub detail: Detail,
    /// Whether commands may run.
    pub runs: bool,
    /// Whether `--dry-run` would not help: a list of what is in the block follows anyway, or the command has no such option.
    pub hides_dry_run: bool,
    /// Whether a history that doesn't exist yet is accepted.
    pub history_may_be_new: bool,
    /// Where the contents of the block come from.
    pub looks: Looks,
    /// Whether files are printed if others are missing, unless there is a prompt.
    pub prints_rest: bool,
}

/// A block that is about to be printed; all messages about it have been printed.
#[derive(Debug)]
pub struct Prepared {
    /// Its plan.
    pub plan: Plan,
    /// The message that follows it, as it was before its references were looked up.
    pub message: Option<String>,
    /// The files among several that are missing, if the others are printed anyway.
    pub missing: Option<Error>,
}

impl Block {
    /// Plans the block and prints the messages about it.
    ///
    /// # Errors
    /// On wrong usage, on whatever prevents a plan, and on anything that a strict caller doesn't accept.
    pub fn prepare(&mut self, app: &App, manner: Manner<'_>) -> Result<Prepared, Error> {
        self.manifest = self.manifest.take().map(|file| expanded(&file, app.world().home.as_deref()));
        self.session.check_standard_input()?;
        self.since.expand(app);
        let (manifest, since) = (self.manifest.as_deref(), self.since.file());
        check_outputs(app, manner.output, manifest, since, self.session.inputs())?;
        let mut extra = self.extra(app, manner)?;
        let message = self.session.read(app, &self.plan, &mut extra)?;
        manner.looks.have_a_question(message.as_deref())?;
        let more = extra.more.clone();
        let mut request = request::requested(app, &self.plan, extra)?;
        manner.looks.have_a_text_if_named(app, &request)?;
        let text = match manner.looks {
            Looks::ThroughEverything => Some("question"),
            Looks::AtEntries | Looks::ThroughHere => message.as_ref().map(|_| "prompt"),
        };
        let limited = self.plan.selection.max_file_size.is_some();
        if let Some(namer) = &self.namer {
            let first = request::planned(app, NamesRequest::first_search(&request))?;
            typed::check(app.world(), &first, limited, text)?;
            let named = if first.is_empty() { None } else { namer.choose(app, &first, manner.runs)? };
            named
                .into_iter()
                .for_each(|named| request::search_for_named(app, &mut request, more.clone(), named));
        }
        let plan = request::planned(app, request)?;
        let missing = if manner.prints_rest && message.is_none() && !self.strict {
            typed::check_rest(app.world(), &plan, limited, text)?
        } else {
            typed::check(app.world(), &plan, limited, text).map(|()| None)?
        };
        if plan.is_empty() {
            self.or_account(app, &plan, manner.looks.are_not_in_vain(app, &plan))?;
        }
        if let Err(error) = manner.looks.find_something_new(&plan) {
            // The reader keeps what it has.
            self.write_manifest(app, &plan)?.map_or(Ok(()), Output::commit)?;
            return Err(error);
        }
        let mut notices = plan.notices();
        notices.extend(typed::with_blanks(app.world(), &plan));
        if manner.hides_dry_run {
            let is_told = |notice: &&mut Notice| notice.hint == Some(Hint::ShowPlan);
            notices.iter_mut().filter(is_told).for_each(|notice| notice.hint = None);
        }
        let is_blank = plan.is_blank() && message.is_none();
        if self.strict {
            self.or_account(app, &plan, refuse(app, &plan, &notices, is_blank))?;
        }
        notices.retain(|notice| !manner.looks.is_beside_the_question(notice));
        app.ui.notices(&notices);
        if manner.looks == Looks::ThroughEverything {
            let places =
                message.as_deref().map_or_else(Vec::new, |message| asked_places::notes(message, &plan));
            places.iter().chain(&text_makers::note_of_unread(&plan)).for_each(|text| app.ui.note(text));
        }
        if manner.looks == Looks::ThroughEverything {
            if plan.is_vague() {
                hint_to_continue(app, &plan);
            }
            let lacks = |notice: &Notice| notice.kind == NoticeKind::Trimmed && notice.strict.is_some();
            if plan.block().is_ok() && notices.iter().any(lacks) {
                room_for_question(&plan).into_iter().for_each(|hint| app.ui.hint(hint));
            }
        }
        self.session.note_unread_input(app);
        Ok(Prepared { plan, message, missing })
    }

    /// Whether an option says what the block looks like.
    pub fn has_form(&self) -> bool {
        self.tree || self.plan.budget.format.is_some() || self.plan.budget.line_numbers
    }

    /// Whether nothing may be printed if there is anything to warn about.
    pub fn is_strict(&self) -> bool {
        self.strict
    }

    /// Prints the summary, if requested.
    pub fn print_statistics(&self, app: &App, plan: &Plan) {
        if self.stats {
            app.ui.report(&summary::statistics(plan));
        }
    }

    /// Writes the account if there will be no block, which is when you need it most.
    ///
    /// # Errors
    /// The reason why there is no block, or that the account can't be written.
    pub fn or_account(&self, app: &App, plan: &Plan, verdict: Result<(), Error>) -> Result<(), Error> {
        if verdict.is_err() {
            self.write_account(app, plan)?.map_or(Ok(()), Output::commit)?;
        }
        verdict
    }

    /// Writes the manifest of a block that is being printed; it is moved into place once the block is out.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn write_manifest(&self, app: &App, plan: &Plan) -> Result<Option<Output>, Error> {
        self.write(app, || Account { reader: plan.reader(), ..plan.account_to_write() })
    }

    /// Writes the account of a block that isn't printed.
    fn write_account(&self, app: &App, plan: &Plan) -> Result<Option<Output>, Error> {
        self.write(app, || plan.account_to_write())
    }

    fn write<'p>(
        &self,
        app: &App,
        account: impl FnOnce() -> Account<FilesToWrite<'p>>,
    ) -> Result<Option<Output>, Error> {
        let Some(path) = &self.manifest else { return Ok(None) };
        let account = account();
        let mut file = Output::open(&app.world().cwd.join(path), path)?;
        let written = file.write(|out| write_visible_json(out, &account));
        match written {
            // The block is the same even if nobody reads the account to its end.
            Err(error) if is_closed_pipe(&error) => Ok(None),
            written => written.map(|()| Some(file)),
        }
    }

    fn extra(&self, app: &App, manner: Manner<'_>) -> Result<Extra, Error> {
        // Like the output files, the manifest of what the reader has isn't a document.
        let outputs = [manner.output, self.manifest.as_deref(), self.since.file()].into_iter().flatten();
        // A file behind a standard stream is recognised by its number.
        let outputs = outputs.filter(|path| !is_stream(path)).map(Path::to_owned).collect();
        let detail = if self.manifest.is_some() {
            Detail::Account
        } else if (self.stats || self.strict && !manner.looks.through()) && manner.detail == Detail::Block {
            Detail::Counts
        } else {
            manner.detail
        };
        let commands = if manner.runs { Commands::Run } else { Commands::NotRun };
        Ok(Extra {
            tree: self.tree,
            since: self.since.read(app)?,
            outputs,
            detail,
            sums_everything: self.strict,
            commands,
            trust: self.trust.digest(app)?,
            reads: manner.runs,
            // Any question may start a conversation.
            history_may_be_new: manner.history_may_be_new || manner.looks.through(),
            looks: manner.looks,
            more: self.more.clone(),
            count_exclusions: !manner.runs && manner.looks == Looks::AtEntries,
            ..Extra::default()
        })
    }
}

fn is_closed_pipe(error: &Error) -> bool {
    error.failure == Failure::ClosedPipe
}

/// Checks whether the block fits; `is_strict` if everything has to.
///
/// # Errors
/// If it doesn't, with the reason.
pub fn fits(plan: &Plan, is_strict: bool) -> Result<(), Error> {
    plan.block().map(|_| ()).map_err(|error| request::does_not_fit(&error, plan, is_strict))
}

/// The same as [`fits`]; if files are too large, the error names the option that lists their tokens.
///
/// # Errors
/// See [`fits`].
pub fn fits_or_lists(plan: &Plan, is_strict: bool) -> Result<(), Error> {
    plan.block().map(|_| ()).map_err(|error| {
        let too_large = match &error {
            FitError::FrameOver { .. } | FitError::Unread => None,
            FitError::NothingFits { nearest, .. } => Some(nearest),
            FitError::PinnedOver { pinned, .. } => pinned.iter().max_by_key(|cost| cost.tokens),
        };
        let is_listed = too_large.is_some_and(|cost| !is_command(plan, &cost.label));
        // With --strict, nothing is listed either.
        let without = if is_strict { " without --strict" } else { "" };
        let lists = is_listed.then(|| format!("--dry-run{without} lists the tokens of each file"));
        let error = request::does_not_fit(&error, plan, is_strict);
        lists.into_iter().fold(error, Error::and_hint)
    })
}

/// Whether a document is the output of a command, which a dry run would not run.
fn is_command(plan: &Plan, label: &str) -> bool {
    let mut sources = plan.items().iter().map(|item| &item.source);
    sources.any(|source| source.command.is_some() && source.label.as_str() == label)
}

/// More tokens than fit on a screen.
const SCREENFUL: u64 = 1_000;

/// Notes what to do with a block that is too long to be read on a terminal.
fn note_what_scrolled_by(app: &App, plan: &Plan) {
    if !app.ui.is_terminal() {
        return;
    }
    let printed = plan.token_counts().printed();
    if printed > SCREENFUL {
        let tokens = tokens(printed, plan.request().measure.estimated);
        app.ui.note(format!("{tokens}; '-o FILE' writes them to a file, '| llm' sends them to a program"));
    }
}

/// Prints the block on standard output or writes it to a file.
fn print_block(app: &App, plan: &Plan, output: Option<&PathBuf>) -> Result<(), Error> {
    let block = plan.block().map_err(|error| request::does_not_fit(&error, plan, false))?;
    match output {
        None => app.ui.data(|mut out| block.write(&mut out)),
        Some(path) => {
            let mut file = Output::open(&app.world().cwd.join(path), path)?;
            file.write(|mut out| block.write(&mut out))?;
            file.commit()
        }
    }
}

/// Fails with every reason why the block doesn't contain everything that was selected.
fn refuse(app: &App, plan: &Plan, notices: &[Notice], is_blank: bool) -> Result<(), Error> {
    let reason = |notice: &Notice| {
        let refused = notice.strict.as_ref()?;
        let hint = notice.hint.as_ref().filter(|_| *refused == notice.text);
        Some((notice.kind, hints::with(refused, hint)))
    };
    let (kinds, reasons): (Vec<NoticeKind>, Vec<String>) = notices.iter().filter_map(reason).unzip();
    if let Err(mut error) = fits_or_lists(plan, true) {
        let is_about_files = matches!(plan.block(), Err(FitError::NothingFits { .. }));
        if is_about_files && plan.request().looked_through.is_none() {
            error.hints[0] = how_to_fit_everything(app, plan);
        }
        return Err(error.after(reasons, Failure::Strict));
    }
    if reasons.is_empty() {
        return Ok(());
    }
    let error = Error::several(Failure::Strict, reasons);
    let is_known = |kind: &NoticeKind| matches!(kind, NoticeKind::Trimmed | NoticeKind::Redacted);
    let (secrets, is_trimmed) = (way_out_of_secrets(app, plan), kinds.contains(&NoticeKind::Trimmed));
    Err(if kinds.iter().all(is_known) && (is_trimmed || secrets.is_some()) {
        let fits = is_trimmed.then(|| how_to_fit_everything(app, plan));
        fits.into_iter().chain(secrets).fold(error, Error::and_hint)
    } else if is_blank {
        error
    } else {
        error.with_hint("nothing was printed because of --strict")
    })
}

/// What accepts redacted secrets or leaves their file out, if there are any.
fn way_out_of_secrets(app: &App, plan: &Plan) -> Option<String> {
    let mut redacted = plan.redacted();
    redacted.dedup();
    let allow = "--allow secrets prints what was redacted";
    match redacted.as_slice() {
        [] => None,
        [Some(path)] => {
            let is_below = !path.starts_with(['~', '/']);
            let path = if is_below { of_root(app.world(), path) } else { (*path).to_owned() };
            Some(format!("{allow}, {} leaves the file out", quoted_word(&format!("!{path}"))))
        }
        _ => Some(allow.to_owned()),
    }
}

const PRINT_WHAT_FITS: &str = "leave out --strict to print what fits";

/// The option with a budget that everything fits or, if there is none, how to print what fits.
fn how_to_fit_everything(app: &App, plan: &Plan) -> String {
    if plan.request().looked_through.is_some() {
        return room_for_question(plan).unwrap_or_else(|| PRINT_WHAT_FITS.to_owned());
    }
    let enough = plan.tokens_of_everything(app.world().threads);
    let enough = enough.and_then(|enough| budget_for(enough, "everything", &plan.request().measure));
    enough.unwrap_or_else(|| PRINT_WHAT_FITS.to_owned())
}

/// The option with a budget that has room for what a question names or its best answer, if the window has.
fn room_for_question(plan: &Plan) -> Option<String> {
    let NeededRoom { tokens, of } = plan.needed_room()?;
    let what = match of {
        RoomFor::Named => "what you named",
        RoomFor::List => "your list; 'ctx add --pin FILE' keeps a file at any budget",
        RoomFor::Best => "what answers best",
    };
    budget_for(tokens, what, &plan.request().measure)
}

/// The option with a budget of about this many tokens, unless they are more than the window of the model that was named.
fn budget_for(tokens: u64, what: &str, measure: &Measure) -> Option<String> {
    let enough = rounded_up(tokens);
    let text = format!("-b {} has room for {what}", short(enough));
    if enough <= measure.window {
        return Some(text);
    }
    let window = grouped(measure.window);
    measure.assumes_window().then(|| format!("{text}; without -m MODEL, ctx assumes a window of {window}"))
}

/// The next number with at most two digits other than zeros at its end.
fn rounded_up(tokens: u64) -> u64 {
    let unit = 10_u64.pow(tokens.max(1).ilog10().saturating_sub(1));
    tokens.div_ceil(unit).saturating_mul(unit)
}

/// A budget as a person would type it.
fn short(tokens: u64) -> String {
    if tokens.is_multiple_of(1_000) { format!("{}k", tokens / 1_000) } else { tokens.to_string() }
}

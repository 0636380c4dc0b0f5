//! What the command line adds to the stored entries for one block, and the message after it; the same for
//! `render`, `run` and `show`.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::builder::NonEmptyStringValueParser;
use clap::{ArgAction, Args, ValueHint};

use super::app::App;
use super::dependencies;
use super::environment::input_is_waiting;
use super::error::Error;
use super::input::{self, STANDARD_STREAM};
use super::options::PlanOptions;
use super::request::Extra;
use ctx_core::entry::{Entry, ScopedEntry};
use ctx_core::fs::expanded;
use ctx_core::plan::UserMessage;
use ctx_core::read::DEFAULT_MAX_BYTES;
use ctx_core::reference::Prompt;
use ctx_core::report::{Notice, NoticeKind};
use ctx_core::select::{EntryId, Label, entry_of};
use ctx_core::source::Provided;
use ctx_core::tree::Tree;

/// Session entries and the prompt.
#[derive(Debug, Default, Args)]
pub struct SessionOptions {
    /// Files, directories, patterns and exclusions to use just this once; `-` is standard input
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    paths: Vec<OsString>,

    /// Leave out your stored entries
    #[arg(long)]
    only: bool,

    /// Read more paths from a file, one per line; `-` is standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    files_from: Option<PathBuf>,

    /// The paths of --files-from are separated by NUL
    #[arg(hide_short_help = true, short = '0', long, requires = "files_from")]
    null: bool,

    /// The label of the text on standard input [default: stdin]
    #[arg(hide_short_help = true, hide_long_help = true, long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    stdin_name: Option<String>,

    #[command(flatten)]
    prompt: PromptOptions,
}

/// The prompt.
#[derive(Debug, Default, Args)]
pub struct PromptOptions {
    /// Your message to the model, after the files; repeat for paragraphs
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with = "prompt_file", action = ArgAction::Append)]
    prompt: Vec<String>,

    /// Read the prompt from a file; `-` is standard input
    #[arg(hide_short_help = true, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    prompt_file: Option<PathBuf>,

    /// Leave `@` references in the prompt alone
    #[arg(hide_short_help = true, hide_long_help = true, long)]
    no_refs: bool,
}

/// The label of the text on standard input.
pub const STDIN: &str = "stdin";

/// Adds the text on standard input to `extra`.
///
/// # Errors
/// If it can't be read.
pub fn read_standard_input(
    app: &App,
    label: &str,
    options: &PlanOptions,
    extra: &mut Extra,
) -> Result<(), Error> {
    let bytes = input::document(app, options.selection.max_file_size.unwrap_or(DEFAULT_MAX_BYTES))?;
    extra.texts.push(Provided {
        entries: vec![EntryId(extra.session.len())],
        label: label.into(),
        content: Ok(bytes.into()),
        command: None,
    });
    extra.session.push(typed(OsStr::new(STANDARD_STREAM), app));
    Ok(())
}

/// The entry for an argument. An argument that is not UTF-8 is a path, byte for byte, and messages use its
/// label as its name.
fn typed(path: &OsStr, app: &App) -> ScopedEntry {
    match path.to_str() {
        Some(text) => ScopedEntry::typed(entry_of(text, app.world())),
        None => {
            let called = Entry::new(Label::new(path.as_encoded_bytes()).to_string());
            ScopedEntry { exact: Some(path.into()), ..ScopedEntry::typed(called) }
        }
    }
}

impl SessionOptions {
    /// Whether there is a prompt, even in a file; a blank one does not count.
    pub fn has_prompt(&self) -> bool {
        let PromptOptions { prompt, prompt_file, .. } = &self.prompt;
        prompt.iter().any(|prompt| !prompt.trim().is_empty()) || prompt_file.is_some()
    }

    /// Whether an option gives the prompt, even a blank one.
    pub fn has_prompt_option(&self) -> bool {
        !self.prompt.prompt.is_empty() || self.prompt.prompt_file.is_some()
    }

    /// Uses a question as the message; if there already is one, it becomes the first path.
    pub fn ask(&mut self, question: Option<String>) {
        let Some(question) = question else { return };
        if self.has_prompt_option() {
            self.paths.insert(0, question.into());
        } else if question == STANDARD_STREAM {
            self.prompt.prompt_file = Some(question.into());
        } else {
            self.prompt.prompt.push(question);
        }
    }

    /// The files that are read because an option or `-` names them.
    pub fn inputs(&self) -> impl Iterator<Item = &Path> {
        let standard = self.paths.iter().map(Path::new).find(|path| input::is_standard(path));
        [self.prompt.prompt_file.as_deref(), self.files_from.as_deref(), standard].into_iter().flatten()
    }

    /// Checks that at most one part of the command line reads standard input.
    ///
    /// # Errors
    /// Wrong usage, if several do.
    pub fn check_standard_input(&self) -> Result<(), Error> {
        let dashes = self.paths.iter().filter(|path| input::is_standard(Path::new(path))).count();
        let files = [&self.prompt.prompt_file, &self.files_from].into_iter().flatten();
        let readers = dashes + files.filter(|path| input::is_standard(path)).count();
        if readers > 1 {
            return Err(Error::usage(
                "only one of '-', --prompt-file - and --files-from - can read standard input",
            )
            .with_hint("put one of the texts in a file"));
        }
        Ok(())
    }

    /// Notes that a text was piped to a question that doesn't read it. By now, the files have been read, so the other
    /// program has had some time to write.
    pub fn note_unread_input(&self, app: &App) {
        if !self.inputs().any(input::is_standard) {
            self.prompt.note_unread_input(app);
        }
    }

    /// Adds these options to `extra`, and returns the message as it was before its references were looked up.
    ///
    /// # Errors
    /// If standard input or a named file cannot be read.
    pub fn read(&self, app: &App, options: &PlanOptions, extra: &mut Extra) -> Result<Option<String>, Error> {
        extra.only_session = self.only;
        check_link(app, self.files_from.as_deref())?;
        for path in &self.paths {
            if input::is_standard(Path::new(path)) {
                let label = self.stdin_name.as_deref().unwrap_or(STDIN);
                read_standard_input(app, label, options, extra)?;
                continue;
            }
            let dependencies = path.to_str().map(|text| dependencies::entries(text, app)).transpose()?;
            match dependencies.flatten() {
                Some(entries) => extra.session.extend(entries),
                None => extra.session.push(typed(path, app)),
            }
        }
        if self.stdin_name.is_some() && extra.texts.is_empty() {
            let text = "--stdin-name has no effect without the path '-'".to_owned();
            extra.notices.push(Notice::warning(NoticeKind::Filters, text));
        }
        if let Some(list) = &self.files_from {
            extra.session.extend(input::paths(app, list, self.null)?);
        }
        self.prompt.read(app, options, extra)
    }
}

/// Checks that a relative path does not lead out of the tree through a link from a checkout.
///
/// # Errors
/// If it does.
pub fn check_link(app: &App, path: Option<&Path>) -> Result<(), Error> {
    let home = app.world().home.as_deref();
    let is_relative = |path: &&Path| !expanded(path, home).has_root() && !input::is_standard(path);
    let Some(path) = path.filter(is_relative) else { return Ok(()) };
    match Tree::around(app.world()).left_through_link(&input::located(app.world(), path)) {
        Some(real) => Err(Error::link_outside(&path.display().to_string(), &real)),
        None => Ok(()),
    }
}

impl PromptOptions {
    /// Notes that a text was piped and nothing reads it, if a prompt is typed.
    pub fn note_unread_input(&self, app: &App) {
        if !self.prompt.is_empty() && input_is_waiting() {
            app.ui.note("standard input was not read; the path '-' adds it");
        }
    }

    /// Adds the prompt and its references to `extra`, and returns the message as it was before these were looked
    /// up.
    ///
    /// # Errors
    /// If standard input or the named file cannot be read.
    pub fn read(&self, app: &App, options: &PlanOptions, extra: &mut Extra) -> Result<Option<String>, Error> {
        let allowed = options.safety.allowed();
        check_link(app, self.prompt_file.as_deref())?;
        let prompt = match (&self.prompt[..], &self.prompt_file) {
            ([], None) => return Ok(None),
            ([], Some(file)) => UserMessage::read(input::prompt(app, file)?, allowed),
            (paragraphs, _) => UserMessage::typed(paragraphs.join("\n\n"), allowed),
        };
        let message = prompt.text.clone();
        let referring =
            if self.no_refs { Prompt::plain(prompt.text) } else { Prompt::of(&prompt.text, app.world()) };
        extra.session.extend(referring.entries);
        extra.notices.extend(referring.notices);
        extra.prompt = Some(UserMessage { text: referring.text, ..prompt });
        let file = self.prompt_file.as_deref().filter(|file| !input::is_standard(file));
        extra.prompt_file = file.map(|file| input::located(app.world(), file));
        Ok(Some(message))
    }
}

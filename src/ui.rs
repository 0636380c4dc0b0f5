//! The only place that writes to standard output and standard error. It decides on colour, quiet, quoting and
//! closed pipes.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, Write};

use clap::ValueEnum;
use clap::builder::StyledStr;
use owo_colors::{Style, Styled};
use serde::Serialize;
use terminal_size::{Height, Width, terminal_size_of};
use unicode_width::UnicodeWidthChar;

use super::environment::Environment;
use super::error::Error;
use super::hints;
use super::palette::{BAD, CAUTION, GOOD, MARK, PLAIN};
use super::visible::{visible, visible_lines, visible_within, width, write_json, write_visible_json};
use ctx_core::guard::Findings;
use ctx_core::report::{Notice, Severity};

/// When to colour the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Even in a pipe.
    Always,
    /// Not even on a terminal.
    Never,
}

/// The longest message, in characters. Longer ones lose their middle, so that the reason at the end is readable
/// after a name of thousands of characters.
const LONGEST_MESSAGE: usize = 1000;

/// The longest note or warning on a terminal, in characters.
const LONGEST_ON_TERMINAL: usize = 240;

/// How much further continuation lines are indented than the first line.
const FURTHER: usize = 4;

/// Writes data to standard output and everything for people to standard error.
#[derive(Debug, Clone, Copy)]
pub struct Ui {
    quiet: bool,
    color_out: bool,
    color_err: bool,
    err_is_terminal: bool,
    /// Whether a person is watching standard error, so that progress can be shown there.
    pub is_watched: bool,
    /// Whether drawings may use non-ASCII characters.
    pub unicode: bool,
    /// The width of the terminal in columns, if standard output is one.
    pub columns: Option<usize>,
    /// The same for standard error.
    err_columns: Option<usize>,
}

impl Ui {
    /// Decides once what is coloured and what is silent.
    pub fn new(color: Color, quiet: bool, environment: &Environment) -> Self {
        let colored = |is_terminal: bool| match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto if environment.no_color => false,
            Color::Auto if environment.force_color => true,
            Color::Auto => is_terminal && !environment.dumb_terminal,
        };
        let columns = |size: Option<(Width, Height)>| size.map(|(width, _)| usize::from(width.0));
        Self {
            quiet,
            color_out: colored(io::stdout().is_terminal()),
            color_err: colored(io::stderr().is_terminal()),
            err_is_terminal: io::stderr().is_terminal(),
            unicode: environment.unicode,
            is_watched: !quiet && !environment.ci && !environment.dumb_terminal && io::stderr().is_terminal(),
            columns: columns(terminal_size_of(io::stdout())),
            err_columns: columns(terminal_size_of(io::stderr())),
        }
    }

    /// Whether a person is reading standard output as it appears.
    pub fn is_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// `text` in at most `columns`, with its middle cut out if it is longer, since paths are recognised by their
    /// ends.
    pub fn shortened(&self, text: &str, columns: usize) -> String {
        if width(text) <= columns {
            return text.to_owned();
        }
        let gap = if self.unicode { "…" } else { "..." };
        let room = columns.saturating_sub(width(gap));
        let head = within(text.chars(), room / 3);
        let tail = within(text.chars().rev(), room - room / 3);
        format!("{head}{gap}{}", tail.chars().rev().collect::<String>())
    }

    /// `text` in lines of at most this width, broken between words if possible; one line without a terminal.
    pub fn wrapped(&self, text: &str, width: usize) -> Vec<String> {
        match self.columns {
            Some(_) => filled(text, textwrap::Options::new(width.max(1))),
            None => vec![text.to_owned()],
        }
    }

    /// Writes text indented by this many spaces; if the terminal is too narrow, the text continues on lines
    /// that are indented further.
    ///
    /// # Errors
    /// Errors from writing to `out`.
    pub fn write_text(
        &self,
        out: &mut impl Write,
        indent: usize,
        text: &str,
        style: Style,
    ) -> io::Result<()> {
        let (first, rest) = (" ".repeat(indent), " ".repeat(indent + FURTHER));
        let Some(columns) = self.columns else { return writeln!(out, "{first}{}", self.paint(text, style)) };
        let options = textwrap::Options::new(columns.max(indent + 2 * FURTHER));
        let lines = filled(text, options.initial_indent(&first).subsequent_indent(&rest));
        lines.iter().try_for_each(|line| writeln!(out, "{}", self.paint(line, style)))
    }

    /// `text` in `style`, if standard output is coloured.
    pub fn paint<T: Display>(&self, text: T, style: Style) -> Styled<T> {
        shown_in(self.color_out, style).style(text)
    }

    /// Writes data to standard output through `write`.
    ///
    /// # Errors
    /// If standard output cannot take it; a closed pipe is an error that ends `ctx` quietly.
    pub fn data(
        &self,
        write: impl FnOnce(&mut BufWriter<io::StdoutLock<'static>>) -> io::Result<()>,
    ) -> Result<(), Error> {
        widen_pipe();
        let mut out = BufWriter::with_capacity(64 * 1024, io::stdout().lock());
        write(&mut out).and_then(|()| out.flush()).map_err(Error::standard_output)
    }

    /// Writes a value as pretty-printed JSON without secrets to standard output.
    ///
    /// # Errors
    /// As [`Ui::data`].
    pub fn json(&self, value: &impl Serialize) -> Result<(), Error> {
        self.data(|out| write_visible_json(out, value))
    }

    /// Writes a value as JSON including secrets, for another `ctx` to read or for a person to see before
    /// trusting it.
    ///
    /// # Errors
    /// As [`Ui::data`].
    pub fn whole_json(&self, value: &impl Serialize) -> Result<(), Error> {
        self.data(|out| write_json(out, value))
    }

    /// Confirms that something was done; silenced by `--quiet`.
    pub fn confirm(&self, message: impl Display) {
        if !self.quiet {
            self.line(None, &visible(&message.to_string()));
        }
    }

    /// Prints a note; silenced by `--quiet`.
    pub fn note(&self, message: impl Display) {
        if !self.quiet {
            self.line(Some(("note", MARK)), &self.whole(message));
        }
    }

    /// Says what ctx waits for, even with `--quiet`: nobody could tell otherwise why nothing happens.
    pub fn waits(&self, message: impl Display) {
        self.line(Some(("note", MARK)), &self.whole(message));
    }

    /// Prints a warning; silenced by `--quiet`.
    pub fn warn(&self, message: impl Display) {
        if !self.quiet {
            self.line(Some(("warning", CAUTION)), &self.whole(message));
        }
    }

    /// Warns about anything that was redacted or made visible in the output.
    pub fn warn_of(&self, found: &Findings) {
        if !found.is_empty() {
            self.warn(format!("{found}; --raw leaves them as they are"));
        }
    }

    /// A message on one line, shortened only if it contains names of thousands of characters, and on a terminal to
    /// a few lines; its end, which has the reason, is kept.
    fn whole(&self, message: impl Display) -> String {
        let longest = if self.err_is_terminal { LONGEST_ON_TERMINAL } else { LONGEST_MESSAGE };
        visible_within(&message.to_string(), longest)
    }

    /// Prints messages about a plan.
    pub fn notices(&self, notices: &[Notice]) {
        for notice in notices {
            let text = hints::with(notice, notice.hint.as_ref());
            match notice.level {
                Severity::Note => self.note(text),
                Severity::Warning => self.warn(text),
                Severity::Hint => self.hint(text),
            }
        }
    }

    /// Prints what to do next.
    pub fn hint(&self, text: impl Display) {
        if !self.quiet {
            self.line(Some(("hint", GOOD)), &self.whole(text));
        }
    }

    /// Prints text that was requested on standard error (`--stats`); never silenced.
    pub fn report(&self, text: &str) {
        let mut err = io::stderr().lock();
        let _ = err.write_all(text.as_bytes());
    }

    /// Prints an error and what to do next; never silenced.
    pub fn error(&self, error: &Error) {
        for message in &error.messages {
            self.line(Some(("error", BAD.bold())), &visible_within(message, LONGEST_MESSAGE));
        }
        for hint in &error.hints {
            self.line(Some(("hint", GOOD)), &visible_within(hint, LONGEST_MESSAGE));
        }
    }

    /// Prints an error and what to do next as one line of JSON; never silenced.
    pub fn error_as_json(&self, error: &Error) {
        if error.messages.is_empty() {
            return;
        }
        let joined = |lines: &[String]| {
            let lines: Vec<String> = lines.iter().map(|line| visible_within(line, LONGEST_MESSAGE)).collect();
            lines.join("; ")
        };
        let mut line = serde_json::json!({"error": joined(&error.messages)});
        if !error.hints.is_empty() {
            line["hint"] = joined(&error.hints).into();
        }
        line["exit"] = error.failure.code().into();
        self.report(&format!("{line}\n"));
    }

    /// Prints an error in the command line, in clap's words; never silenced.
    pub fn usage(&self, text: &StyledStr) {
        let plain = text.to_string();
        let shown = visible_lines(&plain);
        let is_plain = shown == plain;
        self.report(&if self.color_err && is_plain { text.ansi().to_string() } else { shown });
    }

    /// Prints help, in clap's words.
    ///
    /// # Errors
    /// As [`Ui::data`].
    pub fn help(&self, text: &StyledStr) -> Result<(), Error> {
        self.data(|out| if self.color_out { write!(out, "{}", text.ansi()) } else { write!(out, "{text}") })
    }

    /// Writes a message; on a terminal, in lines that end between words, except for a hint, which may be pasted.
    fn line(&self, label: Option<(&str, Style)>, message: &str) {
        let name = label.map_or_else(String::new, |(label, _)| format!("{label}: "));
        let whole = format!("{name}{message}");
        let lines = match self.err_columns.filter(|_| name != "hint: ") {
            Some(columns) => {
                let further = " ".repeat(FURTHER);
                filled(&whole, textwrap::Options::new(columns.max(2 * FURTHER)).subsequent_indent(&further))
            }
            None => vec![whole],
        };
        let mut text = lines.join("\n") + "\n";
        if let Some((label, style)) = label.filter(|_| text.starts_with(&name)) {
            text.replace_range(..label.len(), &shown_in(self.color_err, style).style(label).to_string());
        }
        // Nobody is left to tell if standard error itself is closed.
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }
}

/// A style, if colours are used.
fn shown_in(color: bool, style: Style) -> Style {
    if color { style } else { PLAIN }
}

/// A wide pipe lets writer and reader work at the same time; anything that is not a pipe stays as it is.
#[cfg(target_os = "linux")]
fn widen_pipe() {
    let _ = rustix::pipe::fcntl_setpipe_size(io::stdout(), 1 << 20);
}

#[cfg(not(target_os = "linux"))]
fn widen_pipe() {}

/// `text` in lines, broken only between words if possible.
pub fn filled(text: &str, options: textwrap::Options<'_>) -> Vec<String> {
    let options = options.word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::wrap(text, options).into_iter().map(Cow::into_owned).collect()
}

/// As many characters as fit in these columns.
fn within(chars: impl Iterator<Item = char>, columns: usize) -> String {
    let mut room = columns;
    chars
        .take_while(|char| match room.checked_sub(char.width().unwrap_or(0)) {
            Some(rest) => {
                room = rest;
                true
            }
            None => false,
        })
        .collect()
}

#[cfg(test)]
impl Ui {
    /// A `Ui` without colours, on a terminal with this many columns or without a terminal.
    pub fn of_width(columns: Option<usize>) -> Self {
        Self {
            quiet: false,
            color_out: false,
            color_err: false,
            err_is_terminal: false,
            is_watched: false,
            unicode: true,
            columns,
            err_columns: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortened_name_keeps_its_beginning_and_end() {
        let ascii = Ui { unicode: false, ..Ui::of_width(None) };
        assert_eq!(ascii.shortened("src/main.rs", 11), "src/main.rs");
        assert_eq!(ascii.shortened("src/some/where/main.rs", 15), "src/.../main.rs");
        assert_eq!(Ui { unicode: true, ..ascii }.shortened("日本語日本語", 7), "日…本語");
    }
}

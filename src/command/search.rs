mod name;
mod order;
mod place_of_use;

use std::borrow::Cow;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use serde_json::{Value, json};

use crate::app::App;
use crate::command::render::typed;
use crate::command::search::name::{Found, MOST_GUESSED, Sought, Uses};
use crate::command::search::place_of_use::Use;
use crate::dependencies;
use crate::environment::input_is_given;
use crate::error::Error;
use crate::hints::shell_word;
use crate::input::{self, STANDARD_STREAM};
use crate::looks::Looks;
use crate::options::{BudgetOptions, JsonOption, PlanOptions, SafetyOptions, SelectionOptions, count};
use crate::palette::{FAINT, STRONG};
use crate::request::{self, Extra};
use crate::session::check_link;
use crate::text_makers;
use crate::ui::Ui;
use crate::visible::{argument, visible, visible_lines};
use ctx_core::budget::Budget;
use ctx_core::entry::ScopedEntry;
use ctx_core::fs::{Notation, resolved};
use ctx_core::plan::{Hit, Plan, Purpose};
use ctx_core::report::{Notice, NoticeKind, Severity};
use ctx_core::select::entry_of;
use ctx_core::source::git::CommitsRecord;
use ctx_core::world::World;

/// How many passages are printed by default.
const MOST: usize = 10;

/// How many lines that use a name are printed by default.
const MOST_USES: usize = 40;

/// Find the passages here that best match a query
///
/// Searches everything below the current directory (or only the PATHs), and entries added with --search,
/// wherever they are. It respects ignore rules. It finds the words of the query in all their forms, and in
/// parts of identifiers: `parse header` finds `parseHeaders`. For the exact name of a declaration, it prints
/// the declaration, and then the lines that use the name, code before tests and comments; for any other name,
/// such as that of a field, two places with it, first where it is defined, and then the other lines. It does the
/// same for several such names, and for a text with punctuation, word for word: `Cache-Control: no-store`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx search 'rotate the keys'              print the best passages in all files here
  ctx search -n 3 -C 5 parse_header src     print the best three in src, with five lines of context
  cargo test 2>&1 | ctx search -            look for what a program printed
  ctx add --search '~/notes/**/*.md'        search these notes wherever you are")]
pub struct Search {
    /// What to look for: a question, words, an identifier; `-` is standard input
    #[arg(value_name = "QUERY")]
    query: Option<String>,

    /// Search these files, directories and patterns
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    paths: Vec<String>,

    /// Read the query from a file; `-` is standard input
    #[arg(hide_short_help = true, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    prompt_file: Option<PathBuf>,

    /// Print at most this many passages, and lines that use a name [default: 10, and 40 lines]
    #[arg(short = 'n', long = "number", value_name = "N", value_parser = passages)]
    most: Option<NonZeroUsize>,

    /// Print only the matching lines, with this many lines of context, as grep does [default: whole passages]
    #[arg(short = 'C', long, value_name = "N")]
    context: Option<usize>,

    /// Rank files without looking at the messages of earlier commits
    #[arg(hide_short_help = true, long)]
    no_git_history: bool,

    #[command(flatten)]
    json: JsonOption,

    #[command(flatten)]
    selection: SelectionOptions,

    #[command(flatten)]
    safety: SafetyOptions,
}

impl Search {
    /// The query and, if a file has it, that file; then the first argument is a path like the others. A missing query is
    /// read from standard input if something is piped to it.
    ///
    /// # Errors
    /// If there is none, or the file or standard input cannot be read.
    fn asked(&mut self, app: &App) -> Result<(String, Option<PathBuf>), Error> {
        let file = match (self.prompt_file.take(), self.query.take()) {
            (None, Some(query)) if query != STANDARD_STREAM => return Ok((query, None)),
            (None, None) if !input_is_given() => {
                return Err(
                    Error::usage("the query is missing").with_hint("ctx search \"where is the bug?\"")
                );
            }
            (None, _) => PathBuf::from(STANDARD_STREAM),
            (Some(file), first) => {
                self.paths.splice(..0, first);
                file
            }
        };
        check_link(app, Some(&file))?;
        let query = input::prompt(app, &file)?;
        let file = (!input::is_standard(&file)).then(|| input::located(app.world(), &file));
        Ok((query, file))
    }

    /// Prints the best passages.
    pub fn run(mut self, app: &App) -> Result<(), Error> {
        let (query, prompt_file) = self.asked(app)?;
        let is_plain = self.context.is_none() && !self.json.json;
        let sought = if is_plain { Sought::of(&query) } else { Sought::Best };
        let most = self.most.map_or(MOST, NonZeroUsize::get);
        let looked_at = sought.looked_at(most);
        let budget = BudgetOptions {
            budget: Some(Budget::Unlimited),
            query: Some(query.clone()),
            no_git_history: self.no_git_history,
            ..Default::default()
        };
        let options =
            PlanOptions { budget, selection: self.selection, safety: self.safety, ..PlanOptions::default() };
        let mut session = Vec::new();
        for path in &self.paths {
            match dependencies::entries(path, app)? {
                Some(entries) => session.extend(entries),
                None => session.push(ScopedEntry::typed(entry_of(path, app.world()))),
            }
        }
        let extra = Extra {
            session,
            looks: Looks::ThroughHere,
            purpose: Purpose::Search(looked_at),
            prompt_file,
            reads: true,
            ..Extra::default()
        };
        let most_uses = self.most.map_or(MOST_USES, NonZeroUsize::get);
        let plan = request::plan(app, &options, extra)?;
        let limited = options.selection.max_file_size.is_some();
        let missing = typed::check_rest(app.world(), &plan, limited, Some("query"))?;
        let mut notices = plan.notices();
        notices.extend(typed::with_blanks(app.world(), &plan));
        notices.retain(|notice| is_worth_telling(notice.kind));
        app.ui.notices(&notices);
        let Found { shown: mut hits, uses, is_guess } = sought.found(&plan, most);
        hits.truncate(if is_guess && self.most.is_none() { MOST_GUESSED } else { most });
        if hits.is_empty() {
            let is_unread = |notice: &Notice| is_of_unread(notice.kind) && notice.level == Severity::Warning;
            let among = if notices.iter().any(is_unread) { " in what could be read" } else { "" };
            let error = Error::impossible(format!("no match for '{}'{among}", argument(query.trim())));
            return Err(text_makers::setting(&plan).into_iter().fold(error, Error::and_hint));
        }
        if is_guess {
            let query = argument(query.trim());
            app.ui.note(format!(
                "no file has '{query}', written like this: these passages have some of its words"
            ));
        }
        if self.json.json {
            app.ui.whole_json(&listing(&query, &hits, plan.request().commits.record()))?
        } else {
            app.ui.data(|out| {
                write(out, &hits, self.context, app.world(), &app.ui)?;
                write_uses(out, &plan, &uses, most_uses, app.world(), &app.ui)
            })?;
            if uses.iter().map(|(_, lines)| lines.len()).sum::<usize>() > most_uses {
                app.ui.note(format!(
                    "only the first {most_uses} lines with the name; -n {} prints more",
                    most_uses * 3
                ));
            }
        }
        // The process is about to end; freeing a large plan piece by piece would only take time.
        std::mem::forget(plan);
        missing.map_or(Ok(()), Err)
    }
}

/// Whether a notice reports something that may have been read only in part, or not at all.
fn is_of_unread(kind: NoticeKind) -> bool {
    matches!(kind, NoticeKind::PassedOver | NoticeKind::Skipped)
}

/// Whether a notice about a block also concerns a search.
fn is_worth_telling(kind: NoticeKind) -> bool {
    is_of_unread(kind) || matches!(kind, NoticeKind::IgnoreFiles | NoticeKind::Project | NoticeKind::Filters)
}

fn listing(query: &str, hits: &[Hit<'_>], commits: Option<CommitsRecord>) -> Value {
    let passage = |hit: &Hit<'_>| {
        json!({
            "path": hit.label,
            "first_line": hit.lines.first,
            "last_line": hit.lines.last,
            "name": hit.name,
            "score": hit.score.number(),
            "matching_lines": hit.matching,
            "text": hit.text,
        })
    };
    let passages: Vec<Value> = hits.iter().map(passage).collect();
    let commits = commits.map(|commits| ("commits".to_owned(), json!(commits)));
    let all = [("version".to_owned(), json!(1)), ("query".to_owned(), json!(query))].into_iter();
    all.chain(commits).chain([("passages".to_owned(), json!(passages))]).collect()
}

/// The path from the current directory to a file below the root, or the whole path of a file elsewhere.
fn from_here(path: &Path, cwd: &Path, root: &Path) -> PathBuf {
    let mut way = PathBuf::new();
    for above in cwd.ancestors().take_while(|above| above.starts_with(root)) {
        if let Ok(below) = path.strip_prefix(above) {
            return way.join(below);
        }
        way.push("..");
    }
    path.to_owned()
}

/// Writes a heading for each passage, with its location in the form that editors accept, and then its lines,
/// with the matching ones marked.
fn write(
    out: &mut impl Write,
    hits: &[Hit<'_>],
    context: Option<usize>,
    world: &World,
    ui: &Ui,
) -> io::Result<()> {
    let cwd = resolved(&world.cwd);
    for (place, hit) in hits.iter().enumerate() {
        if place > 0 {
            writeln!(out)?;
        }
        let path = &path_of(hit, &cwd, world);
        let line = hit.matching.first().copied().unwrap_or(hit.lines.first);
        let label = format!("{}:{line}", visible(path));
        let lines = format!("(lines {}-{}, score {})", hit.lines.first, hit.lines.last, hit.score);
        let name = hit.name.as_ref().map(|name| format!("  {}", shell_word(&format!("{path}#{name}"))));
        writeln!(out, "{} {}{}", ui.paint(label, STRONG), ui.paint(lines, FAINT), name.unwrap_or_default())?;
        match context {
            None => write_lines(out, hit, hit.lines.first..=last_with_text(hit), ui)?,
            Some(context) => {
                for (place, group) in groups(&hit.matching, line, context).into_iter().enumerate() {
                    if place > 0 {
                        writeln!(out, "{}", ui.paint("--", FAINT))?;
                    }
                    write_lines(out, hit, group, ui)?;
                }
            }
        }
    }
    Ok(())
}

/// The last line of a passage that isn't blank.
fn last_with_text(hit: &Hit<'_>) -> usize {
    hit.lines.first + hit.text.trim_end().lines().count().saturating_sub(1)
}

/// Writes the first `most` lines that use a name, each with its location and the declaration that it is in: code first, then
/// examples, tests and prose.
fn write_uses(
    out: &mut impl Write,
    plan: &Plan,
    uses: &[Uses<'_>],
    most: usize,
    world: &World,
    ui: &Ui,
) -> io::Result<()> {
    let cwd = resolved(&world.cwd);
    let mut each: Vec<(&Hit<'_>, usize, &str)> =
        uses.iter().flat_map(|(hit, numbers)| lines_of(hit, numbers)).collect();
    each.sort_by_key(|(hit, _, line)| Use::of(hit.label, line));
    if !each.is_empty() {
        writeln!(out)?;
    }
    each.truncate(most);
    // In so many lines, nobody looks for one function.
    let places: Vec<(&Hit<'_>, usize)> =
        each.iter().take(MOST_NAMED).map(|(hit, number, _)| (*hit, *number)).collect();
    let within = plan.names_around(&places).into_iter().chain(std::iter::repeat(None));
    for ((hit, number, line), within) in each.into_iter().zip(within) {
        let line = visible_lines(&shortened(line, hit.first_match(line), LONGEST_USE));
        let location = format!("{}:{number}", visible(&path_of(hit, &cwd, world)));
        let within = within.map(|name| ui.paint(format!("[{}] ", visible(&name)), FAINT).to_string());
        writeln!(out, "{} {}{line}", ui.paint(location, STRONG), within.unwrap_or_default())?;
    }
    Ok(())
}

/// The lines of a passage that have these numbers, which ascend.
fn lines_of<'u, 'h>(
    hit: &'u Hit<'h>,
    numbers: &'u [usize],
) -> impl Iterator<Item = (&'u Hit<'h>, usize, &'h str)> {
    let mut lines = hit.text.lines();
    let mut next = hit.lines.first;
    numbers.iter().map(move |number| {
        let line = lines.nth(number - next).unwrap_or_default();
        next = number + 1;
        (hit, *number, line.trim())
    })
}

/// The path of a passage's file from the current directory, or its label.
fn path_of(hit: &Hit<'_>, cwd: &Path, world: &World) -> String {
    let path = hit.path.as_ref().map(|path| from_here(path, cwd, &world.root));
    let path = path.filter(|path| path.to_str().is_some());
    path.map_or_else(|| hit.label.to_owned(), |path| Notation::HERE.shown(&path))
}

/// The matching lines, or else the line `otherwise`, each with `context` lines before and after it. Groups
/// that overlap or touch are merged.
fn groups(matching: &[usize], otherwise: usize, context: usize) -> Vec<RangeInclusive<usize>> {
    let mut groups: Vec<RangeInclusive<usize>> = Vec::new();
    let line = if matching.is_empty() { std::slice::from_ref(&otherwise) } else { matching };
    for line in line {
        let group = line.saturating_sub(context)..=line.saturating_add(context);
        match groups.last_mut() {
            Some(last) if *group.start() <= last.end().saturating_add(1) => {
                *last = *last.start()..=*group.end();
            }
            Some(_) | None => groups.push(group),
        }
    }
    groups
}

fn write_lines(out: &mut impl Write, hit: &Hit<'_>, lines: RangeInclusive<usize>, ui: &Ui) -> io::Result<()> {
    let numbered = (hit.first_of_whole..).zip(hit.whole.lines());
    for (number, line) in numbered.filter(|(number, _)| lines.contains(number)) {
        let line = visible_lines(&shortened(line, hit.first_match(line), LONGEST));
        match hit.matching.binary_search(&number) {
            Ok(_) => writeln!(out, "  > {}", ui.paint(line, STRONG))?,
            Err(_) => writeln!(out, "{}", format!("    {line}").trim_end())?,
        }
    }
    Ok(())
}

/// Parses how many passages to print. In other programs, `-n` numbers the lines and takes no value, so a word
/// after it gets a hint.
fn passages(text: &str) -> Result<NonZeroUsize, Error> {
    let hint = "-n N prints at most N passages, each with PATH:LINE in front of it";
    let is_word = text.starts_with(char::is_alphabetic);
    count(text).map_err(|error| if is_word { error.with_hint(hint) } else { error })
}

/// The most bytes of a line to print.
const LONGEST: usize = 500;

/// For how many lines that use a name the declaration that each is in is looked up.
const MOST_NAMED: usize = 200;

/// The most bytes of a line that uses a name to print.
const LONGEST_USE: usize = 200;

/// The line, or if it is very long, the part around `at` with `…` for the rest.
fn shortened(line: &str, at: usize, longest: usize) -> Cow<'_, str> {
    if line.len() <= longest {
        return Cow::Borrowed(line);
    }
    let boundary =
        |at: usize| (0..=at.min(line.len())).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
    let start = boundary(at.saturating_sub(longest / 4).min(line.len() - longest));
    let end = boundary(start + longest);
    let (before, after) = (if start > 0 { "…" } else { "" }, if end < line.len() { "…" } else { "" });
    Cow::Owned(format!("{before}{}{after}", &line[start..end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_or_adjacent_groups_of_lines_are_merged() {
        assert_eq!(groups(&[5, 8, 20], 5, 1), [4..=9, 19..=21]);
        assert_eq!(groups(&[5, 8, 20], 5, 0), [5..=5, 8..=8, 20..=20]);
        assert_eq!(groups(&[2], 2, usize::MAX), [0..=usize::MAX]);
        assert_eq!(groups(&[], 7, 2), [5..=9]);
    }

    #[test]
    fn shortened_line_keeps_the_text_around_the_match() {
        assert_eq!(shortened("short", 3, LONGEST), "short");
        let line = format!("{}budget{}", "ö ".repeat(400), " x".repeat(400));
        let short = shortened(&line, line.find("budget").unwrap(), LONGEST);
        assert!(short.starts_with('…') && short.ends_with('…') && short.contains(" budget "), "{short}");
        assert!(short.len() <= LONGEST + 6);
        assert!(
            shortened(&line, 0, LONGEST).starts_with("ö ö")
                && shortened(&line, line.len(), LONGEST).ends_with(" x")
        );
    }
}

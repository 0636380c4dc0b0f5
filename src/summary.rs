//! An account in words: the total with its bar, and the table of files.

use std::cmp::Reverse;
use std::io::{self, Write};

use owo_colors::Style;

use super::app::App;
use super::error::Error;
use super::options::Sort;
use super::palette::{BAD, CAUTION, FAINT, FILLING, GOOD, PLAIN};
use super::table::{Cell, Column, Table};
use super::ui::Ui;
use super::visible::visible;
use ctx_core::account::{Account, FileRecord, Measures, PartRecord, Status, share};
use ctx_core::plan::{FileCounter, FilesInParts, Plan};
use ctx_core::report::ReasonCode;
use ctx_core::words::{counted, grouped, some_of_these};

/// How many characters the bar has.
const BAR: u64 = 18;

/// Writes the total:
/// `43 files, 51,731 tokens (527 of them labels), 34% of 150,000 (75% of 200,000, no model set) [######------------]`.
///
/// # Errors
/// Errors from writing to `out`.
pub fn write_total(out: &mut impl Write, account: &Account, ui: &Ui) -> io::Result<()> {
    let (measures, counts) = (&account.measures, &account.file_counts);
    let files = counts.printed();
    let tokens = &account.tokens;
    let in_budget = tokens.in_budget(measures);
    let mut total = format!("{}, {}", counted(files, "file"), measures.tokens(in_budget));
    let mut parts = Vec::new();
    if files > 0 && account.failure.is_none() {
        parts.push(format!("{} of them labels", around(measures, tokens.frame)));
    }
    if files > 0 && tokens.history > 0 {
        parts.push(format!("{} in the history", measures.count(tokens.history)));
    }
    if in_budget > tokens.block {
        parts.push(format!("{} in the prompt", measures.count(tokens.prompt)));
    }
    if !parts.is_empty() {
        total += &format!(" ({})", parts.join(", "));
    }
    if tokens.printed() > in_budget {
        total += &format!(" and {} in the prompt", measures.count(tokens.prompt));
    }
    let Some(budget) = measures.budget else { return writeln!(out, "{total}, no budget") };
    let percent = if in_budget == 0 { 0 } else { share(in_budget, budget) };
    let mark = if measures.estimated { "~" } else { "" };
    let used = percentage(in_budget, budget);
    let used = format!("{mark}{used} of {}", grouped(budget));
    let fits = |width: usize| ui.columns.is_none_or(|columns| width <= columns);
    let drawn = " []".len() + BAR as usize;
    let from = of_window(measures);
    let used = if fits(used.len() + from.len() + drawn) { used + &from } else { used };
    let is_one_line = fits(total.len() + ", ".len() + used.len() + drawn);
    let style = if measures.exceed_window(tokens.printed()) { BAD } else { of_budget(percent) };
    let used = format!("{used} {}", bar(percent, BAR, style, ui));
    if is_one_line {
        return writeln!(out, "{total}, {used}");
    }
    ui.write_text(out, 0, &total, PLAIN)?;
    writeln!(out, "{used}")
}

/// Names the window that the budget is a share of; empty if it is not a share.
fn of_window(measures: &Measures) -> String {
    let Some(percent) = measures.budget_percent else { return String::new() };
    let window = grouped(measures.window);
    match &measures.model {
        Some(model) => format!(" ({percent}% of the {window} of {})", visible(model)),
        None => format!(" ({percent}% of {window}, no model set)"),
    }
}

/// `34%`, `<1%`, `0%`.
pub fn percentage(part: u64, whole: u64) -> String {
    match share(part, whole) {
        _ if part == 0 => "0%".to_owned(),
        0 => "<1%".to_owned(),
        percent => format!("{}%", grouped(percent)),
    }
}

/// What the budget does to files, in words.
const GONE: [(Status, &str); 3] = [
    (Status::Dropped, "left out"),
    (Status::Outlined, "printed in part, as outlines"),
    (Status::Truncated, "printed in part"),
];

/// The files that the budget leaves out or prints in part.
struct GoneFiles<'p> {
    /// The tokens of each, and its index.
    files: Vec<(Reverse<Option<u64>>, usize)>,
    count: FileCounter<'p>,
}

impl GoneFiles<'_> {
    fn add(&mut self, place: usize, file: &FileRecord) {
        self.files.push((Reverse(file.whole_tokens), place));
        self.count.add(file);
    }
}

/// Whether the budget is why a file is not whole.
fn is_by_budget(file: &FileRecord) -> bool {
    let is_of_budget = |code| matches!(code, ReasonCode::OverBudget | ReasonCode::Unmatched);
    file.reason.as_ref().is_some_and(|reason| is_of_budget(reason.code))
}

/// Writes what is left out or in part, if anything.
///
/// # Errors
/// Errors from writing to `out`.
pub fn write_gone(out: &mut impl Write, plan: &Plan, account: &Account, ui: &Ui) -> io::Result<()> {
    if let Some(commits) = &account.commits {
        writeln!(out, "earlier commits: {commits}")?;
    }
    if let Some(failure) = &account.failure {
        let text = format!("nothing would be printed: {}", visible(&failure.text));
        return ui.write_text(out, 0, &text, BAD);
    }
    let in_parts = FilesInParts::of(plan);
    let mut all_gone = GONE.map(|_| GoneFiles { files: Vec::new(), count: in_parts.counter() });
    let mut others = in_parts.counter();
    for (place, file) in plan.records().enumerate() {
        // For a file in part, includes the parts that are left out.
        let status = in_parts.status(&file);
        match GONE.iter().position(|(gone, _)| *gone == status) {
            Some(_) if file.only_competes && status == Status::Dropped => others.add(&file),
            Some(at) if !file.only_competes && is_by_budget(&file) => all_gone[at].add(place, &file),
            Some(_) | None => {}
        }
    }
    for ((status, how), GoneFiles { files: mut gone, count }) in GONE.into_iter().zip(all_gone) {
        if gone.is_empty() {
            continue;
        }
        gone.sort_unstable();
        let named =
            |file: FileRecord| format!("{} ({})", visible(&file.path), tokens(&account.measures, &file));
        let named = |(_, place): &(_, usize)| plan.record(*place).map_or_else(String::new, named);
        let counts = &account.file_counts;
        let files = counted(counts.selected - counts.skipped - counts.unchanged, "file");
        let number = grouped(count.total() as u64);
        let text = format!("{number} of {files} would be {how}: {}", some_of_these(&gone, named));
        ui.write_text(out, 0, &text, style(status))?;
    }
    let count = others.total();
    if count == 0 {
        return Ok(());
    }
    let (others, were) = (counted(count, "other"), if count == 1 { "was" } else { "were" });
    ui.write_text(out, 0, &format!("{others} {were} left out (--dry-run --json lists them)"), FAINT)
}

/// The tokens of a file: `8,001`, or `30 of 8,001` if it is in part.
fn tokens(measures: &Measures, file: &FileRecord) -> String {
    let whole = file.whole_tokens.map(|whole| measures.count(whole).to_string());
    match (file.status, whole) {
        (Status::Outlined | Status::Truncated, Some(whole)) => {
            format!("{} of {whole}", measures.count(file.tokens))
        }
        (Status::Outlined | Status::Truncated, None) => measures.count(file.tokens).to_string(),
        (Status::Included | Status::Unchanged | Status::Dropped | Status::Skipped, whole) => {
            whole.unwrap_or_else(|| "-".to_owned())
        }
    }
}

/// The data of a file, one column each.
const COLUMNS: [Column; 6] = [
    Column::path("path", 2),
    Column::path("entry", 1),
    Column::number("tokens"),
    Column::number("share"),
    Column::words("status"),
    Column::text("reason"),
];

/// Prints every file of a plan in a table, for `show --expand` and `render --dry-run`; `sort` is the order, if not that
/// of the block.
///
/// # Errors
/// If standard output cannot be written.
pub fn print_files(app: &App, plan: &Plan, account: &Account, sort: Option<Sort>) -> Result<(), Error> {
    app.ui.data(|out| {
        write_files(out, plan, account, sort, &app.ui)?;
        write_total(out, account, &app.ui)?;
        write_gone(out, plan, account, &app.ui)
    })
}

/// Writes every file, except those that a question did not choose.
fn write_files(
    out: &mut impl Write,
    plan: &Plan,
    account: &Account,
    sort: Option<Sort>,
    ui: &Ui,
) -> io::Result<()> {
    let is_chosen = |file: &FileRecord| !file.only_competes || file.status != Status::Dropped;
    let chosen = || plan.records().filter(is_chosen);
    let sorted = sort.map(|sort| {
        let mut files: Vec<FileRecord> = chosen().collect();
        match sort {
            Sort::Path => files.sort_by(|a, b| a.path.cmp(&b.path)),
            Sort::Tokens => files.sort_by_key(|file| Reverse(file.whole_tokens.unwrap_or(file.tokens))),
        }
        files
    });
    let Some(first) = chosen().next() else { return Ok(()) };
    // Unless a question searched them all, the entries say more about the files.
    let names_entries = account.looked_through.is_none() || chosen().any(|file| file.entry != first.entry);
    let table = Table::new(COLUMNS);
    match &sorted {
        Some(files) => {
            table.write_rows(out, ui, || files.iter().map(|file| row(account, file, names_entries)))?;
        }
        None => table.write_rows(out, ui, || chosen().map(|file| row(account, &file, names_entries)))?,
    }
    writeln!(out)
}

fn row(account: &Account, file: &FileRecord, names_entry: bool) -> [Cell; 6] {
    let share = match file.tokens {
        0 => "-".to_owned(),
        tokens => percentage(tokens, account.tokens.block),
    };
    let is_named = names_entry && Some(&file.entry) != account.looked_through.as_ref();
    let entry = if is_named { visible(&file.entry) } else { String::new() };
    [
        Cell::plain(visible(&file.path)),
        Cell::new(entry, FAINT),
        Cell::plain(tokens(&account.measures, file)),
        Cell::plain(share),
        match account.failure {
            Some(_) => Cell::new(Status::Dropped.in_words(), style(Status::Dropped)),
            None => Cell::new(file.in_words(), style(file.status)),
        },
        Cell::new(remark(file), FAINT),
    ]
}

/// Why a file isn't whole, or which of its lines a question chose, and what imports it.
fn remark(file: &FileRecord) -> String {
    let is_chosen = file.only_competes && file.status == Status::Truncated;
    let reason = || file.reason.as_ref().map(|reason| reason.text.clone());
    let reason = if is_chosen { printed_lines(file) } else { reason() };
    let importer = file.imported_by.as_ref().map(ToString::to_string);
    if reason.is_none() && importer.is_none() {
        return String::new();
    }
    visible(&reason.into_iter().chain(importer).collect::<Vec<String>>().join(", "))
}

/// The lines of a file in part: `lines 12-40, 66-80`.
pub fn printed_lines(file: &FileRecord) -> Option<String> {
    let line = |PartRecord { lines: [first, last] }: &PartRecord| format!("{first}-{last}");
    (!file.parts.is_empty()).then(|| format!("lines {}", some_of_these(&file.parts, line)))
}

fn style(status: Status) -> Style {
    match status {
        Status::Included => GOOD,
        Status::Outlined | Status::Truncated => CAUTION,
        Status::Dropped => BAD,
        Status::Unchanged | Status::Skipped => FAINT,
    }
}

/// The tokens outside the documents; negative if a token spans the end of a document.
fn around(measures: &Measures, tokens: i64) -> String {
    let sign = if tokens < 0 { "-" } else { "" };
    format!("{sign}{}", measures.count(tokens.unsigned_abs()))
}

/// The summary of `--stats`.
pub fn statistics(plan: &Plan) -> String {
    let (measures, counts, tokens) = (plan.measures(), plan.file_counts(), plan.token_counts());
    let budget = match measures.budget {
        Some(budget) => {
            let mark = if measures.estimated { "~" } else { "" };
            let used = percentage(tokens.in_budget(&measures), budget);
            format!("{mark}{used} of the budget of {}", grouped(budget))
        }
        None => "no budget".to_owned(),
    };
    format!(
        "{} ({} whole, {}{} in part, {} left out)\n\
         {} in {} bytes: {} in files, {}{}{} for labels\n\
         {budget}; counted with {}{}\n",
        counted(counts.selected, "file"),
        grouped(counts.included as u64),
        match counts.unchanged {
            0 => String::new(),
            unchanged => format!("{} unchanged, ", grouped(unchanged as u64)),
        },
        grouped((counts.outlined + counts.truncated) as u64),
        grouped((counts.dropped + counts.skipped) as u64),
        measures.tokens(tokens.printed()),
        grouped(plan.printed_bytes()),
        measures.count(tokens.documents),
        match tokens.history {
            0 => String::new(),
            tokens => format!("{} in the history, ", measures.count(tokens)),
        },
        match tokens.prompt {
            0 => String::new(),
            tokens => format!("{} in the prompt, ", measures.count(tokens)),
        },
        around(&measures, tokens.frame),
        measures.tokenizer,
        match measures.factor {
            _ if measures.factors.is_some() => " times a factor for each script".to_owned(),
            1.0 => String::new(),
            factor => format!(" times {factor}"),
        },
    )
}

/// The colour for the used part of a budget.
fn of_budget(percent: u64) -> Style {
    match percent {
        0..50 => GOOD,
        50..90 => FILLING,
        _ => BAD,
    }
}

/// `[######------------]` with this many characters between the brackets; more than 100 percent fills it.
pub fn bar(percent: u64, length: u64, style: Style, ui: &Ui) -> String {
    format!("[{}]", ui.paint(strokes(percent, length), style))
}

fn strokes(percent: u64, length: u64) -> String {
    let full = percent.min(100) * length / 100;
    (0..length).map(|place| if place < full { '#' } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::strokes;

    #[test]
    fn bar_never_exceeds_its_width() {
        assert_eq!(strokes(0, 18), "------------------");
        assert_eq!(strokes(34, 18), "######------------");
        assert_eq!(strokes(100, 18), "##################");
        assert_eq!(strokes(250, 4), "####");
    }
}

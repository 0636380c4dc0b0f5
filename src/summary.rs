//! An account for a person: the total with its bar, and the table of files.

use std::io::{self, Write};

use comfy_table::{Cell, CellAlignment, Color, ContentArrangement, Table, presets};
use owo_colors::Style;
use unicode_width::UnicodeWidthStr;

use super::ui::{Ui, visible};
use ctx_core::account::{Account, FileRecord, Measures, Status, Totals, share};
use ctx_core::words::{counted, grouped, some_of};

/// How many characters the bar has.
const BAR: u64 = 18;

/// `43 files, 51,731 tokens (527 around them), 34% of 150,000 [######------------]`.
///
/// # Errors
/// What `out` says.
pub fn write_total(out: &mut impl Write, account: &Account, ui: &Ui) -> io::Result<()> {
    let (measures, counts) = (&account.measures, &account.file_counts);
    let files = counts.included + counts.outlined + counts.truncated;
    write!(out, "{}, {}", counted(files, "file"), measures.tokens(account.tokens.block))?;
    if files > 0 {
        let them = if files == 1 { "it" } else { "them" };
        write!(out, " ({} around {them})", around(measures, account.tokens.frame))?;
    }
    match measures.budget {
        None => writeln!(out, ", no budget"),
        Some(budget) => {
            let percent = if account.tokens.block == 0 { 0 } else { share(account.tokens.block, budget) };
            let mark = if account.measures.estimated { "~" } else { "" };
            let style = match percent {
                0..50 => Style::new().green(),
                50..90 => Style::new().yellow(),
                _ => Style::new().red(),
            };
            let bar = ui.paint(bar(percent), style);
            let share = percentage(account.tokens.block, budget);
            writeln!(out, ", {mark}{share} of {} [{bar}]", grouped(budget))
        }
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

fn bar(percent: u64) -> String {
    let full = percent.min(100) * BAR / 100;
    (0..BAR).map(|place| if place < full { '#' } else { '-' }).collect()
}

/// What was dropped or shortened, if anything was.
///
/// # Errors
/// What `out` says.
pub fn write_gone(out: &mut impl Write, account: &Account, ui: &Ui) -> io::Result<()> {
    if let Some(failure) = &account.failure {
        let text = format!("render would fail: {}", visible(&failure.text));
        return writeln!(out, "{}", ui.paint(text, Style::new().red()));
    }
    for (status, verb) in
        [(Status::Dropped, "dropped"), (Status::Outlined, "reduced to outlines"), (Status::Truncated, "cut")]
    {
        let by_budget =
            |file: &&FileRecord| file.reason.as_ref().is_some_and(|reason| reason.code == "over-budget");
        let mut gone: Vec<&FileRecord> = account.with_status(status).filter(by_budget).collect();
        if gone.is_empty() {
            continue;
        }
        gone.sort_by_key(|file| std::cmp::Reverse(file.whole_tokens));
        let named =
            |file: &&FileRecord| format!("{} ({})", visible(&file.path), tokens(&account.measures, file));
        let names: Vec<String> = gone.iter().map(named).collect();
        let files = counted(account.file_counts.selected, "file");
        let text = format!("{} of {files} would be {verb}: {}", gone.len(), some_of(&names));
        writeln!(out, "{}", ui.paint(text, Style::new().yellow()))?;
    }
    Ok(())
}

/// What a file takes: `8,001`, and `30 of 8,001` if it is cut.
fn tokens(measures: &Measures, file: &FileRecord) -> String {
    let whole = file.whole_tokens.map(|whole| measures.count(whole).to_string());
    match (file.status, whole) {
        (Status::Outlined | Status::Truncated, Some(whole)) => {
            format!("{} of {whole}", measures.count(file.tokens))
        }
        (Status::Outlined | Status::Truncated, None) => measures.count(file.tokens).to_string(),
        (Status::Included | Status::Dropped | Status::Skipped, whole) => {
            whole.unwrap_or_else(|| "-".to_owned())
        }
    }
}

/// Every file in a table, and the total below it.
///
/// # Errors
/// What `out` says.
pub fn write_files(out: &mut impl Write, account: &Account, ui: &Ui) -> io::Result<()> {
    if !account.files.is_empty() {
        let room = Room::of(account, ui);
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        match ui.is_colored() {
            true => table.enforce_styling(),
            false => table.force_no_tty(),
        };
        table.set_header(HEADER);
        for file in &account.files {
            let Columns { path, entry, tokens, share, status, reason } = Columns::of(account, file);
            table.add_row([
                Cell::new(ui.shortened(&path, room.path)),
                Cell::new(ui.shortened(&entry, room.entry)),
                Cell::new(tokens).set_alignment(CellAlignment::Right),
                Cell::new(share).set_alignment(CellAlignment::Right),
                Cell::new(status).fg(color(file.status)),
                Cell::new(ui.shortened(&reason, room.reason)),
            ]);
        }
        for line in table.lines() {
            writeln!(out, "{}", line.trim_end())?;
        }
        writeln!(out)?;
    }
    write_total(out, account, ui)?;
    write_gone(out, account, ui)
}

const HEADER: [&str; 6] = ["path", "entry", "tokens", "share", "status", "reason"];

/// What the table leaves between two columns, and before the first: one blank on either side.
const PADDING: usize = 2;

/// The narrowest that a path, an entry or a reason gets, however narrow the terminal is.
const NARROWEST: usize = 12;

/// The row of a file, in words.
struct Columns {
    path: String,
    entry: String,
    tokens: String,
    share: String,
    status: &'static str,
    reason: String,
}

impl Columns {
    fn of(account: &Account, file: &FileRecord) -> Self {
        Self {
            path: visible(&file.path),
            entry: visible(&file.entry),
            tokens: tokens(&account.measures, file),
            share: match file.tokens {
                0 => "-".to_owned(),
                tokens => percentage(tokens, account.tokens.block),
            },
            status: file.status.name(),
            reason: remark(file),
        }
    }

    fn widths(&self) -> [usize; 6] {
        [&self.path, &self.entry, &self.tokens, &self.share, self.status, &self.reason]
            .map(UnicodeWidthStr::width)
    }
}

/// Why a file is not simply in the block, and what imports it.
fn remark(file: &FileRecord) -> String {
    let reason = file.reason.as_ref().map(|reason| reason.text.clone());
    let importer = file.imported_by.as_ref().map(ToString::to_string);
    visible(&reason.into_iter().chain(importer).collect::<Vec<String>>().join(", "))
}

/// How many columns a path, an entry and a reason may take, so that a row stays on one line of the
/// terminal.
struct Room {
    path: usize,
    entry: usize,
    reason: usize,
}

impl Room {
    fn of(account: &Account, ui: &Ui) -> Self {
        let Some(columns) = ui.columns() else {
            return Self { path: usize::MAX, entry: usize::MAX, reason: usize::MAX };
        };
        let mut widest = HEADER.map(str::len);
        for file in &account.files {
            let widths = Columns::of(account, file).widths();
            widest.iter_mut().zip(widths).for_each(|(widest, width)| *widest = width.max(*widest));
        }
        let [path, entry, numbers @ .., reason] = widest;
        let room = columns.saturating_sub(numbers.iter().sum::<usize>() + HEADER.len() * PADDING);
        let reason = reason.min(room.saturating_sub(2 * NARROWEST).max(NARROWEST));
        let room = room.saturating_sub(reason);
        let entry = entry.min((room / 3).max(NARROWEST));
        Self { path: path.min(room.saturating_sub(entry).max(NARROWEST)), entry, reason }
    }
}

fn color(status: Status) -> Color {
    match status {
        Status::Included => Color::Green,
        Status::Outlined | Status::Truncated => Color::Yellow,
        Status::Dropped => Color::Red,
        Status::Skipped => Color::DarkGrey,
    }
}

/// The tokens of the frame: below zero where a token spans the end of a document.
fn around(measures: &Measures, tokens: i64) -> String {
    let sign = if tokens < 0 { "-" } else { "" };
    format!("{sign}{}", measures.count(tokens.unsigned_abs()))
}

/// The summary of `--stats`.
pub fn statistics(totals: &Totals) -> String {
    let (measures, counts) = (&totals.measures, &totals.file_counts);
    let budget = match measures.budget {
        Some(budget) => {
            let percent = measures.count(share(totals.tokens.block, budget));
            format!("{percent}% of the budget of {}", grouped(budget))
        }
        None => "no budget".to_owned(),
    };
    format!(
        "{} ({} included, {}{} cut, {} dropped, {} skipped)\n\
         {} in {} bytes: {} in files, {} around them\n\
         {budget}; counted with {}{}\n",
        counted(counts.selected, "file"),
        grouped(counts.included as u64),
        match counts.outlined {
            0 => String::new(),
            outlined => format!("{} outlined, ", grouped(outlined as u64)),
        },
        grouped(counts.truncated as u64),
        grouped(counts.dropped as u64),
        grouped(counts.skipped as u64),
        measures.tokens(totals.tokens.block),
        grouped(totals.bytes),
        measures.count(totals.tokens.documents),
        around(measures, totals.tokens.frame),
        measures.tokenizer,
        match measures.factor {
            1.0 => String::new(),
            factor => format!(" times {factor}"),
        },
    )
}

#[cfg(test)]
mod tests {
    use super::bar;

    #[test]
    fn the_bar_fills_up() {
        assert_eq!(bar(0), "------------------");
        assert_eq!(bar(34), "######------------");
        assert_eq!(bar(100), "##################");
        assert_eq!(bar(250), "##################");
    }
}

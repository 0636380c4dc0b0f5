//! An account for a person: the total with its bar, and the table of files.

use std::io::{self, Write};

use comfy_table::{Cell, CellAlignment, Color, ContentArrangement, Table, presets};
use owo_colors::Style;

use super::ui::{Ui, counted, grouped, visible};
use crate::account::{Account, FileRecord, Status, share};

/// How many characters the bar has.
const BAR: u64 = 18;

/// `43 files, 51,204 tokens, 34% of 150,000 [######------------]`.
///
/// # Errors
/// What `out` says.
pub fn write_total(out: &mut impl Write, account: &Account, ui: &Ui) -> io::Result<()> {
    let mark = mark(account);
    let files = account.file_counts.included + account.file_counts.truncated;
    let tokens = grouped(account.tokens.block);
    write!(out, "{}, {mark}{tokens} tokens", counted(files, "file"))?;
    match account.measures.budget {
        None => writeln!(out, ", no budget"),
        Some(budget) => {
            let percent = if account.tokens.block == 0 { 0 } else { share(account.tokens.block, budget) };
            let style = match percent {
                0..50 => Style::new().green(),
                50..90 => Style::new().yellow(),
                _ => Style::new().red(),
            };
            let bar = ui.paint(bar(percent), style);
            writeln!(out, ", {mark}{percent}% of {} [{bar}]", grouped(budget))
        }
    }
}

fn bar(percent: u64) -> String {
    let full = percent.min(100) * BAR / 100;
    (0..BAR).map(|place| if place < full { '#' } else { '-' }).collect()
}

fn mark(account: &Account) -> &'static str {
    if account.measures.estimated { "~" } else { "" }
}

/// What gave way, if anything did.
///
/// # Errors
/// What `out` says.
pub fn write_gone(out: &mut impl Write, account: &Account, ui: &Ui) -> io::Result<()> {
    let mark = mark(account);
    for (status, verb) in [(Status::Dropped, "dropped"), (Status::Truncated, "cut")] {
        let mut gone: Vec<&FileRecord> = account.with_status(status).collect();
        if gone.is_empty() {
            continue;
        }
        gone.sort_by_key(|file| std::cmp::Reverse(file.whole_tokens));
        let tokens = |file: &FileRecord| grouped(file.whole_tokens.unwrap_or(0));
        let names: Vec<String> =
            gone.iter().take(3).map(|file| format!("{} ({mark}{})", file.path, tokens(file))).collect();
        let more = match gone.len() {
            0..=3 => String::new(),
            count => format!(" and {} more", count - 3),
        };
        let text = format!(
            "{} of {} would be {verb}: {}{more}",
            gone.len(),
            counted(account.file_counts.selected, "file"),
            names.join(", ")
        );
        writeln!(out, "{}", ui.paint(text, Style::new().yellow()))?;
    }
    Ok(())
}

/// Every file in a table, and the total below it.
///
/// # Errors
/// What `out` says.
pub fn write_files(out: &mut impl Write, account: &Account, ui: &Ui) -> io::Result<()> {
    if !account.files.is_empty() {
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        match ui.is_colored() {
            true => table.enforce_styling(),
            false => table.force_no_tty(),
        };
        table.set_header(["path", "entry", "tokens", "share", "status", "reason"]);
        for file in &account.files {
            table.add_row(row(account, file));
        }
        for column in [2, 3] {
            if let Some(column) = table.column_mut(column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        for line in table.lines() {
            writeln!(out, "{}", line.trim_end())?;
        }
        writeln!(out)?;
    }
    write_total(out, account, ui)?;
    write_gone(out, account, ui)
}

fn row(account: &Account, file: &FileRecord) -> [Cell; 6] {
    let color = match file.status {
        Status::Included => Color::Green,
        Status::Truncated => Color::Yellow,
        Status::Dropped => Color::Red,
        Status::Skipped => Color::DarkGrey,
    };
    let tokens = file
        .whole_tokens
        .map_or_else(|| "-".to_owned(), |tokens| format!("{}{}", mark(account), grouped(tokens)));
    let percent = match file.tokens {
        0 => "-".to_owned(),
        tokens => format!("{}%", share(tokens, account.tokens.block)),
    };
    [
        Cell::new(&file.path),
        Cell::new(visible(&file.entry)),
        Cell::new(tokens),
        Cell::new(percent),
        Cell::new(file.status.name()).fg(color),
        Cell::new(file.reason.as_ref().map_or("", |reason| &reason.text)),
    ]
}

/// The summary of `--stats`.
pub fn statistics(account: &Account) -> String {
    let mark = mark(account);
    let counts = &account.file_counts;
    let budget = match account.measures.budget {
        Some(budget) => {
            format!("{mark}{}% of the budget of {}", share(account.tokens.block, budget), grouped(budget))
        }
        None => "no budget".to_owned(),
    };
    format!(
        "{} ({} included, {} cut, {} dropped, {} skipped)\n\
         {mark}{} tokens in {} bytes: {mark}{} in files, {mark}{} around them\n\
         {budget}; counted with {}{}\n",
        counted(counts.selected, "file"),
        counts.included,
        counts.truncated,
        counts.dropped,
        counts.skipped,
        grouped(account.tokens.block),
        grouped(account.bytes),
        grouped(account.tokens.documents),
        account.tokens.frame,
        account.measures.tokenizer,
        if account.measures.factor > 1.0 {
            format!(" times {}", account.measures.factor)
        } else {
            String::new()
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

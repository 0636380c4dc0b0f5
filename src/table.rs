//! Rows for people: aligned, no wider than the terminal, and never shortened if there is no terminal.

use std::io::{self, Write};

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ColumnConstraint, Width};
use owo_colors::Style;

use super::palette::{FAINT, PLAIN};
use super::ui::Ui;
use super::visible::width;

/// The number of spaces between two columns.
const GAP: u16 = 2;

/// What a placeholder is made of.
const PLACEHOLDER: &str = "x";

/// The widest column that comfy-table can make; wider cells stick out of it.
const WIDEST: usize = (u16::MAX - GAP) as usize;

/// How many rows are laid out at a time, since comfy-table keeps all of its lines in memory.
const AT_A_TIME: usize = 256;

/// The minimum width of a path, in columns, before the last column's text moves below its row.
const PATH: usize = 20;

/// The minimum width of the last column's text, in columns, before it moves below its row.
const TEXT: usize = 24;

/// The width to which paths are padded without a terminal. A longer path sticks out of its row, so that it
/// doesn't widen all the others.
const PADDED: usize = 80;

/// How far text below its row is indented.
const BELOW: usize = 4;

/// How a column adapts to a narrow terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fit {
    /// It keeps its width.
    Whole,
    /// It keeps its width, and is aligned to the right.
    Number,
    /// Its cells lose their middle; the larger the weight, the more room they get.
    Middle { weight: usize },
    /// It is left out.
    Spare,
    /// It continues on the next line, or moves below the row. Only for the last column.
    Wrapped,
}

/// A column.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    title: &'static str,
    fit: Fit,
}

impl Column {
    /// Words that are always whole.
    pub const fn words(title: &'static str) -> Self {
        Self { title, fit: Fit::Whole }
    }

    /// Numbers, always whole.
    pub const fn number(title: &'static str) -> Self {
        Self { title, fit: Fit::Number }
    }

    /// Paths and similar text, recognisable by both ends; the larger the weight, the more room it gets.
    pub const fn path(title: &'static str, weight: usize) -> Self {
        Self { title, fit: Fit::Middle { weight } }
    }

    /// A column that can be left out.
    pub const fn spare(title: &'static str) -> Self {
        Self { title, fit: Fit::Spare }
    }

    /// Text that continues on the next line. Only for the last column.
    pub const fn text(title: &'static str) -> Self {
        Self { title, fit: Fit::Wrapped }
    }
}

/// The text in one column of a row.
#[derive(Debug, Clone)]
pub struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    /// Text in a style, which must be on one line and free of invisible characters.
    pub fn new(text: impl ToString, style: Style) -> Self {
        Self { text: text.to_string(), style }
    }

    /// Text without a style.
    pub fn plain(text: impl ToString) -> Self {
        Self::new(text, PLAIN)
    }
}

/// Rows under a heading; empty columns are left out.
#[derive(Debug)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    headed: bool,
}

impl Table {
    /// A table of these columns, without rows.
    pub fn new(columns: impl Into<Vec<Column>>) -> Self {
        Self { columns: columns.into(), rows: Vec::new(), headed: true }
    }

    /// Leaves out the heading.
    #[must_use]
    pub fn without_heading(self) -> Self {
        Self { headed: false, ..self }
    }

    /// Adds a row, with a cell for each column.
    pub fn add(&mut self, row: impl Into<Vec<Cell>>) {
        self.rows.push(row.into());
    }

    /// Writes the table.
    ///
    /// # Errors
    /// Errors from writing to `out`.
    pub fn write(&self, out: &mut impl Write, ui: &Ui) -> io::Result<()> {
        self.write_rows(out, ui, || self.rows.iter())
    }

    /// Writes the table with these rows, which are made twice instead of kept, since there may be very many.
    ///
    /// # Errors
    /// Errors from writing to `out`.
    pub fn write_rows<R: AsRef<[Cell]>, I: Iterator<Item = R>>(
        &self,
        out: &mut impl Write,
        ui: &Ui,
        rows: impl Fn() -> I,
    ) -> io::Result<()> {
        let layout = Layout::of(self, &self.widest(rows()), ui.columns);
        let mut heading: Vec<Cell> =
            self.columns.iter().map(|column| Cell::new(column.title, FAINT)).collect();
        if let Some(below) = layout.below {
            heading[below.place] = Cell::plain("");
        }
        let heading = self.headed.then(|| layout.shown(&heading, ui));
        let mut rows = heading.into_iter().chain(rows().map(|row| layout.shown(row.as_ref(), ui)));
        let indent = " ".repeat(layout.indent());
        loop {
            let rows: Vec<_> = rows.by_ref().take(AT_A_TIME).collect();
            if rows.is_empty() {
                return Ok(());
            }
            for (row, line) in rows.iter().zip(layout.arranged(&rows).lines()) {
                row.write(out, &line, ui)?;
                for Cell { text, style } in &row.rest {
                    writeln!(out, "{indent}{}", ui.paint(text, *style))?;
                }
            }
        }
    }

    /// The width of the widest cell in each column.
    fn widest(&self, rows: impl Iterator<Item = impl AsRef<[Cell]>>) -> Vec<usize> {
        let mut widest = vec![0; self.columns.len()];
        for row in rows {
            for (widest, cell) in widest.iter_mut().zip(row.as_ref()) {
                *widest = width(&cell.text).max(*widest);
            }
        }
        widest
    }
}

/// A column that is drawn.
#[derive(Debug, Clone, Copy)]
struct Drawn {
    /// Its index among the table's columns.
    place: usize,
    fit: Fit,
    width: usize,
    /// The width to which its cells are padded.
    padded: usize,
}

impl Drawn {
    /// The cell with the width of its placeholder.
    fn standing(&self, cell: Cell) -> StandIn {
        StandIn { width: width(&cell.text).min(self.padded).min(WIDEST), cell }
    }

    /// The minimum width of the column as long as the last column's text stays next to its row.
    fn least(&self) -> usize {
        match self.fit {
            Fit::Whole | Fit::Number | Fit::Spare => self.width,
            Fit::Middle { .. } => self.width.min(PATH),
            Fit::Wrapped => self.width.min(TEXT),
        }
    }

    /// How much room the column has relative to its weight; 0 if it cannot give any up.
    fn wealth(&self) -> usize {
        match self.fit {
            Fit::Middle { weight } if self.width > 1 => self.width * 1000 / weight,
            Fit::Wrapped if self.width > 1 => self.width,
            Fit::Whole | Fit::Number | Fit::Spare | Fit::Middle { .. } | Fit::Wrapped => 0,
        }
    }
}

/// A cell, and how wide the placeholder is that comfy-table lays out instead, since it would count colours as columns, and
/// break cells that are too wide for it.
#[derive(Debug)]
struct StandIn {
    width: usize,
    cell: Cell,
}

impl StandIn {
    /// What a line has before and after the first placeholder, which is this one.
    fn around<'l>(&self, line: &'l str) -> (&'l str, &'l str) {
        match line.find(PLACEHOLDER) {
            _ if self.width == 0 => ("", line),
            Some(start) => (&line[..start], line.get(start + self.width..).unwrap_or_default()),
            None => (" ", line),
        }
    }
}

/// A row that is ready to be drawn.
#[derive(Debug)]
struct DrawnRow {
    cells: Vec<StandIn>,
    /// The lines on which the last cell continues.
    rest: Vec<Cell>,
}

impl DrawnRow {
    /// Writes a laid-out line, with the coloured cells in place of placeholders.
    fn write(&self, out: &mut impl Write, line: &str, ui: &Ui) -> io::Result<()> {
        let mut line = line;
        for standing in self.cells.iter().filter(|standing| !standing.cell.text.is_empty()) {
            let (blanks, after) = standing.around(line);
            write!(out, "{blanks}{}", ui.paint(&standing.cell.text, standing.cell.style))?;
            line = after;
        }
        writeln!(out)
    }
}

/// The drawn columns, and their widths.
#[derive(Debug)]
struct Layout {
    drawn: Vec<Drawn>,
    /// The column whose cells are printed below their rows.
    below: Option<Drawn>,
}

impl Layout {
    fn of(table: &Table, widest: &[usize], room: Option<usize>) -> Self {
        let drawn = |(place, column): (usize, &Column)| {
            let widest = widest[place];
            let title = if table.headed { width(column.title) } else { 0 };
            let width = widest.max(title);
            (widest > 0).then_some(Drawn { place, fit: column.fit, width, padded: width })
        };
        let mut layout =
            Self { drawn: table.columns.iter().enumerate().filter_map(drawn).collect(), below: None };
        if let Some(room) = room {
            layout.fit(room);
        }
        for column in &mut layout.drawn {
            let is_whole = room.is_none() && matches!(column.fit, Fit::Middle { .. });
            column.padded = if is_whole { column.width.min(PADDED) } else { column.width };
        }
        layout
    }

    fn width(&self) -> usize {
        self.sum(|column| column.width)
    }

    /// The total width of the columns, each as wide as `of` returns, and of the gaps between them.
    fn sum(&self, of: fn(&Drawn) -> usize) -> usize {
        self.drawn.iter().map(of).sum::<usize>() + usize::from(GAP) * self.drawn.len().saturating_sub(1)
    }

    fn fit(&mut self, room: usize) {
        while self.width() > room
            && let Some(spare) = self.drawn.iter().rposition(|column| column.fit == Fit::Spare)
        {
            self.drawn.remove(spare);
        }
        if self.width() > room && self.sum(Drawn::least) > room && self.drawn.len() > 1 {
            let last = self.drawn.pop_if(|last| last.fit == Fit::Wrapped);
            self.below = last.map(|last| Drawn { width: room.max(2 * BELOW) - BELOW, ..last });
        }
        let over = self.width().saturating_sub(room);
        if let Some(text) = self.drawn.iter_mut().find(|column| column.fit == Fit::Wrapped) {
            text.width = text.width.saturating_sub(over).max(TEXT.min(text.width));
        }
        while self.width() > room
            && let Some(widest) = self.drawn.iter_mut().max_by_key(|column| column.wealth())
            && widest.wealth() > 0
        {
            widest.width -= 1;
        }
    }

    /// The column whose cells continue on further lines.
    fn text(&self) -> Option<Drawn> {
        self.below.or_else(|| self.drawn.last().copied().filter(|last| last.fit == Fit::Wrapped))
    }

    /// The indentation of the lines on which a cell continues.
    fn indent(&self) -> usize {
        match (self.below, self.text()) {
            (None, Some(text)) => self.width() - text.width,
            (Some(_), _) | (None, None) => BELOW,
        }
    }

    /// The cells of a row, shortened to fit.
    fn shown(&self, row: &[Cell], ui: &Ui) -> DrawnRow {
        let lines = |column: Drawn| {
            let Cell { text, style } = &row[column.place];
            ui.wrapped(text, column.width).into_iter().map(|line| Cell::new(line, *style))
        };
        let mut lines = self.text().into_iter().flat_map(lines).filter(|line| !line.text.is_empty());
        let mut shown = |column: &Drawn| {
            let Cell { text, style } = &row[column.place];
            match column.fit {
                Fit::Wrapped => lines.next().unwrap_or_else(|| Cell::plain("")),
                Fit::Middle { .. } => Cell::new(ui.shortened(text, column.width), *style),
                Fit::Whole | Fit::Number | Fit::Spare => Cell::new(text, *style),
            }
        };
        let cells = self.drawn.iter().map(|column| column.standing(shown(column))).collect();
        DrawnRow { cells, rest: lines.collect() }
    }

    /// The rows with a placeholder for each cell.
    fn arranged(&self, rows: &[DrawnRow]) -> comfy_table::Table {
        let mut table = comfy_table::Table::new();
        table.load_preset(NOTHING);
        for row in rows {
            table.add_row(row.cells.iter().map(|standing| PLACEHOLDER.repeat(standing.width)));
        }
        for (arranged, column) in table.column_iter_mut().zip(&self.drawn) {
            let width = u16::try_from(column.padded).unwrap_or(u16::MAX).saturating_add(GAP);
            arranged.set_padding((0, GAP)).set_constraint(ColumnConstraint::Absolute(Width::Fixed(width)));
            if column.fit == Fit::Number {
                arranged.set_cell_alignment(CellAlignment::Right);
            }
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_width::UnicodeWidthStr;

    const FILES: [Column; 4] =
        [Column::path("path", 2), Column::path("entry", 1), Column::number("tokens"), Column::text("reason")];

    fn drawn(rows: &[[&str; 4]], columns: Option<usize>) -> String {
        let mut table = Table::new(FILES);
        rows.iter().for_each(|row| table.add(row.map(Cell::plain)));
        let mut out = Vec::new();
        table.write(&mut out, &Ui::of_width(columns)).unwrap();
        String::from_utf8(out).unwrap()
    }

    const BINARY: [&str; 4] =
        ["some/where/deep/down/in/a/tree/logo.png", "some/**", "-", "binary: it holds a NUL in its head"];

    #[test]
    fn table_without_terminal_is_not_cut_and_omits_empty_columns() {
        let rows = [["src/a.rs", "src/**", "10", ""], ["b.rs", "", "1,000", ""]];
        assert_eq!(
            drawn(&rows, None),
            "path      entry   tokens\nsrc/a.rs  src/**      10\nb.rs               1,000\n"
        );
        let whole = drawn(&[BINARY], None);
        assert_eq!(whole.lines().nth(1), Some(BINARY.join("  ").replace("-  ", "     -  ").as_str()));
    }

    #[test]
    fn one_long_path_does_not_widen_other_rows_without_terminal() {
        let long = "a/".repeat(40) + "b.rs";
        let rows = [["src/a.rs", "src/**", "10", ""], [&long, "src/**", "1,000", ""]];
        let shown = drawn(&rows, None);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[1], format!("{:80}  src/**      10", "src/a.rs"));
        assert_eq!(lines[2], format!("{long}  src/**   1,000"));
    }

    #[test]
    fn text_beside_a_row_wraps_in_its_column() {
        assert_eq!(
            drawn(&[BINARY], Some(72)),
            "path                           entry    tokens  reason\n\
             some/wher…/in/a/tree/logo.png  some/**       -  binary: it holds a NUL\n                                                in its head\n"
        );
    }

    #[test]
    fn text_without_room_moves_below_its_row() {
        assert_eq!(
            drawn(&[BINARY], Some(50)),
            "path                               entry    tokens\n\
             some/where…own/in/a/tree/logo.png  some/**       -\n    binary: it holds a NUL in its head\n"
        );
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        for columns in 12..120 {
            let shown = drawn(&[BINARY, ["a", "b", "1", "c"]], Some(columns));
            assert!(shown.lines().all(|line| line.width() <= columns.max(14)), "{columns}\n{shown}");
        }
    }
}

//! Rows for a person: aligned, no wider than the terminal, and whole where there is none.

use std::io::{self, Write};

use owo_colors::Style;
use unicode_width::UnicodeWidthStr;

use super::palette::{FAINT, PLAIN};
use super::ui::Ui;

/// The blanks between two columns.
const GAP: usize = 2;

/// How wide a path stays before a text moves below its row, in columns.
const PATH: usize = 20;

/// How wide a text has to be to stand beside its row, in columns.
const TEXT: usize = 24;

/// How far a text below its row is set in.
const BELOW: usize = 4;

/// How a column adapts to a narrow terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fit {
    /// It does not.
    Whole,
    /// It does not, and is aligned to the right.
    Number,
    /// It loses the middle of its texts; the larger the weight, the more room it gets.
    Middle { weight: usize },
    /// It is left out.
    Spare,
    /// It goes on in the next line, or moves below the row. Only the last column may.
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

    /// Paths and the like, known by their ends; the larger the weight, the more room among others.
    pub const fn path(title: &'static str, weight: usize) -> Self {
        Self { title, fit: Fit::Middle { weight } }
    }

    /// What can be left out.
    pub const fn spare(title: &'static str) -> Self {
        Self { title, fit: Fit::Spare }
    }

    /// A text that goes on in the next line; the last column.
    pub const fn text(title: &'static str) -> Self {
        Self { title, fit: Fit::Wrapped }
    }
}

/// A text in a row.
#[derive(Debug, Clone)]
pub struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    /// A text in a style; it has to be visible, and on one line.
    pub fn new(text: impl ToString, style: Style) -> Self {
        Self { text: text.to_string(), style }
    }

    /// A text as it is.
    pub fn plain(text: impl ToString) -> Self {
        Self::new(text, PLAIN)
    }
}

/// Rows under a heading; columns in which nothing stands are left out.
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

    /// The same without its heading.
    #[must_use]
    pub fn without_heading(self) -> Self {
        Self { headed: false, ..self }
    }

    /// Adds a row, a cell for each column.
    pub fn add(&mut self, row: impl Into<Vec<Cell>>) {
        self.rows.push(row.into());
    }

    /// Writes it.
    ///
    /// # Errors
    /// What `out` says.
    pub fn write(&self, out: &mut impl Write, ui: &Ui) -> io::Result<()> {
        let layout = Layout::of(self, ui.columns());
        let room = ui.columns().unwrap_or(usize::MAX).max(2 * BELOW);
        if self.headed {
            let heading: Vec<Cell> =
                self.columns.iter().map(|column| Cell::new(column.title, FAINT)).collect();
            layout.write(out, &heading, &[], ui)?;
        }
        for row in &self.rows {
            let below = match layout.below {
                Some(place) if !row[place].text.is_empty() => ui.wrapped(&row[place].text, room - BELOW),
                Some(_) | None => Vec::new(),
            };
            layout.write(out, row, &below, ui)?;
        }
        Ok(())
    }
}

/// A column that is drawn.
#[derive(Debug, Clone, Copy)]
struct Drawn {
    /// Which of the table's columns.
    place: usize,
    fit: Fit,
    width: usize,
}

/// Which columns are drawn, and how wide.
#[derive(Debug)]
struct Layout {
    drawn: Vec<Drawn>,
    /// The column whose texts are below their rows.
    below: Option<usize>,
}

impl Layout {
    fn of(table: &Table, room: Option<usize>) -> Self {
        let drawn = |(place, column): (usize, &Column)| {
            let widest = table.rows.iter().map(|row| row[place].text.width()).max().unwrap_or(0);
            let title = if table.headed { column.title.width() } else { 0 };
            (widest > 0).then_some(Drawn { place, fit: column.fit, width: widest.max(title) })
        };
        let mut layout =
            Self { drawn: table.columns.iter().enumerate().filter_map(drawn).collect(), below: None };
        if let Some(room) = room {
            layout.fit(room);
        }
        layout
    }

    fn width(&self) -> usize {
        let gaps = GAP * self.drawn.len().saturating_sub(1);
        self.drawn.iter().map(|column| column.width).sum::<usize>() + gaps
    }

    fn fit(&mut self, room: usize) {
        while self.width() > room
            && let Some(spare) = self.drawn.iter().rposition(|column| column.fit == Fit::Spare)
        {
            self.drawn.remove(spare);
        }
        if self.width() > room && self.least() > room && self.drawn.len() > 1 {
            let last = self.drawn.pop_if(|last| last.fit == Fit::Wrapped);
            self.below = last.map(|last| last.place);
        }
        let over = self.width().saturating_sub(room);
        if let Some(text) = self.drawn.iter_mut().find(|column| column.fit == Fit::Wrapped) {
            text.width = text.width.saturating_sub(over).max(TEXT.min(text.width));
        }
        while self.width() > room && self.narrow_the_widest() {}
    }

    /// How narrow it can be with every text beside its row.
    fn least(&self) -> usize {
        let least = |column: &Drawn| match column.fit {
            Fit::Whole | Fit::Number | Fit::Spare => column.width,
            Fit::Middle { .. } => column.width.min(PATH),
            Fit::Wrapped => column.width.min(TEXT),
        };
        let gaps = GAP * self.drawn.len().saturating_sub(1);
        self.drawn.iter().map(least).sum::<usize>() + gaps
    }

    /// Takes one from the column that has most for its weight; `false` if there is nothing left to take.
    fn narrow_the_widest(&mut self) -> bool {
        let for_its_weight = |column: &&mut Drawn| match column.fit {
            Fit::Middle { weight } => column.width * 1000 / weight,
            Fit::Wrapped => column.width,
            Fit::Whole | Fit::Number | Fit::Spare => 0,
        };
        let widest = self.drawn.iter_mut().filter(|column| column.width > 1).max_by_key(for_its_weight);
        match widest {
            Some(column) if matches!(column.fit, Fit::Middle { .. } | Fit::Wrapped) => {
                column.width -= 1;
                true
            }
            Some(_) | None => false,
        }
    }

    /// Writes a row, what goes on of its last text, and what is below it.
    fn write(&self, out: &mut impl Write, row: &[Cell], below: &[String], ui: &Ui) -> io::Result<()> {
        let text = self.drawn.last().filter(|last| last.fit == Fit::Wrapped);
        let lines = text.map_or_else(Vec::new, |text| ui.wrapped(&row[text.place].text, text.width));
        let mut lines = lines.into_iter();
        let mut gap = 0;
        for column in &self.drawn {
            let Cell { text, style } = &row[column.place];
            let text = match column.fit {
                Fit::Wrapped => lines.next().unwrap_or_default(),
                Fit::Middle { .. } => ui.shortened(text, column.width),
                Fit::Whole | Fit::Number | Fit::Spare => text.clone(),
            };
            let blanks = column.width.saturating_sub(text.width());
            let (before, after) = if column.fit == Fit::Number { (blanks, 0) } else { (0, blanks) };
            if !text.is_empty() {
                write!(out, "{}{}", " ".repeat(gap + before), ui.paint(text, *style))?;
                gap = after + GAP;
            } else {
                gap += column.width + GAP;
            }
        }
        writeln!(out)?;
        if let Some(text) = text {
            let indent = " ".repeat(self.width() - text.width);
            for line in lines {
                writeln!(out, "{indent}{}", ui.paint(line, row[text.place].style))?;
            }
        }
        if let Some(place) = self.below {
            for line in below {
                writeln!(out, "{:BELOW$}{}", "", ui.paint(line, row[place].style))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn table_without_terminal_is_whole_and_lacks_empty_columns() {
        let rows = [["src/a.rs", "src/**", "10", ""], ["b.rs", "", "1,000", ""]];
        assert_eq!(
            drawn(&rows, None),
            "path      entry   tokens\nsrc/a.rs  src/**      10\nb.rs               1,000\n"
        );
        let whole = drawn(&[BINARY], None);
        assert_eq!(whole.lines().nth(1), Some(BINARY.join("  ").replace("-  ", "     -  ").as_str()));
    }

    #[test]
    fn text_beside_a_row_goes_on_below_itself() {
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

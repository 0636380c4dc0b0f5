//! What a question chose, one line for each place, for somebody who reads the terminal and sends nothing yet.

use std::io::Write;

use unicode_width::UnicodeWidthStr;

use crate::app::App;
use crate::error::Error;
use crate::palette::{FAINT, MARK};
use crate::request;
use crate::visible::visible;
use ctx_core::plan::{Plan, PrintedPlace};
use ctx_core::words::figure;

/// The most columns for what is declared in a place.
const LONGEST_NAME: usize = 40;

/// The fewest columns in which such a name says anything.
const SHORTEST_NAME: usize = 8;

/// The fewest columns for a path.
const SHORTEST_PATH: usize = 12;

/// Prints the places in the block, and what to do with it.
///
/// # Errors
/// If nothing fits, or standard output can't be written.
pub fn print(app: &App, plan: &Plan) -> Result<(), Error> {
    plan.block().map_err(|error| request::does_not_fit(&error, plan, false))?;
    let places = plan.places();
    let named = |place: &PrintedPlace<'_>| visible(place.name.as_deref().unwrap_or_default());
    let sized = |place: &PrintedPlace<'_>| figure(place.tokens, plan.request().measure.estimated);
    let rows: Vec<[String; 3]> =
        places.iter().map(|place| [called(place), named(place), sized(place)]).collect();
    let widest = |column: usize| rows.iter().map(|row| row[column].width()).max().unwrap_or(0);
    let sizes = widest(2);
    let room = app.ui.columns.unwrap_or(usize::MAX).saturating_sub(sizes + " tokens".len() + GAP.len());
    let Widths { paths, names } = Widths::of(widest(0), widest(1), room);
    app.ui.data(|out| {
        rows.iter().try_for_each(|[path, name, size]| {
            let path = app.ui.shortened(path, paths);
            let after_path = paths - path.width();
            write!(out, "{path}{:after_path$}{GAP}", "")?;
            if names > 0 {
                let name = app.ui.shortened(name, names);
                let after_name = names - name.width();
                write!(out, "{}{:after_name$}{GAP}", app.ui.paint(name, MARK), "")?;
            }
            let tokens = app.ui.paint(format!("{size:>sizes$} tokens"), FAINT);
            writeln!(out, "{tokens}")
        })
    })?;
    app.ui.note("'| llm' sends it, '-- PROGRAM' too, '-o FILE' keeps it");
    Ok(())
}

/// What separates two columns.
const GAP: &str = "  ";

/// The widths of the columns before the tokens.
#[derive(Debug, PartialEq)]
struct Widths {
    paths: usize,
    /// 0 if there is no room for names.
    names: usize,
}

impl Widths {
    /// Those of paths and names of these widths. Names are cut before paths.
    fn of(paths: usize, names: usize, room: usize) -> Self {
        let left = room.saturating_sub(paths + GAP.len());
        let is_enough = left >= names.min(SHORTEST_NAME);
        let names = if is_enough { names.min(LONGEST_NAME).min(left) } else { 0 };
        Self { paths: paths.min(room.max(SHORTEST_PATH)), names }
    }
}

/// `src/undo.rs:120-188`.
fn called(place: &PrintedPlace<'_>) -> String {
    match place.lines {
        Some([first, last]) => visible(&format!("{}:{first}-{last}", place.label)),
        None => visible(place.label),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_give_way_to_paths() {
        for (widths, room, expected) in [
            ((20, 10), 80, (20, 10)),
            ((20, 90), 80, (20, 40)),
            ((30, 40), 50, (30, 18)),
            ((45, 40), 50, (45, 0)),
            ((45, 3), 50, (45, 3)),
            ((70, 40), 50, (50, 0)),
            ((70, 40), 5, (12, 0)),
            ((20, 0), 80, (20, 0)),
        ] {
            let (paths, names) = expected;
            assert_eq!(Widths::of(widths.0, widths.1, room), Widths { paths, names }, "{widths:?} {room}");
        }
    }
}

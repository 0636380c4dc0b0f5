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

/// Prints the places in the block, and what to do with it.
///
/// # Errors
/// If nothing fits, or standard output can't be written.
pub fn print(app: &App, plan: &Plan) -> Result<(), Error> {
    plan.block().map_err(|error| request::does_not_fit(&error, plan.request(), false))?;
    let places = plan.places();
    let named = |place: &PrintedPlace<'_>| {
        app.ui.shortened(&visible(place.name.as_deref().unwrap_or_default()), LONGEST_NAME)
    };
    let sized = |place: &PrintedPlace<'_>| figure(place.tokens, plan.request().measure.estimated);
    let rows: Vec<[String; 3]> =
        places.iter().map(|place| [called(place), named(place), sized(place)]).collect();
    let widest = |column: usize| rows.iter().map(|row| row[column].width()).max().unwrap_or(0);
    let (names, sizes) = (widest(1), widest(2));
    let beside = names + sizes + " tokens".len() + 4;
    let paths = widest(0).min(app.ui.columns.unwrap_or(usize::MAX).saturating_sub(beside).max(20));
    app.ui.data(|out| {
        rows.iter().try_for_each(|[path, name, size]| {
            let path = app.ui.shortened(path, paths);
            let [after_path, after_name] = [paths - path.width(), names - name.width()];
            let [name, tokens] = [app.ui.paint(name, MARK).to_string(), format!("{size:>sizes$} tokens")];
            let tokens = app.ui.paint(tokens, FAINT);
            writeln!(out, "{path}{:after_path$}  {name}{:after_name$}  {tokens}", "", "")
        })
    })?;
    app.ui.note("'| llm' sends it, '-- PROGRAM' too, '-o FILE' keeps it");
    Ok(())
}

/// `src/undo.rs:120-188`.
fn called(place: &PrintedPlace<'_>) -> String {
    match place.lines {
        Some([first, last]) => visible(&format!("{}:{first}-{last}", place.label)),
        None => visible(place.label),
    }
}

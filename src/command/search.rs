use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::Path;

use clap::{Args, ValueHint};
use serde_json::{Value, json};

use crate::app::App;
use crate::command::render::typed;
use crate::error::Error;
use crate::looks::Looks;
use crate::options::{BudgetOptions, JsonOption, PlanOptions, SafetyOptions, SelectionOptions};
use crate::palette::{FAINT, STRONG};
use crate::request::{self, Extra};
use crate::ui::Ui;
use crate::visible::{escaped, visible};
use ctx_core::budget::Budget;
use ctx_core::entry::{Entry, ScopedEntry};
use ctx_core::fs::{Notation, resolved};
use ctx_core::plan::{Hit, Purpose};

/// How many passages are printed unless somebody asks for more.
const MOST: NonZeroUsize = NonZeroUsize::new(10).unwrap();

/// Find the passages that match a query best, in everything here
///
/// Searches everything below the current directory, or the PATHs, and the entries that were added with --search.
/// Ignore rules hold. The words of the query are found in all their forms, and in the parts of identifiers: `parse
/// header` finds `parseHeaders`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx search 'rotate the keys'              the best passages of all files here
  ctx search -n 3 -C 5 parse_header src     the best three of these, with five lines around
  ctx add --search '~/notes/**/*.md'        notes that are searched wherever you are")]
pub struct Search {
    /// What to look for: a question, words, an identifier
    #[arg(value_name = "QUERY", allow_hyphen_values = true)]
    query: String,

    /// Search these files, directories and patterns
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    paths: Vec<String>,

    /// Print at most this many passages
    #[arg(short = 'n', long = "number", value_name = "N", default_value_t = MOST)]
    most: NonZeroUsize,

    /// Show so many lines before and after each passage
    #[arg(short = 'C', long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    context: usize,

    #[command(flatten)]
    json: JsonOption,

    #[command(flatten)]
    selection: SelectionOptions,

    #[command(flatten)]
    safety: SafetyOptions,
}

impl Search {
    /// Prints the best passages.
    pub fn run(self, app: &App) -> Result<(), Error> {
        let budget = BudgetOptions {
            budget: Some(Budget::Unlimited),
            query: Some(self.query.clone()),
            ..Default::default()
        };
        let options =
            PlanOptions { budget, selection: self.selection, safety: self.safety, ..PlanOptions::default() };
        let extra = Extra {
            session: self.paths.iter().map(|path| ScopedEntry::typed(Entry::new(path))).collect(),
            looks: Looks::ThroughHere,
            purpose: Purpose::Search(self.most.get()),
            ..Extra::default()
        };
        let plan = request::plan(app, &options, extra)?;
        typed::check(&plan, options.selection.max_file_size.is_some())?;
        let hits = plan.hits(self.context);
        if hits.is_empty() {
            return Err(Error::impossible(format!("no match for '{}'", visible(&self.query))));
        }
        if self.json.json {
            app.ui.whole_json(&listing(&self.query, &hits))?
        } else {
            let cwd = resolved(&app.world().cwd);
            app.ui.data(|out| write(out, &hits, &cwd, &app.ui))?
        }
        // The process is about to end: giving a large plan back piece by piece would only take time.
        std::mem::forget(plan);
        Ok(())
    }
}

fn listing(query: &str, hits: &[Hit<'_>]) -> Value {
    let passage = |hit: &Hit<'_>| {
        json!({
            "path": hit.label,
            "first_line": hit.lines.first,
            "last_line": hit.lines.last,
            "score": hit.score.number(),
            "matching_lines": hit.matching,
            "text": hit.text,
        })
    };
    let passages: Vec<Value> = hits.iter().map(passage).collect();
    json!({"version": 1, "query": query, "passages": passages})
}

/// A heading for each passage that says where it is as an editor takes it, then its lines, those that match marked.
fn write(out: &mut impl Write, hits: &[Hit<'_>], cwd: &Path, ui: &Ui) -> io::Result<()> {
    for (place, hit) in hits.iter().enumerate() {
        if place > 0 {
            writeln!(out)?;
        }
        let below = hit.path.as_ref().and_then(|path| path.strip_prefix(cwd).ok());
        let below = below.filter(|path| path.to_str().is_some()).map(|path| Notation::HERE.shown(path));
        let line = hit.matching.first().copied().unwrap_or(hit.lines.first);
        let label = format!("{}:{line}", visible(below.as_deref().unwrap_or(hit.label)));
        let lines = format!("(lines {}-{}, {})", hit.lines.first, hit.lines.last, hit.score);
        writeln!(out, "{} {}", ui.paint(label, STRONG), ui.paint(lines, FAINT))?;
        for (number, line) in (hit.lines.first..).zip(hit.text.lines()) {
            let line = escaped(line);
            match hit.matching.binary_search(&number) {
                Ok(_) => writeln!(out, "  > {}", ui.paint(line, STRONG))?,
                Err(_) => writeln!(out, "{}", format!("    {line}").trim_end())?,
            }
        }
    }
    Ok(())
}

use std::io::{self, Write};
use std::num::NonZeroUsize;

use clap::{Args, ValueHint};
use serde::Serialize;

use crate::app::App;
use crate::command::render::typed;
use crate::error::{Error, Outcome};
use crate::options::{BudgetOptions, JsonOption, PlanOptions, SafetyOptions, SelectionOptions};
use crate::palette::{FAINT, STRONG};
use crate::request::{self, Extra};
use crate::ui::Ui;
use crate::visible::{escaped, visible};
use ctx_core::budget::Budget;
use ctx_core::entry::{Entry, ScopedEntry};
use ctx_core::plan::{Hit, Purpose};

/// How many passages are printed unless somebody asks for more.
const MOST: NonZeroUsize = NonZeroUsize::new(10).unwrap();

/// Find the passages that match a query best
///
/// Searches the entries that were added with --search; with --all everything that is kept, with PATHs those. The
/// words of the query are found in all their forms, and in the parts of identifiers: `parse header` finds
/// `parseHeaders`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx add --search '~/notes/**/*.md'        keep notes to be searched
  ctx search 'rotate the keys'              the best passages of them
  ctx search --all budget                   of everything that is kept
  ctx search -n 3 parse_header 'src/**'     of these files")]
pub struct Search {
    /// What to look for: a question, words, an identifier
    #[arg(value_name = "QUERY")]
    query: String,

    /// Search these files, directories and patterns instead
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath, conflicts_with = "all")]
    paths: Vec<String>,

    /// Print at most so many passages
    #[arg(short = 'n', long = "number", value_name = "N", default_value_t = MOST)]
    most: NonZeroUsize,

    /// Search everything that is kept
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    json: JsonOption,

    #[command(flatten)]
    selection: SelectionOptions,

    #[command(flatten)]
    safety: SafetyOptions,
}

/// The JSON form: `{"version": 1, "query": …, "passages": […]}`.
#[derive(Serialize)]
struct Listing<'a> {
    version: u32,
    query: &'a str,
    passages: Vec<Passage<'a>>,
}

/// One passage in the JSON form.
#[derive(Serialize)]
struct Passage<'a> {
    path: &'a str,
    first_line: usize,
    last_line: usize,
    score: f64,
    matching_lines: &'a [usize],
    text: &'a str,
}

impl Search {
    /// Prints the best passages.
    pub fn run(self, app: &App) -> Result<Outcome, Error> {
        let budget = BudgetOptions {
            budget: Some(Budget::Unlimited),
            query: Some(self.query.clone()),
            ..Default::default()
        };
        let options =
            PlanOptions { budget, selection: self.selection, safety: self.safety, ..PlanOptions::default() };
        let everything = self.all || !self.paths.is_empty();
        let extra = Extra {
            session: self.paths.iter().map(|path| ScopedEntry::typed(Entry::new(path))).collect(),
            only_session: !self.paths.is_empty(),
            purpose: if everything {
                Purpose::SearchAll(self.most.get())
            } else {
                Purpose::Search(self.most.get())
            },
            ..Extra::default()
        };
        let plan = request::plan(app, &options, extra)?;
        typed::check(&plan, options.selection.max_file_size.is_some())?;
        let is_searched = |entry: &ScopedEntry| everything || entry.entry.attributes.search;
        if !plan.entries().any(|(entry, _)| is_searched(entry)) {
            return Err(Error::impossible("no entry is kept to be searched").with_hint(
                "'ctx add --search PATH' adds entries; 'ctx search --all QUERY' searches everything",
            ));
        }
        let hits = plan.hits();
        if hits.is_empty() {
            return Err(Error::impossible(format!("nothing matches '{}'", visible(&self.query))));
        }
        if self.json.json {
            app.ui.whole_json(&listing(&self.query, &hits))?
        } else {
            app.ui.data(|out| write(out, &hits, &app.ui))?
        }
        // The process is about to end: giving a large plan back piece by piece would only take time.
        std::mem::forget(plan);
        Ok(Outcome::Done)
    }
}

fn listing<'a>(query: &'a str, hits: &'a [Hit<'a>]) -> Listing<'a> {
    let passage = |hit: &'a Hit<'a>| Passage {
        path: hit.label,
        first_line: hit.lines.first,
        last_line: hit.lines.last,
        score: hit.score.number(),
        matching_lines: &hit.matching,
        text: hit.text,
    };
    Listing { version: 1, query, passages: hits.iter().map(passage).collect() }
}

/// A heading for each passage, then its lines, those that match marked.
fn write(out: &mut impl Write, hits: &[Hit<'_>], ui: &Ui) -> io::Result<()> {
    for (place, hit) in hits.iter().enumerate() {
        if place > 0 {
            writeln!(out)?;
        }
        let label = format!("{}:{}-{}", visible(hit.label), hit.lines.first, hit.lines.last);
        let score = ui.paint(format!("({})", hit.score), FAINT);
        writeln!(out, "{} {score}", ui.paint(label, STRONG))?;
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

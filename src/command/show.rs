use clap::Args;

use crate::app::App;
use crate::conversation::Unknown;
use crate::error::{Error, Outcome};
use crate::options::{JsonOption, PlanOptions};
use crate::request::{self, Described, Extra};
use crate::ui::{Ui, visible};
use crate::{summary, treemap};
use ctx_core::account::{Account, EntryRecord, EntryState, HistoryRecord, InstructionRecord, Measures};
use ctx_core::entry::{ALLOW, Scope};
use ctx_core::plan::{Detail, Notice, NoticeKind, Plan};
use ctx_core::select::built_in;
use ctx_core::words::{counted, grouped};
use owo_colors::Style;
use std::io::{self, Write};

/// Show what is kept, what it matches now, and how much of the budget it takes
///
/// Contents are never printed. The options are those of `ctx render`, and so is the answer: what
/// `ctx show` says would be dropped is what `ctx render` drops.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx show                        entries, matches and the total
  ctx show --expand               every file: entry, tokens, share, status and reason
  ctx show --tree -b 60k          a tree with tokens for each directory
  ctx show --json | jq .tokens    for a script")]
pub struct Show {
    /// List every file in a table
    #[arg(short, long, conflicts_with_all = ["tree", "json"])]
    expand: bool,

    /// Draw the files as a tree, with tokens and a bar for each directory
    #[arg(short, long, conflicts_with = "json")]
    tree: bool,

    #[command(flatten)]
    json: JsonOption,

    #[command(flatten)]
    plan: PlanOptions,
}

impl Show {
    /// Prints what is kept.
    pub fn run(self, app: &App) -> Result<Outcome, Error> {
        let extra = Extra {
            detail: self.detail(),
            count_exclusions: true,
            unknown_history: Unknown::Empty,
            ..Extra::default()
        };
        let Described { plan, description } = request::described(app, &self.plan, extra)?;
        let account = plan.account();
        app.ui.notices(&self.worth_telling(&plan));
        if let Some(text) = built_in::left_out(plan.left_out_built_in()) {
            app.ui.note(text);
        }
        if self.json.json {
            app.ui.json(&account)?;
            return Ok(Outcome::Done);
        }
        app.ui.data(|out| {
            if self.expand {
                return summary::write_files(out, &account, &app.ui);
            }
            if self.tree {
                treemap::write(out, &account, &app.ui)?;
            } else {
                write_entries(out, &account, description.as_deref(), &app.ui)?;
            }
            summary::write_total(out, &account, &app.ui)?;
            summary::write_gone(out, &account, &app.ui)
        })?;
        Ok(Outcome::Done)
    }

    fn detail(&self) -> Detail {
        if self.json.json { Detail::Account } else { Detail::Counts }
    }

    /// What the layout itself does not say.
    fn worth_telling(&self, plan: &Plan) -> Vec<Notice> {
        let mut notices = plan.notices();
        notices.retain(|notice| match notice.kind {
            NoticeKind::Skipped => !self.expand && !self.json.json,
            NoticeKind::PassedOver
            | NoticeKind::History
            | NoticeKind::Redacted
            | NoticeKind::Revealed
            | NoticeKind::Command
            | NoticeKind::Untrusted
            | NoticeKind::Forbidden
            | NoticeKind::Project
            | NoticeKind::SecretNames => true,
            NoticeKind::Missing
            | NoticeKind::Exclusions
            | NoticeKind::EmptyInput
            | NoticeKind::Subdirectories
            | NoticeKind::Decoded
            | NoticeKind::References
            | NoticeKind::Trimmed
            | NoticeKind::NearlyFull
            | NoticeKind::WithoutQuery
            | NoticeKind::Empty => false,
        });
        notices
    }
}

fn write_entries(
    out: &mut impl Write,
    account: &Account,
    description: Option<&str>,
    ui: &Ui,
) -> io::Result<()> {
    let profile = account.profile.as_deref().unwrap_or("default");
    writeln!(out, "current profile: {}", ui.paint(profile, Style::new().green()))?;
    if let Some(project) = &account.project {
        writeln!(out, "project: {}", visible(&project.root))?;
    }
    if let Some(description) = description {
        writeln!(out, "{}", ui.paint(visible(description), Style::new().dimmed()))?;
    }
    if let Some(InstructionRecord { tokens, scopes, .. }) = &account.instruction {
        let scopes: Vec<&str> = scopes.iter().map(|scope| scope.name()).collect();
        writeln!(out, "instruction: {} ({})", account.measures.tokens(*tokens), scopes.join(", "))?;
    }
    if let Some(HistoryRecord { name, turns, tokens, share, .. }) = &account.history {
        let (turns, share) = (counted(*turns, "turn"), grouped(*share));
        writeln!(out, "history: {name} ({turns}, {} of {share} tokens)", account.measures.count(*tokens))?;
    }
    for (title, is_global) in [("global", true), ("profile", false)] {
        writeln!(out, "\n{}:", ui.paint(title, Style::new().bold()))?;
        let mut entries = account
            .entries
            .iter()
            .filter(|entry| (entry.scope == Scope::Global) == is_global && entry.scope != Scope::Session)
            .peekable();
        if entries.peek().is_none() {
            writeln!(out, "    {}", ui.paint("<none>", Style::new().dimmed()))?;
        }
        for entry in entries {
            let details = details(entry, &account.measures);
            let style = match entry.takes_out {
                Some(0) => Style::new().yellow(),
                Some(_) | None => style(entry.state),
            };
            let path = visible(&entry.entry);
            write!(out, "    {path}")?;
            if !details.is_empty() {
                write!(out, " {}", ui.paint(format!("({details})"), style))?;
            }
            for tag in &entry.tags {
                write!(out, " {}", ui.paint(format!("[{}]", visible(tag)), Style::new().cyan()))?;
            }
            writeln!(out)?;
        }
    }
    writeln!(out)
}

fn style(state: EntryState) -> Style {
    match state {
        EntryState::Ok | EntryState::Exclusion | EntryState::Filtered | EntryState::Off => {
            Style::new().dimmed()
        }
        EntryState::Missing | EntryState::NoMatches => Style::new().yellow(),
        EntryState::Invalid => Style::new().red(),
    }
}

/// `42 matches, 50,392 tokens, pinned`.
fn details(entry: &EntryRecord, measures: &Measures) -> String {
    let state = match entry.state {
        EntryState::Ok => Some(entry.amount("match", measures)),
        EntryState::NoMatches => Some(match &entry.problem {
            Some(problem) => format!("0 matches: {}", visible(problem)),
            None => "0 matches".to_owned(),
        }),
        EntryState::Missing => Some("missing".to_owned()),
        EntryState::Invalid => Some(entry.problem.clone().unwrap_or_else(|| "invalid".to_owned())),
        EntryState::Filtered => Some("not asked for".to_owned()),
        EntryState::Off => Some("off".to_owned()),
        EntryState::Exclusion => entry
            .problem
            .as_deref()
            .map(visible)
            .or_else(|| entry.takes_out.map(|count| format!("excludes {}", counted(count, "file")))),
    };
    let pinned = entry.pinned.then(|| "pinned".to_owned());
    let secrets = entry.secrets.map(|allowed| match allowed {
        ALLOW => "secrets allowed",
        _ => "secret names allowed",
    });
    let hidden = entry.hidden.map(|_| "hidden characters allowed");
    let search = entry.search.then_some("only searched");
    let ignore = entry.ignore.map(|_| "no ignore rules");
    let imports = entry.imports.then_some("with imports");
    let only_success = entry.exit.map(|_| "only if it succeeds");
    let allowed = search
        .into_iter()
        .chain(secrets)
        .chain(hidden)
        .chain(ignore)
        .chain(imports)
        .chain(only_success)
        .map(str::to_owned);
    let amounts = [
        ("as", &entry.level),
        ("share", &entry.share),
        ("timeout", &entry.timeout),
        ("max-output", &entry.max_output),
        ("ttl", &entry.ttl),
    ];
    let amounts =
        amounts.into_iter().filter_map(|(name, amount)| Some(format!("{name} {}", amount.as_ref()?)));
    state.into_iter().chain(pinned).chain(allowed).chain(amounts).collect::<Vec<_>>().join(", ")
}

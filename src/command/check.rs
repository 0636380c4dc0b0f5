use std::io::{self, Write};
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use crate::app::App;
use crate::error::{Error, Failure};
use crate::hints;
use crate::models;
use crate::options::{JsonOption, PlanOptions};
use crate::palette::{BAD, GOOD, PLAIN, STRONG};
use crate::request::{self, Extra};
use crate::session::PromptOptions;
use crate::summary;
use crate::trust::TrustOption;
use crate::ui::Ui;
use crate::visible::visible;
use ctx_core::account::{Account, FileCounts, Measures, TokenCounts};
#[cfg(unix)]
use ctx_core::check::of_checkpoints;
use ctx_core::check::{Finding, Group, VERSION, of_lists, of_plan, of_rules, of_store};
#[cfg(unix)]
use ctx_core::checkpoint::{CheckpointLimits, Checkpoints};
use ctx_core::entry::Scope;
use ctx_core::plan::Detail;
use ctx_core::words::counted;

/// How many findings of a group are shown.
const SHOWN: usize = 20;

/// Check your entries and the store for problems (exit status 3 if there are any)
///
/// Reports entries that are invalid or match nothing; duplicates; files that can't be read, contain secrets or
/// hidden characters, or don't fit the budget; damaged files in the store; and interrupted restores. For profiles
/// that aren't active, it checks entries and settings without looking for files. It takes the options of
/// `ctx render` and finds the problems that `ctx render` would run into. The built-in global entries are allowed
/// to match nothing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx check                      the active profile
  ctx check -b 20k --tag api     with the options of a render
  ctx check --json | jq -r '.findings[].subject'
  ctx check && ctx render -p \"Review this\" | llm")]
pub struct Check {
    #[command(flatten)]
    prompt: PromptOptions,

    #[command(flatten)]
    json: JsonOption,

    #[command(flatten)]
    plan: PlanOptions,

    #[command(flatten)]
    trust: TrustOption,
}

/// The JSON format: `version` 1.
#[derive(Serialize)]
struct CheckReport<'a> {
    version: u32,
    /// Whether there are no findings.
    ok: bool,
    /// The findings, by group.
    findings: &'a [Finding],
    // The result of a render, as in its account; absent if the store prevents one.
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<&'a Option<String>>,
    #[serde(flatten)]
    measures: Option<&'a Measures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file_counts: Option<FileCounts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<TokenCounts>,
}

impl Check {
    /// Prints the findings.
    pub fn run(self, app: &App) -> Result<ExitCode, Error> {
        let registry = models::registry(&app.store).map_err(|error| error.messages.join("; "));
        let mut findings = of_store(&app.store, &registry);
        let mut extra = Extra {
            detail: Detail::Counts,
            count_exclusions: true,
            history_may_be_new: true,
            trust: self.trust.digest(app)?,
            ..Extra::default()
        };
        self.prompt.read(app, &self.plan, &mut extra)?;
        let mut lacks_question = false;
        let account = match request::plan(app, &self.plan, extra) {
            Ok(plan) => {
                lacks_question = plan.lacks_question();
                let account = plan.account_without_files();
                findings.extend(of_plan(&plan, &account));
                Some(account)
            }
            // The error is one of the findings already.
            Err(error) if error.is_in_store && !findings.is_empty() => None,
            Err(error) => return Err(error),
        };
        let planned = account.as_ref().and_then(|account| account.profile.as_deref());
        findings.extend(of_lists(&app.store, app.world(), planned));
        // A plan that uses them all has reported them already.
        let of_rules = of_rules(app.world()).into_iter().filter(|finding| !findings.contains(finding));
        findings.extend(of_rules.collect::<Vec<Finding>>());
        #[cfg(unix)]
        findings.extend(checkpoints(app));
        findings.sort_by_key(|finding| finding.group);
        for Finding { text, hint, .. } in &mut findings {
            *text = hints::with(&text, hint.as_ref());
        }
        if self.json.json {
            let account = account.as_ref();
            app.ui.json(&CheckReport {
                version: VERSION,
                ok: findings.is_empty(),
                findings: &findings,
                profile: account.map(|account| &account.profile),
                measures: account.map(|account| &account.measures),
                file_counts: account.map(|account| account.file_counts),
                tokens: account.map(|account| account.tokens),
            })?;
        } else {
            app.ui.data(|out| write(out, &findings, lacks_question, account.as_ref(), &app.ui))?;
        }
        Ok(if findings.is_empty() { ExitCode::SUCCESS } else { Failure::Strict.code().into() })
    }
}

/// The problems with the checkpoints of this tree; none if the tree can't have checkpoints.
#[cfg(unix)]
fn checkpoints(app: &App) -> Vec<Finding> {
    let launcher = crate::environment::launcher();
    let checkpoints = Checkpoints::around(
        &app.store,
        app.world(),
        &launcher,
        CheckpointLimits::default(),
        app.git_deadline(),
    );
    checkpoints.map_or_else(|_| Vec::new(), |checkpoints| of_checkpoints(&checkpoints))
}

fn write(
    out: &mut impl Write,
    findings: &[Finding],
    lacks_question: bool,
    account: Option<&Account>,
    ui: &Ui,
) -> io::Result<()> {
    for group in Group::ALL {
        let found: Vec<&Finding> = findings.iter().filter(|finding| finding.group == group).collect();
        if found.is_empty() {
            continue;
        }
        let without = if lacks_question && group == Group::Budget { ", without a question" } else { "" };
        writeln!(out, "{}{without}:", ui.paint(group.title(), STRONG))?;
        for finding in found.iter().take(SHOWN) {
            ui.write_text(out, 4, &visible(&line(finding)), PLAIN)?;
        }
        if found.len() > SHOWN {
            writeln!(out, "    and {} more: --json lists all", found.len() - SHOWN)?;
        }
        writeln!(out)?;
    }
    match findings.len() {
        0 => writeln!(out, "{}", ui.paint("no problems", GOOD))?,
        count => writeln!(out, "{}", ui.paint(counted(count, "problem"), BAD))?,
    }
    account.map_or(Ok(()), |account| summary::write_total(out, account, ui))
}

fn line(finding: &Finding) -> String {
    let scope = match (finding.scope, &finding.profile) {
        (Some(Scope::Global), _) => " (global)".to_owned(),
        (Some(Scope::Profile | Scope::Project), Some(name)) => format!(" (profile '{name}')"),
        (Some(Scope::Profile), None) => " (profile)".to_owned(),
        (Some(Scope::Project), None) => " (project)".to_owned(),
        (Some(Scope::Session | Scope::Prompt) | None, _) => String::new(),
    };
    format!("{}{scope}: {}", finding.subject, finding.text)
}

pub mod entries;

use clap::{ArgGroup, Args};

use crate::app::App;
use crate::command::render::outputs::SinceOption;
use crate::command::render::typed;
use crate::error::Error;
use crate::hints;
use crate::options::{JsonOption, PlanOptions, Sort};
use crate::request::{self, Extra};
use crate::session::SessionOptions;
use crate::summary;
use crate::treemap;
use crate::trust::TrustOption;
use ctx_core::account::Account;
use ctx_core::plan::{Detail, Plan};
use ctx_core::report::{Hint, Notice, NoticeKind};
use ctx_core::select::built_in;

/// List your entries, the files they match, and their share of the budget
///
/// `ctx show` never prints contents and never runs a command. It takes the PATHs and options of `ctx render` and
/// shows what that command would print and leave out.
#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("files").args(["expand", "tree"])),
    after_help = "Examples:
  ctx show                        list entries, matches and the total
  ctx show --expand               list every file with its entry, tokens, share, status and reason
  ctx show --tree --depth 2       draw a tree with the tokens of each directory
  ctx show --tree --sort tokens   draw the largest first
  ctx show --only 'src/**'        see what these files would cost
  ctx show --json | jq .tokens    read the total in a script"
)]
pub struct Show {
    #[command(flatten)]
    session: SessionOptions,

    /// List every file in a table
    #[arg(short, long, conflicts_with = "json")]
    expand: bool,

    /// Draw the files as a tree, with tokens and a bar for each directory
    #[arg(short, long, conflicts_with = "json")]
    tree: bool,

    /// Draw this many levels of the tree, with one line for each deeper directory
    #[arg(long, value_name = "N", conflicts_with_all = ["expand", "json"], value_parser = clap::value_parser!(u16).range(1..))]
    depth: Option<u16>,

    /// List or draw the files in this order [default: the order of the output; by name in a tree]
    #[arg(long, value_name = "ORDER", conflicts_with = "json")]
    sort: Option<Sort>,

    #[command(flatten)]
    json: JsonOption,

    #[command(flatten)]
    plan: PlanOptions,

    #[command(flatten)]
    since: SinceOption,

    #[command(flatten)]
    trust: TrustOption,
}

impl Show {
    /// Prints the entries.
    pub fn run(mut self, app: &App) -> Result<(), Error> {
        self.tree |= self.depth.is_some();
        self.expand |= self.sort.is_some() && !self.tree;
        self.session.check_standard_input()?;
        self.since.expand(app);
        let mut extra = Extra {
            detail: self.detail(),
            history_may_be_new: true,
            count_exclusions: true,
            since: self.since.read(app)?,
            trust: self.trust.digest(app)?,
            ..Extra::default()
        };
        self.session.read(app, &self.plan, &mut extra)?;
        let described = request::described(app, &self.plan, extra)?;
        let plan = &described.plan;
        typed::check(app.world(), plan, self.plan.selection.max_file_size.is_some(), None)?;
        app.ui.notices(&self.worth_telling(plan));
        app.ui.notices(built_in::left_out(plan.left_out_built_in()).as_slice());
        let settings = described.settings.clone();
        if self.json.json {
            return app.ui.json(&Account { settings, ..plan.account_to_write() });
        }
        let account = Account { settings, ..plan.account_without_files() };
        if self.expand {
            summary::print_files(app, plan, &account, self.sort)?;
            return app.ui.data(|out| entries::write_without_files(out, &account, &app.ui));
        }
        app.ui.data(|out| {
            if self.tree {
                let depth = self.depth.map(usize::from);
                treemap::write(out, plan.records(), account.measures.estimated, depth, self.sort, &app.ui)?;
            } else {
                entries::write(out, &described, &account, &app.ui)?;
            }
            summary::write_total(out, &account, &app.ui)?;
            summary::write_gone(out, plan, &account, &app.ui)
        })?;
        if plan.has_empty_lists() && plan.is_empty() {
            app.ui.hint(hints::in_words(&Hint::AskOrAdd { question: None }));
        }
        Ok(())
    }

    fn detail(&self) -> Detail {
        if self.json.json { Detail::Account } else { Detail::Counts }
    }

    /// The notices whose content isn't already in the layout.
    fn worth_telling(&self, plan: &Plan) -> Vec<Notice> {
        let mut notices = plan.notices();
        notices.retain(|notice| match notice.kind {
            NoticeKind::Skipped => !self.expand && !self.json.json,
            NoticeKind::PassedOver
            | NoticeKind::IgnoreFiles
            | NoticeKind::History
            | NoticeKind::Redacted
            | NoticeKind::Revealed
            | NoticeKind::Command
            | NoticeKind::Untrusted
            | NoticeKind::Forbidden
            | NoticeKind::Project
            | NoticeKind::Filters
            | NoticeKind::EmptyInput
            | NoticeKind::References
            | NoticeKind::Window
            | NoticeKind::SecretNames => true,
            NoticeKind::Missing
            | NoticeKind::Exclusions
            | NoticeKind::Subdirectories
            | NoticeKind::Decoded
            | NoticeKind::OmittedData
            | NoticeKind::Since
            | NoticeKind::Trimmed
            | NoticeKind::Question
            | NoticeKind::NearlyFull
            | NoticeKind::WithoutQuery
            | NoticeKind::Empty => false,
        });
        notices
    }
}

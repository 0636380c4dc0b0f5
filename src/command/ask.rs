use clap::{Arg, Args};

use super::render::{Block, Destination};
use crate::app::App;
use crate::error::{Error, Outcome};
use crate::looks::Looks;

/// Ask a question about everything here
///
/// Prints what answers the question best out of all files of the repository, or of the PATHs, then the question. No
/// list is needed: what is kept counts as well, and pins are always in.
#[derive(Debug, Args)]
#[command(
    mut_args(of_a_question),
    after_help = "Examples:
  ctx ask \"why does /undo fail after a merge?\" | llm
  ctx ask -b 60k \"how are keys rotated?\" src docs | llm",
    after_long_help = ""
)]
pub struct Ask {
    /// The question; `-` is standard input
    #[arg(value_name = "QUESTION", required_unless_present_any = ["prompt", "prompt_file"], allow_hyphen_values = true)]
    question: Option<String>,

    #[command(flatten)]
    block: Block,

    #[command(flatten)]
    destination: Destination,
}

/// The options that `-h` shows.
const EVERY_DAY: [&str; 8] =
    ["budget", "model", "include", "exclude", "format", "output", "dry_run", "strict"];

/// An option of a block, as it is for a question.
fn of_a_question(arg: Arg) -> Arg {
    let is_of_every_day = arg.is_positional() || EVERY_DAY.contains(&arg.get_id().as_str());
    let arg = arg.hide_short_help(!is_of_every_day);
    let arg = if is_of_every_day { arg.help_heading(None) } else { arg };
    match arg.get_id().as_str() {
        // The question is the prompt, and directories are always looked through as a whole.
        "prompt" | "recursive" => arg.hide(true),
        "paths" => arg.help("Look through these files, directories and patterns alone"),
        "budget" => {
            arg.help("The most tokens of the block [default: 16k, and what is pinned on top]").long_help(None)
        }
        "include" => arg.help("Use only files that match this pattern (repeat for several)"),
        "exclude" => arg.help("Use no files that match this pattern (repeat for several)"),
        "format" => arg.help("The form of the block: text, markdown, xml, json, messages [default: text]"),
        "strict" => arg.help("Print nothing and exit 3 if anything kept is missing, cut or redacted"),
        "trim" => arg.help("What to drop or shorten when the files do not fit [default: relevant]"),
        "only" => arg.help("Leave what is kept out, pins too"),
        _ => arg,
    }
}

impl Ask {
    /// Prints the block.
    pub fn run(mut self, app: &App) -> Result<Outcome, Error> {
        self.block.ask(self.question);
        self.destination.print(app, self.block, Looks::ThroughEverything)
    }
}

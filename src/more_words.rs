//! More to search for than the question says: words and names that the code probably uses.

use clap::{ArgAction, Args};

use super::options::parsed;
use super::request::More;
use ctx_core::fs::resolved;
use ctx_core::setting::NamedBy;
use ctx_core::world::World;

/// What to search for besides the question.
#[derive(Debug, Clone, Default, Args)]
pub struct MoreWords {
    /// Also search for these names, which the code probably uses: NAME,NAME
    #[arg(short, long, value_name = "WORDS", allow_hyphen_values = true, action = ArgAction::Append)]
    words: Vec<String>,

    /// Have a program choose such names first: 'llm -m small', auto, none [default: auto]
    #[arg(hide_short_help = true, long, value_name = "PROGRAM", value_parser = parsed::<NamedBy>)]
    words_from: Option<NamedBy>,
}

impl MoreWords {
    /// Who chooses more names, if the command line says so.
    pub fn from(&self) -> Option<&NamedBy> {
        self.words_from.as_ref()
    }

    /// What to search for. The path of a file here isn't a name, but makes that file matter more.
    pub fn more(&self, world: &World) -> More {
        let mut more = More::default();
        for word in self.each() {
            match file_here(word, world) {
                Some(label) => more.paths.push(label),
                None => more.names.push(word.to_owned()),
            }
        }
        more
    }

    /// Each word or name, in the order of the command line: what is between commas and line ends.
    fn each(&self) -> impl Iterator<Item = &str> {
        let parts = self.words.iter().flat_map(|words| words.split([',', '\n', '\r']));
        parts.map(str::trim).filter(|word| !word.is_empty())
    }
}

/// The label of the file that a word names, from the current directory or else from the root.
fn file_here(word: &str, world: &World) -> Option<String> {
    let places = [&world.cwd, &world.root].map(|directory| directory.join(word));
    let place = places.iter().find(|place| place.is_file())?;
    let below = resolved(place).strip_prefix(resolved(&world.root)).ok()?.to_owned();
    Some(below.to_str()?.replace(std::path::MAIN_SEPARATOR, "/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_separated_by_commas_and_line_ends() {
        let words = ["statusline, StatusLineElement,,", "-uu\nfn main\r\n", " "].map(str::to_owned);
        let words = MoreWords { words: words.to_vec(), words_from: None };
        let each: Vec<&str> = words.each().collect();
        assert_eq!(each, ["statusline", "StatusLineElement", "-uu", "fn main"]);
    }
}

//! More to search for than the question says: words and names that the code probably uses.

use clap::{ArgAction, Args};

/// What to search for besides the question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct MoreWords {
    /// Also search for these names, which the code probably uses: NAME,NAME
    #[arg(short, long, value_name = "WORDS", allow_hyphen_values = true, action = ArgAction::Append)]
    words: Vec<String>,
}

impl MoreWords {
    /// Each word or name, in the order of the command line: what is between commas and line ends.
    pub fn each(&self) -> impl Iterator<Item = &str> {
        let parts = self.words.iter().flat_map(|words| words.split([',', '\n', '\r']));
        parts.map(str::trim).filter(|word| !word.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_separated_by_commas_and_line_ends() {
        let words = ["statusline, StatusLineElement,,", "-uu\nfn main\r\n", " "].map(str::to_owned);
        let words = MoreWords { words: words.to_vec() };
        let each: Vec<&str> = words.each().collect();
        assert_eq!(each, ["statusline", "StatusLineElement", "-uu", "fn main"]);
    }
}

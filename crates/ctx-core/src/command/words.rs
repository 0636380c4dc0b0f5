//! The words of a command, split and unquoted as in a POSIX shell.

use std::str::FromStr;

use crate::words::{WrongText, grouped};

/// A program and its arguments. Nothing in them is expanded.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Words {
    program: String,
    arguments: Vec<String>,
}

const NO_COMMAND: &str = "it names no command";
const OPEN_QUOTES: &str = "a quotation mark is not closed";

/// The maximum length of a command, in bytes. Its words are looked up among the files of the tree, which
/// takes time.
const LONGEST: usize = 64 << 10;

impl Words {
    /// The program: a name, or a path.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.program
    }

    /// The arguments after the program.
    #[must_use]
    pub fn arguments(&self) -> &[String] {
        &self.arguments
    }

    /// These words, with each argument replaced by what `change` makes of it.
    #[must_use]
    pub fn with_each(&self, change: impl Fn(&str) -> String) -> Self {
        Self {
            program: self.program.clone(),
            arguments: self.arguments.iter().map(|word| change(word)).collect(),
        }
    }

    /// These words with another program.
    #[must_use]
    pub fn with_program(self, program: String) -> Self {
        Self { program, ..self }
    }

    /// All words, the program first.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        [self.program.as_str()].into_iter().chain(self.arguments.iter().map(String::as_str))
    }

    /// The words quoted for a shell.
    #[must_use]
    pub fn line(&self) -> String {
        shlex::try_join(self.iter()).unwrap_or_else(|_| self.iter().collect::<Vec<_>>().join(" "))
    }
}

impl FromStr for Words {
    type Err = WrongText;

    fn from_str(text: &str) -> Result<Self, WrongText> {
        if text.len() > LONGEST {
            return Err(WrongText::new(format!(
                "a command can have at most {} bytes",
                grouped(LONGEST as u64)
            )));
        }
        let mut words = shlex::split(text).ok_or(WrongText::new(OPEN_QUOTES))?.into_iter();
        match words.next() {
            Some(program) if !program.is_empty() => Ok(Self { program, arguments: words.collect() }),
            Some(_) | None => Err(WrongText::new(NO_COMMAND)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Result<Vec<String>, WrongText> {
        Ok(text.parse::<Words>()?.iter().map(str::to_owned).collect())
    }

    #[test]
    fn words_are_split_and_unquoted_but_not_expanded() {
        for (text, expected) in [
            ("git log -5", &["git", "log", "-5"][..]),
            ("  cargo\ttest ", &["cargo", "test"]),
            ("sh -c 'make 2>&1 | tail -40'", &["sh", "-c", "make 2>&1 | tail -40"]),
            (r#"echo "a b"c\ d ''"#, &["echo", "a bc d", ""]),
            ("echo $HOME *.md ~ `id` $(id) a;b", &["echo", "$HOME", "*.md", "~", "`id`", "$(id)", "a;b"]),
        ] {
            assert_eq!(words(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn text_without_a_command_or_with_an_open_quote_is_refused() {
        for text in ["", "  ", "''", "# note"] {
            assert_eq!(words(text), Err(WrongText::new(NO_COMMAND)), "{text}");
        }
        for text in ["echo 'a", "echo \"a", "echo a\\"] {
            assert_eq!(words(text), Err(WrongText::new(OPEN_QUOTES)), "{text}");
        }
    }
}

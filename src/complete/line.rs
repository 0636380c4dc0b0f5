//! A command line being typed, split as its shell would split it.

use std::iter::Peekable;
use std::str::Chars;

/// How a shell quotes.
#[derive(Debug, Clone, Copy)]
pub enum Syntax<'a> {
    /// bash, which starts a new word after any of these characters (`COMP_WORDBREAKS`).
    Bash { breaks: &'a str },
    /// fish, which also has escapes inside single quotes.
    Fish,
}

impl Syntax<'_> {
    /// Whether a backslash inside quotes escapes this character.
    fn escapes(self, quote: char, char: char) -> bool {
        match (quote, self) {
            ('"', Self::Bash { .. }) => r#""$`\"#.contains(char),
            ('"', Self::Fish) => r#""$\"#.contains(char),
            (_, Self::Bash { .. }) => false,
            (_, Self::Fish) => r"'\".contains(char),
        }
    }
}

/// The words up to the cursor, as a program would receive them. The last one is being completed.
#[derive(Debug, PartialEq, Eq)]
pub struct Line {
    /// The words; the first is the name of the program.
    pub words: Vec<String>,
    open_quote: Option<char>,
    /// How many bytes of the last word come before the part that the shell replaces.
    kept: usize,
}

impl Line {
    /// Splits the text of a line up to the cursor.
    pub fn parse(text: &str, syntax: Syntax<'_>) -> Self {
        let mut reader = Reader { chars: text.chars().peekable(), syntax, open_quote: None, kept: 0 };
        let mut words = Vec::new();
        loop {
            let word = reader.word();
            let at_cursor = reader.chars.next().is_none();
            if at_cursor {
                words.push(word);
                break;
            }
            let is_assignment = words.is_empty() && word.contains('=');
            if !word.is_empty() && !is_assignment {
                words.push(word);
            }
        }
        Self { words, open_quote: reader.open_quote, kept: reader.kept }
    }

    /// A candidate for the last word as bash expects it: without the part that stays, and quoted like the rest.
    pub fn quote(&self, candidate: &str) -> Option<String> {
        let rest = candidate.get(self.kept..)?;
        Some(rest.chars().map(|char| self.quoted(char)).collect())
    }

    fn quoted(&self, char: char) -> String {
        match self.open_quote {
            Some('\'') if char == '\'' => r"'\''".to_owned(),
            Some('\'') => char.to_string(),
            // Inside double quotes, a backslash doesn't prevent history expansion.
            Some(_) if char == '!' => r#""'!'""#.to_owned(),
            Some(_) if r#""$`\"#.contains(char) => format!("\\{char}"),
            Some(_) => char.to_string(),
            None if char.is_alphanumeric() || "_-./:=@%+,".contains(char) => char.to_string(),
            None => format!("\\{char}"),
        }
    }
}

/// Quotes a word so that PowerShell takes it as a single word and evaluates nothing in it.
pub fn powershell_word(word: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "_-./\\:=+".contains(char);
    if word.chars().all(is_plain) {
        return word.to_owned();
    }
    // These also end a text in single quotes.
    let quotes = ['\'', '‘', '’', '‚', '‛'];
    let inner: String = word
        .chars()
        .flat_map(|char| std::iter::repeat_n(char, 1 + usize::from(quotes.contains(&char))))
        .collect();
    format!("'{inner}'")
}

struct Reader<'a> {
    chars: Peekable<Chars<'a>>,
    syntax: Syntax<'a>,
    open_quote: Option<char>,
    kept: usize,
}

impl Reader<'_> {
    /// The next word, up to the next unquoted blank.
    fn word(&mut self) -> String {
        let mut word = String::new();
        self.kept = 0;
        while let Some(char) = self.chars.next_if(|char| !char.is_whitespace() && !"<>|&;()".contains(*char))
        {
            match char {
                '\'' | '"' => self.in_quotes(char, &mut word),
                '\\' => word.extend(self.chars.next()),
                char => {
                    word.push(char);
                    if matches!(self.syntax, Syntax::Bash { breaks } if breaks.contains(char)) {
                        self.kept = word.len();
                    }
                }
            }
        }
        word
    }

    fn in_quotes(&mut self, quote: char, word: &mut String) {
        let start = word.len();
        let syntax = self.syntax;
        while let Some(char) = self.chars.next() {
            if char == quote {
                return;
            }
            match self.chars.next_if(|next| char == '\\' && syntax.escapes(quote, *next)) {
                Some(escaped) => word.push(escaped),
                None => word.push(char),
            }
        }
        self.open_quote = Some(quote);
        self.kept = start;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BASH: Syntax<'_> = Syntax::Bash { breaks: " \t\n\"'><=;|&(:" };

    #[test]
    fn words_are_what_a_program_would_get() {
        let parse = |text, syntax| Line::parse(text, syntax).words;
        assert_eq!(
            parse(r#"ctx rm my\ file "a b" 'c d' e"#, BASH),
            ["ctx", "rm", "my file", "a b", "c d", "e"]
        );
        assert_eq!(parse("ctx switch ", BASH), ["ctx", "switch", ""]);
        assert_eq!(parse("ctx  rm  'half open", BASH), ["ctx", "rm", "half open"]);
        assert_eq!(parse("CTX_PROFILE=x ctx sw", Syntax::Fish), ["ctx", "sw"]);
        assert_eq!(parse(r"ctx rm 'it\'s", Syntax::Fish), ["ctx", "rm", "it's"]);
        assert_eq!(parse("", BASH), [""]);
        assert_eq!(parse("ctx rm \\", BASH), ["ctx", "rm", ""]);
    }

    #[test]
    fn bash_gets_what_stands_behind_the_last_break() {
        let quoted = |line, candidate| Line::parse(line, BASH).quote(candidate);
        assert_eq!(quoted("ctx rm ", "a b:[c]~").as_deref(), Some(r"a\ b:\[c\]\~"));
        assert_eq!(quoted("ctx rm notes:a", "notes:a b").as_deref(), Some(r"a\ b"));
        assert_eq!(quoted("ctx --profile=a", "--profile=api").as_deref(), Some("api"));
        assert_eq!(quoted("ctx rm \"notes:a", "notes:a $b!").as_deref(), Some(r#"notes:a \$b"'!'""#));
        assert_eq!(quoted("ctx rm x'y", "xy's").as_deref(), Some(r"y'\''s"));
        assert_eq!(quoted("ctx rm notes:", "notes"), None);
    }

    #[test]
    fn powershell_evaluates_nothing_in_a_word() {
        for (word, written) in [
            ("src/a.rs", "src/a.rs"),
            ("--profile=api", "--profile=api"),
            ("$(touch PWN).md", "'$(touch PWN).md'"),
            ("a b", "'a b'"),
            ("a`b;c|d&e", "'a`b;c|d&e'"),
            ("it's ‘so’", "'it''s ‘‘so’’'"),
            ("@x,\"y\"#z", "'@x,\"y\"#z'"),
        ] {
            assert_eq!(powershell_word(word), written);
        }
    }

    proptest! {
        #[test]
        fn what_is_quoted_reads_back(candidate in "[a-c '\"\\\\$:=~*\\[!é]{0,12}", quote in "['\"]?") {
            let line = Line::parse(&format!("ctx rm {quote}"), BASH);
            let inserted = format!("ctx rm {quote}{}{quote} ", line.quote(&candidate).unwrap());
            let read = Line::parse(&inserted, BASH).words;
            if !candidate.is_empty() {
                prop_assert_eq!(&read[2], &candidate);
            }
        }
    }
}

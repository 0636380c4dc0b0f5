//! A command line being typed, split as its shell would split it.

use std::iter::Peekable;
use std::str::Chars;

/// Whether a backslash inside quotes escapes this character.
fn escapes(is_bash: bool, quote: char, char: char) -> bool {
    match quote {
        '"' if is_bash => r#""$`\"#.contains(char),
        '"' => r#""$\"#.contains(char),
        _ => !is_bash && r"'\".contains(char),
    }
}

/// The words up to the cursor, as a program would receive them. The last one is being completed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The words; the first is the name of the program.
    pub words: Vec<String>,
    open_quote: Option<char>,
    /// How many bytes of the last word come before the part that the shell replaces.
    kept: usize,
}

impl Line {
    /// Splits a line up to the cursor. In bash, `breaks` (`COMP_WORDBREAKS`) are the characters after which
    /// the shell completes the rest of a word on its own. Without `breaks`, splits as fish does, which has
    /// escapes inside single quotes as well.
    pub fn parse(text: &str, breaks: Option<&str>) -> Self {
        let mut chars = text.chars().peekable();
        let mut line = Self::default();
        loop {
            let word = line.word(&mut chars, breaks);
            let at_cursor = chars.next().is_none();
            if at_cursor {
                line.words.push(word);
                return line;
            }
            let is_assignment = line.words.is_empty() && word.contains('=');
            if !word.is_empty() && !is_assignment {
                line.words.push(word);
            }
        }
    }

    /// The next word, which ends before unquoted white space or an unquoted operator.
    fn word(&mut self, chars: &mut Peekable<Chars<'_>>, breaks: Option<&str>) -> String {
        let mut word = String::new();
        self.kept = 0;
        while let Some(char) = chars.next_if(|char| !char.is_whitespace() && !"<>|&;()".contains(*char)) {
            match char {
                '\'' | '"' => self.in_quotes(chars, breaks.is_some(), char, &mut word),
                '\\' => word.extend(chars.next()),
                char => {
                    word.push(char);
                    if breaks.is_some_and(|breaks| breaks.contains(char)) {
                        self.kept = word.len();
                    }
                }
            }
        }
        word
    }

    fn in_quotes(&mut self, chars: &mut Peekable<Chars<'_>>, is_bash: bool, quote: char, word: &mut String) {
        let start = word.len();
        while let Some(char) = chars.next() {
            if char == quote {
                return;
            }
            match chars.next_if(|next| char == '\\' && escapes(is_bash, quote, *next)) {
                Some(escaped) => word.push(escaped),
                None => word.push(char),
            }
        }
        self.open_quote = Some(quote);
        self.kept = start;
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
    // These also end a string in single quotes.
    let quotes = ['\'', '‘', '’', '‚', '‛'];
    let inner: String = word
        .chars()
        .flat_map(|char| std::iter::repeat_n(char, 1 + usize::from(quotes.contains(&char))))
        .collect();
    format!("'{inner}'")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BASH: Option<&str> = Some(" \t\n\"'><=;|&(:");

    #[test]
    fn words_are_parsed_as_a_shell_would() {
        let parse = |text, breaks| Line::parse(text, breaks).words;
        assert_eq!(
            parse(r#"ctx rm my\ file "a b" 'c d' e"#, BASH),
            ["ctx", "rm", "my file", "a b", "c d", "e"]
        );
        assert_eq!(parse("ctx switch ", BASH), ["ctx", "switch", ""]);
        assert_eq!(parse("ctx  rm  'half open", BASH), ["ctx", "rm", "half open"]);
        assert_eq!(parse("CTX_PROFILE=x ctx sw", None), ["ctx", "sw"]);
        assert_eq!(parse(r"ctx rm 'it\'s", None), ["ctx", "rm", "it's"]);
        assert_eq!(parse("", BASH), [""]);
        assert_eq!(parse("ctx rm \\", BASH), ["ctx", "rm", ""]);
    }

    #[test]
    fn bash_gets_the_part_after_the_last_word_break() {
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
        fn quoted_candidate_parses_back_to_itself(candidate in "[a-c '\"\\\\$:=~*\\[!é]{0,12}", quote in "['\"]?") {
            let line = Line::parse(&format!("ctx rm {quote}"), BASH);
            let inserted = format!("ctx rm {quote}{}{quote} ", line.quote(&candidate).unwrap());
            let read = Line::parse(&inserted, BASH).words;
            if !candidate.is_empty() {
                prop_assert_eq!(&read[2], &candidate);
            }
        }
    }
}

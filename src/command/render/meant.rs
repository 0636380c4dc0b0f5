//! A question that was typed as a path, in pieces, or in the wrong place.

use ctx_core::store::ProfileName;

use crate::shell::{question_word, shell_word};

/// A path of the command line.
#[derive(Debug, Clone, Copy)]
pub struct TypedPath<'a> {
    /// As it was typed.
    pub text: &'a str,
    /// Whether there is anything of that name.
    pub is_there: bool,
}

/// What the command line says.
#[derive(Debug)]
pub(super) struct Typed<'a> {
    /// The question, where the command takes one.
    pub question: Option<&'a str>,
    /// The paths.
    pub paths: Vec<TypedPath<'a>>,
}

/// From so many words on, none of which is there, they were meant as one question.
const SEVERAL: usize = 3;

impl Typed<'_> {
    /// The line to type, if something else than paths was meant.
    pub fn question_meant(&self) -> Option<String> {
        let missing: Vec<&str> =
            self.paths.iter().filter(|path| !path.is_there).map(|path| path.text).collect();
        let there: Vec<&str> = self.paths.iter().filter(|path| path.is_there).map(|path| path.text).collect();
        let (blank, plain): (Vec<&str>, Vec<&str>) =
            missing.iter().partition(|text| text.trim().contains(' '));
        match (self.question, &blank[..]) {
            // `ctx ask src "why does it fail?"`
            (Some(question), [meant]) if plain.is_empty() && !question.trim().contains(' ') => {
                Some(line(meant, [question].into_iter().chain(there)))
            }
            (None, [meant]) if plain.is_empty() => Some(line(meant, there.into_iter())),
            _ if blank.is_empty() && self.are_words(&missing) => {
                let words: Vec<&str> = self.question.into_iter().chain(missing).collect();
                Some(line(&words.join(" "), there.into_iter()))
            }
            _ => None,
        }
    }

    /// The first path that is not there and that a history could be named by.
    pub fn name_meant(&self) -> Option<&str> {
        let is_name = |path: &&TypedPath| !path.is_there && path.text.parse::<ProfileName>().is_ok();
        self.paths.iter().find(is_name).map(|path| path.text)
    }

    /// Whether all of it is words of a sentence, and not names of files.
    fn are_words(&self, missing: &[&str]) -> bool {
        let is_word =
            |text: &&str| !text.trim_end_matches(['.', '?', '!', ',', ':']).contains(['.', '/', '*', ':']);
        missing.len() + self.question.iter().len() >= SEVERAL && missing.iter().all(is_word)
    }
}

fn line<'a>(question: &str, paths: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<String> = [question_word(question)].into_iter().chain(paths.map(shell_word)).collect();
    format!("ctx ask {}", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(question: Option<&str>, paths: &[(&str, bool)]) -> Option<String> {
        let paths = paths.iter().map(|(text, is_there)| TypedPath { text, is_there: *is_there }).collect();
        Typed { question, paths }.question_meant()
    }

    #[test]
    fn text_with_blanks_that_is_no_file_was_meant_as_a_question() {
        let line = |text: &str| Some(text.to_owned());
        assert_eq!(meant(None, &[("why x?", false)]), line("ctx ask \"why x?\""));
        assert_eq!(
            meant(None, &[("src", true), ("what's $x?", false)]),
            line("ctx ask 'what'\\''s $x?' src")
        );
        assert_eq!(meant(Some("src"), &[("why x?", false)]), line("ctx ask \"why x?\" src"));
        let words = [("does", false), ("it", false), ("fail?", false), ("src", true)];
        assert_eq!(meant(Some("why"), &words), line("ctx ask \"why does it fail?\" src"));
        assert_eq!(meant(None, &words), line("ctx ask \"does it fail?\" src"));
    }

    #[test]
    fn names_of_files_that_are_not_there_are_no_question() {
        assert_eq!(meant(None, &[("a", false)]), None);
        assert_eq!(meant(None, &[("a.rs", false), ("b.rs", false), ("src/c", false)]), None);
        assert_eq!(meant(Some("why?"), &[("a.rs", false)]), None);
        assert_eq!(meant(None, &[("a b", true)]), None);
    }
}

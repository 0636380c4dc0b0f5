//! What the command line names must be there: a typo must not send a bare prompt to a model. And what was meant by a
//! question that was typed as a path, in pieces, or in the wrong place.

use crate::error::{Error, MissingName};
use crate::habits;
use crate::hints::{question_word, shell_word};
use crate::input::{LARGER, STANDARD_STREAM};
use crate::meant::{CommandLine, is_something};
use crate::request::narrower;
use ctx_core::entry::{Author, Kind, Scope, ScopedEntry};
use ctx_core::plan::{Item, Plan};
use ctx_core::report::{Reason, ReasonCode, Unread};
use ctx_core::select::{EntryFate, EntryKind, EntryReport, Problem};
use ctx_core::store::ProfileName;

/// Fails with everything that was typed and yields no document for a reason other than a rule of
/// selection, and with what would be read and written over.
///
/// `limited` says whether the command line limits the size of files, which makes it a rule of selection.
///
/// # Errors
/// All of that.
pub fn check(plan: &Plan, limited: bool) -> Result<(), Error> {
    let fault =
        |(scoped, report)| fault(plan, scoped, report).or_else(|| unreadable(scoped, report, limited));
    let entries = plan.entries().filter_map(fault);
    let texts = plan.items().iter().filter_map(|item| unread(plan, item));
    Error::all(entries.chain(texts).collect())
}

/// The paths of the command line, and whether anything is there.
pub fn paths(plan: &Plan) -> Vec<TypedPath<'_>> {
    let is_path =
        |scoped: &ScopedEntry| scoped.author == Author::CommandLine && scoped.entry.kind() == Kind::Path;
    let typed = plan.entries().filter(|(scoped, _)| is_path(scoped));
    typed
        .map(|(scoped, report)| TypedPath {
            text: &scoped.entry.path,
            is_there: report.matches > 0
                || report.kind == EntryKind::Directory
                || !matches!(report.fate.problem(), None | Some(Problem::Missing | Problem::Invalid(_))),
        })
        .collect()
}

fn fault(plan: &Plan, scoped: &ScopedEntry, report: &EntryReport) -> Option<Error> {
    let path = &*scoped.entry.name();
    let answered = |error| habits::answer_to_path(path).into_iter().fold(error, Error::and_hint);
    match report.fate.problem() {
        Some(Problem::Invalid(error)) if scoped.scope == Scope::Session => {
            Some(answered(Error::usage(format!("Invalid path '{path}': {error}"))))
        }
        // What a prompt says is no error.
        _ if scoped.author == Author::Prompt => None,
        Some(Problem::IsOutput) => Some(
            Error::usage(format!("'{path}' would be read and written over"))
                .with_hint("write to another file"),
        ),
        Some(problem @ Problem::TooWide) => Some(
            Error::impossible(format!("'{path}': {problem}")).with_hint(narrower(plan.request().purpose)),
        ),
        _ if scoped.author != Author::CommandLine || scoped.entry.is_exclusion() => None,
        Some(Problem::LinkOutside(real)) => Some(Error::link_outside(path, real)),
        Some(problem @ Problem::SecretName(_)) => Some(
            Error::impossible(format!("'{path}': {problem}")).with_hint("--allow secret-names includes it"),
        ),
        // A rule of selection: a render never reads its own output.
        Some(Problem::IsStandardOutput) => None,
        Some(problem) => Some(answered(Error::impossible(format!("'{path}': {problem}")))),
        None => unmatched(path, report, plan),
    }
}

/// A pattern or directory that matches no file.
fn unmatched(path: &str, report: &EntryReport, plan: &Plan) -> Option<Error> {
    if let EntryFate::Refused(why) = &report.fate {
        return Some(Error::impossible(format!("'{path}': {why}")));
    }
    let EntryFate::Nothing(missed) = &report.fate else { return None };
    let is_left_out = missed.is_some() && report.left_out_secrets == 0;
    let reason = Reason::of_entry(&plan.request().entries, report).filter(|_| is_left_out);
    let why = reason.map_or_else(String::new, |reason| format!(": {}", reason.text));
    match report.kind {
        EntryKind::Pattern => {
            let error = Error::impossible(format!("No files found matching glob pattern '{path}'{why}"));
            Some(match report.left_out_secrets {
                0 => error,
                _ => error.with_hint("the names of all that match suggest secrets"),
            })
        }
        EntryKind::Directory => {
            let how = if plan.request().looked_through.is_some() { "" } else { " directly" };
            let error = Error::impossible(format!("no files{how} in '{path}'{why}"));
            Some(match report.left_out_below(path) {
                Some(below) => error.with_hint(below),
                None => error,
            })
        }
        EntryKind::Up => {
            let names = path.strip_prefix("up:").unwrap_or(path);
            Some(Error::impossible(format!("no {names} here or above, up to the root of the project")))
        }
        EntryKind::Literal | EntryKind::Exclusion | EntryKind::Text => None,
    }
}

/// A pattern or directory of whose files none can be read, each for a reason other than a rule of selection.
fn unreadable(scoped: &ScopedEntry, report: &EntryReport, limited: bool) -> Option<Error> {
    let EntryFate::Unreadable(counts) = &report.fate else { return None };
    let is_limit = limited && counts.contains_key(&Unread::TooLarge);
    (scoped.author == Author::CommandLine && !is_limit).then_some(())?;
    let has_larger = counts.contains_key(&Unread::TooLarge);
    let counts: Vec<String> = counts.iter().map(|(unread, count)| format!("{count} {unread}")).collect();
    let error = Error::impossible(format!(
        "'{}': nothing that it matches can be read: {}",
        scoped.entry.name(),
        counts.join(", ")
    ));
    Some(if has_larger { error.with_hint(LARGER) } else { error })
}

/// A document that was typed and has no text, unless a rule takes it away or there is nothing to say.
fn unread(plan: &Plan, item: &Item) -> Option<Error> {
    let entries = item.source.selected_by.entries.iter().map(|id| &plan.request().entries[id.0]);
    let typed = entries.clone().find(|scoped| scoped.author == Author::CommandLine);
    let path = &*typed.or_else(|| entries.clone().next())?.entry.name();
    let Reason { code, text } = item.skipped()?;
    let is_meant = item.source.selected_by.typed || item.source.selected_by.preferred;
    (is_meant && !code.is_rule()).then(|| {
        let error = Error::impossible(format!("'{path}': {text}"));
        if *code == ReasonCode::Invalid {
            Error::usage(format!("Invalid path '{path}': {text}"))
        } else if path == STANDARD_STREAM {
            Error::impossible(format!("cannot read standard input: {text}"))
        } else if *code == ReasonCode::TooLarge {
            error.with_hint(LARGER)
        } else if let (ReasonCode::NoList, Some(name)) = (*code, path.strip_prefix("todo:")) {
            error.of_unknown(MissingName::List(name.to_owned()))
        } else {
            error
        }
    })
}

/// A path of the command line.
#[derive(Debug, Clone, Copy)]
pub struct TypedPath<'a> {
    /// As it was typed.
    pub text: &'a str,
    /// Whether there is anything of that name.
    pub is_there: bool,
}

/// From so many words on, none of which is there, they were meant as one question.
const SEVERAL: usize = 3;

/// The line to type, if something else than paths was meant; `question` is what the command line asks, where the command
/// takes a question.
pub fn question_meant(question: Option<&str>, paths: &[TypedPath<'_>]) -> Option<String> {
    let missing: Vec<&str> = paths.iter().filter(|path| !path.is_there).map(|path| path.text).collect();
    let there: Vec<&str> = paths.iter().filter(|path| path.is_there).map(|path| path.text).collect();
    let (blank, plain): (Vec<&str>, Vec<&str>) = missing.iter().partition(|text| text.trim().contains(' '));
    match (question, &blank[..]) {
        // `ctx ask src "why does it fail?"`
        (Some(question), [meant]) if plain.is_empty() && !question.trim().contains(' ') => {
            Some(line(meant, [question].into_iter().chain(there)))
        }
        (None, [meant]) if plain.is_empty() => Some(line(meant, there.into_iter())),
        _ if blank.is_empty() && are_words(question, &missing) => {
            let words: Vec<&str> = question.into_iter().chain(missing).collect();
            Some(line(&words.join(" "), there.into_iter()))
        }
        _ => None,
    }
}

/// The first path that is not there and that a history could be named by.
pub fn name_meant<'a>(paths: &[TypedPath<'a>]) -> Option<&'a str> {
    let is_name = |path: &&TypedPath| !path.is_there && path.text.parse::<ProfileName>().is_ok();
    paths.iter().find(is_name).map(|path| path.text)
}

/// Whether all of it is words of a sentence, and not names of files.
fn are_words(question: Option<&str>, missing: &[&str]) -> bool {
    let is_word =
        |text: &&str| !text.trim_end_matches(['.', '?', '!', ',', ':']).contains(['.', '/', '*', ':']);
    missing.len() + question.iter().len() >= SEVERAL && missing.iter().all(is_word)
}

fn line<'a>(question: &str, paths: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<String> = [question_word(question)].into_iter().chain(paths.map(shell_word)).collect();
    format!("ctx ask {}", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(question: Option<&str>, paths: &[(&'static str, bool)]) -> Option<String> {
        let typed = |(text, is_there): &(&'static str, bool)| TypedPath { text, is_there: *is_there };
        question_meant(question, &paths.iter().map(typed).collect::<Vec<_>>())
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

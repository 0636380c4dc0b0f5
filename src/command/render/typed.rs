//! Everything named on the command line must exist: a typo must not send a bare prompt to a model.

use std::env;
use std::path::Path;

use crate::environment::launcher;
use crate::error::{Error, MissingName};
use crate::habits::answer_to_path;
use crate::hints::{did_you_mean, in_words, shell_word};
use crate::input::{LARGER, STANDARD_STREAM, located};
use crate::looks::of_root;
use crate::near::{MeantPattern, near_path, outside_sparse_checkout, pattern_below};
use crate::request::narrower;
use crate::text_makers;
use ctx_core::entry::{Author, Scope, ScopedEntry};
use ctx_core::fs::alike::difference;
use ctx_core::fs::resolved;
use ctx_core::git::{is_git_directory, linked_worktrees};
use ctx_core::plan::{Item, Plan};
use ctx_core::report::{Hint, Notice, NoticeKind, Reason, ReasonCode, Unread};
use ctx_core::select::{EntryFate, EntryKind, EntryReport, Missed, MissedReason, Problem, path_of};
use ctx_core::words::{quoted, some_of};
use ctx_core::world::World;

/// Fails if anything you typed yields no document, unless a selection rule leaves it out, or if a file would
/// be both read and overwritten.
///
/// `limited`: whether the command line limits the size of files, which makes the limit a selection rule. `text`: what
/// the words of an unquoted text belong to, such as a question.
///
/// # Errors
/// All of the above.
pub fn check(world: &World, plan: &Plan, limited: bool, text: Option<&str>) -> Result<(), Error> {
    let with_reader = |error: Error| text_makers::setting(plan).into_iter().fold(error, Error::and_hint);
    let fault = |(scoped, report)| {
        let unreadable = || unreadable(scoped, report, limited).map(with_reader);
        fault(world, plan, scoped, report).or_else(unreadable)
    };
    let is_word =
        |(scoped, report): &(&ScopedEntry, &EntryReport)| is_further_word(plan, text, scoped, report);
    let entries = plan.entries().filter(|entry| !is_word(entry)).filter_map(fault);
    let texts = plan.items().iter().filter_map(|item| unread(world, plan, item));
    Error::all(missing(world, plan, text).into_iter().chain(entries).chain(texts).collect())
}

/// Like [`check`], but returns the error if all that is wrong is that some of several files, or names in them, are missing,
/// so that the others can be printed before it is reported.
///
/// # Errors
/// If anything else is wrong.
pub fn check_rest(
    world: &World,
    plan: &Plan,
    limited: bool,
    text: Option<&str>,
) -> Result<Option<Error>, Error> {
    let Err(error) = check(world, plan, limited, text) else { return Ok(None) };
    let is_faulty = |(scoped, report): (&ScopedEntry, &EntryReport)| {
        fault(world, plan, scoped, report).is_some() || unreadable(scoped, report, limited).is_some()
    };
    let has_text = |item: &Item| unread(world, plan, item).is_none();
    let only_missing = !plan.entries().any(is_faulty)
        && plan.items().iter().all(|item| has_text(item) || is_without_name(item));
    let is_there = |item: &Item| item.source.selected_by.typed && has_text(item);
    if only_missing && plan.items().iter().any(is_there) { Ok(Some(error)) } else { Err(error) }
}

/// Whether a file is there, and has nothing of the name that was asked for.
fn is_without_name(item: &Item) -> bool {
    item.skipped()
        .is_some_and(|reason| matches!(reason.code, ReasonCode::NoSuchName | ReasonCode::WithoutNames))
}

/// The error for all typed paths that do not exist.
fn missing(world: &World, plan: &Plan, text: Option<&str>) -> Option<Error> {
    let missing = plan
        .entries()
        .filter(|(scoped, report)| is_missing(scoped, report) || is_further_word(plan, text, scoped, report));
    let missing: Vec<&ScopedEntry> = missing.map(|(scoped, _)| scoped).collect();
    let paths: Vec<_> = missing.iter().map(|scoped| scoped.entry.name()).collect();
    let names: Vec<String> = paths.iter().map(quoted).collect();
    let (files, they_belong) = match &names[..] {
        [] => return None,
        [_] => ("file", "it belongs"),
        _ => ("files", "they belong"),
    };
    let program = paths.iter().find_map(|path| program_after_hyphens(path));
    let text = text.filter(|_| program.is_none());
    let belongs = text.map(|text| format!("; if {they_belong} to the {text}, quote the {text}"));
    let alike = paths.iter().find_map(|path| difference(path, &near_path(path)?));
    let how = alike.or_else(|| paths.iter().find_map(|path| outside_sparse_checkout(path, world)));
    let how = how.map_or_else(String::new, |how| format!("; {how}"));
    let error = format!("no such {files}: {}{how}{}", some_of(&names), belongs.unwrap_or_default());
    let near = |path: &str| Some(did_you_mean(&near_path(path)?));
    let hints = missing.iter().filter_map(|scoped| {
        let path = &*scoped.entry.name();
        let word = || further_word(path, plan);
        answer_to_path(path).or_else(|| in_our_syntax(scoped, world)).or_else(|| near(path)).or_else(word)
    });
    Some(hints.chain(program).fold(Error::impossible(error), Error::and_hint))
}

/// How to run a program, if the first word after `--` is one and not a file.
fn program_after_hyphens(path: &str) -> Option<String> {
    let mut words = env::args_os().skip_while(|word| word != "--").skip(1);
    let first = words.next().filter(|first| first == path)?;
    launcher().programs().find(&first, Path::new("/"))?;
    Some(format!("'ctx run' sends your files to a program: ctx run -p PROMPT -- {}", shell_word(path)))
}

/// How to search for several words, if a path seems to be one of them.
fn further_word(path: &str, plan: &Plan) -> Option<String> {
    let searched = plan.request().words.as_ref().filter(|searched| searched.program.is_none())?;
    let last = searched.words.last().filter(|_| !path.contains(['/', '.']))?;
    Some(format!("-w takes several words with commas: -w {}", shell_word(&format!("{last},{path}"))))
}

/// A warning for each pattern that was typed and of which a part matches nothing because of a blank.
pub fn with_blanks(world: &World, plan: &Plan) -> Vec<Notice> {
    let typed = plan.entries().map(|(scoped, _)| scoped).filter(|scoped| is_typed(scoped));
    let meant = typed.filter_map(|scoped| MeantPattern::of_blanks(scoped, world));
    let words = |MeantPattern { why, pattern }| format!("{why}; {} matches files", shell_word(&pattern));
    meant.map(|meant| Notice::warning(NoticeKind::Filters, words(meant))).collect()
}

/// The patterns that are meant by one in another program's syntax, in words.
fn in_our_syntax(written: &ScopedEntry, world: &World) -> Option<String> {
    let meant = MeantPattern::of_other_syntax(written, world)?;
    let words: Vec<String> = meant.iter().map(|pattern| shell_word(pattern)).collect();
    let verb = if meant.len() == 1 { "matches" } else { "match" };
    Some(format!("{} {verb} files", words.join(" ")))
}

/// Whether a path that was typed does not exist.
fn is_missing(scoped: &ScopedEntry, report: &EntryReport) -> bool {
    is_typed(scoped) && report.fate.problem() == Some(&Problem::Missing)
}

/// Whether a pattern is only a word that ends with a question mark, beside other words that were taken for paths.
fn is_further_word(plan: &Plan, text: Option<&str>, scoped: &ScopedEntry, report: &EntryReport) -> bool {
    let name = scoped.entry.name();
    let is_word = name.strip_suffix('?').is_some_and(|word| !word.contains(['/', '.', '*', '?', '[', '{']));
    is_word
        && text.is_some()
        && is_typed(scoped)
        && matches!(report.fate, EntryFate::Nothing(None))
        && plan.entries().any(|(scoped, report)| is_missing(scoped, report))
}

/// Whether an entry was typed and asks for a document.
fn is_typed(scoped: &ScopedEntry) -> bool {
    scoped.author == Author::CommandLine && !scoped.entry.is_exclusion()
}

fn fault(world: &World, plan: &Plan, scoped: &ScopedEntry, report: &EntryReport) -> Option<Error> {
    let path = &*scoped.entry.name();
    let answered = |error| answer_to_path(path).into_iter().fold(error, Error::and_hint);
    match report.fate.problem() {
        Some(Problem::Invalid(error)) if scoped.scope == Scope::Session => {
            Some(answered(Error::usage(format!("Invalid path '{path}': {error}"))))
        }
        Some(Problem::InsideGit) if scoped.is_whole() => {
            let error =
                Error::impossible(format!("there is no work tree here: '{path}' is in a git directory"));
            let work_tree = work_tree_in_it(world);
            Some(work_tree.into_iter().fold(error, |error, path| {
                error.and_hint(format!("{} is a work tree of it", shell_word(&path)))
            }))
        }
        // A path in a prompt is never an error.
        _ if scoped.author == Author::Prompt => None,
        // The manifest of what the reader has is never a document, and is only read.
        Some(Problem::IsOutput) if is_manifest(world, plan, scoped) => None,
        Some(Problem::IsOutput) => Some(
            Error::usage(format!("'{path}' would be both read and overwritten"))
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
        // A selection rule: a render never reads its own output.
        Some(Problem::IsStandardOutput) => None,
        // All of them are one error.
        Some(Problem::Missing) => None,
        Some(problem) => Some(answered(Error::impossible(format!("'{path}': {problem}")))),
        None => unmatched(world, scoped, report, plan),
    }
}

/// Whether an entry names the manifest of an earlier block that this one goes on from.
fn is_manifest(world: &World, plan: &Plan, scoped: &ScopedEntry) -> bool {
    let Some(since) = &plan.request().since else { return false };
    let manifest = resolved(located(world, Path::new(&since.manifest)));
    path_of(&scoped.entry.path, world).is_ok_and(|path| resolved(path) == manifest)
}

/// A linked work tree of the git directory that contains the current directory, preferably one that is also
/// inside that git directory.
fn work_tree_in_it(world: &World) -> Option<String> {
    let cwd = resolved(&world.cwd);
    let git_dir = cwd.ancestors().find(|directory| is_git_directory(directory))?;
    let all = linked_worktrees(git_dir);
    let nearest = all.iter().min_by_key(|worktree| (!worktree.starts_with(git_dir), *worktree))?;
    Some(nearest.strip_prefix(&cwd).unwrap_or(nearest).to_str()?.to_owned())
}

/// The error for a pattern or directory that matches no files.
fn unmatched(world: &World, scoped: &ScopedEntry, report: &EntryReport, plan: &Plan) -> Option<Error> {
    let path = &*scoped.entry.name();
    if let EntryFate::Refused(why) = &report.fate {
        return Some(Error::impossible(format!("'{path}': {why}")));
    }
    let EntryFate::Nothing(missed) = &report.fate else { return None };
    let is_left_out = missed.is_some() && report.left_out_secrets == 0;
    let reason = Reason::of_entry(&plan.request().entries, report).filter(|_| is_left_out);
    let why = reason.map_or_else(String::new, |reason| format!(": {}", reason.text));
    let lifted = || in_words(&Hint::LiftIgnoreRules);
    let named = |missed: &Missed| {
        let path = of_root(world, missed.label.as_str());
        format!("name the work tree: {}", shell_word(&path))
    };
    let linked = missed.as_ref().filter(|missed| missed.why == MissedReason::LinkedWorktree);
    let lifts = report.fate.is_ignored().then(lifted).or_else(|| linked.map(named));
    let with_way_out = |error: Error| lifts.into_iter().fold(error, Error::and_hint);
    match report.kind {
        EntryKind::Pattern => {
            let is_certain = is_left_out || report.left_out_secrets > 0;
            let hidden = (!is_certain).then(|| MeantPattern::of_hidden(scoped, world)).flatten();
            let below = (!is_certain && hidden.is_none()).then(|| pattern_below(scoped, world)).flatten();
            let why = hidden.map_or(why, |hidden| format!(": {}", hidden.why));
            let above = path.split(['*', '?', '[', '{']).next().unwrap_or_default().trim_end_matches('/');
            let sparse = || (!above.is_empty()).then(|| outside_sparse_checkout(above, world)).flatten();
            let why = if why.is_empty() { sparse().map_or(why, |sparse| format!("; {sparse}")) } else { why };
            let alike = MeantPattern::of_look_alike(scoped, world);
            let why = alike.as_ref().map_or(why, |alike| format!("; {}", alike.why));
            let is_alike = alike.is_some();
            let below = alike.map(|alike| alike.pattern).or(below);
            let error = Error::impossible(format!("No files found matching glob pattern '{path}'{why}"));
            let below = below.map(|below| format!("{} matches files", shell_word(&below)));
            let below = below.or_else(|| in_our_syntax(scoped, world).filter(|_| !is_certain));
            let below = below.or_else(|| answer_to_path(path));
            let error = below.into_iter().fold(error, Error::and_hint);
            Some(match report.left_out_secrets {
                0 if is_alike => error,
                0 => with_way_out(error),
                _ => error.with_hint("all files that match have names that suggest secrets"),
            })
        }
        EntryKind::Directory => {
            let is_deep = plan.request().looked_through.is_some() || plan.request().selection.recursive;
            let how = if is_deep { "" } else { " directly" };
            let error = Error::impossible(format!("no files{how} in '{path}'{why}"));
            Some(match report.left_out_below(path) {
                Some(below) => error.with_hint(below),
                None => with_way_out(error),
            })
        }
        EntryKind::Up => {
            let names = path.strip_prefix("up:").unwrap_or(path);
            Some(Error::impossible(format!("no {names} here or above, up to the root of the project")))
        }
        EntryKind::Literal | EntryKind::Exclusion | EntryKind::Text => None,
    }
}

/// The error for a pattern or directory none of whose files can be read, for a reason other than a selection
/// rule.
fn unreadable(scoped: &ScopedEntry, report: &EntryReport, limited: bool) -> Option<Error> {
    let EntryFate::Unreadable(counts) = &report.fate else { return None };
    let is_limit = limited && counts.contains_key(&Unread::TooLarge);
    (scoped.author == Author::CommandLine && !is_limit).then_some(())?;
    let has_larger = counts.contains_key(&Unread::TooLarge);
    let counts: Vec<String> = counts.iter().map(|(unread, count)| format!("{count} {unread}")).collect();
    let error = Error::impossible(format!(
        "'{}': none of the files that it matches can be used: {}",
        scoped.entry.name(),
        counts.join(", ")
    ));
    Some(if has_larger { error.with_hint(LARGER) } else { error })
}

/// The error for a document that you named but that has no text; `None` if a rule leaves it out, or if there
/// is nothing to report.
fn unread(world: &World, plan: &Plan, item: &Item) -> Option<Error> {
    let entries = item.source.selected_by.entries.iter().map(|id| &plan.request().entries[id.0]);
    let typed = entries.clone().find(|scoped| scoped.author == Author::CommandLine);
    let entry = &typed.or_else(|| entries.clone().next())?.entry;
    let path = &*entry.name();
    let Reason { code, text } = item.skipped()?;
    let is_meant = item.source.selected_by.typed || item.source.selected_by.preferred;
    (is_meant && !code.excuses_request()).then(|| {
        let error = Error::impossible(format!("'{path}': {text}"));
        if *code == ReasonCode::Invalid {
            Error::usage(format!("Invalid path '{path}': {text}"))
        } else if path == STANDARD_STREAM {
            Error::impossible(format!("cannot read standard input: {text}"))
        } else if *code == ReasonCode::Binary {
            let hints = text_makers::hints(path, plan.request().looked_through.is_some(), world);
            hints.into_iter().fold(error, Error::and_hint)
        } else if *code == ReasonCode::TooLarge {
            error.with_hint(LARGER)
        } else if *code == ReasonCode::WithoutNames {
            error.with_hint(format!("{} names lines of it", shell_word(&format!("{}:1-40", entry.path))))
        } else if let (ReasonCode::NoList, Some(name)) = (*code, path.strip_prefix("todo:")) {
            error.with_hint("ctx todo").of_unknown(MissingName::List(name.to_owned()))
        } else {
            error
        }
    })
}

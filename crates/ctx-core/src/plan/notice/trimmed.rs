//! Reports on one line how much of the files fits in the budget, beginning with the contents of the block.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::Path;

use super::beside::text_beside;
use crate::account::Status;
use crate::budget::{Fate, Priority, Trim};
use crate::entry::Kind;
use crate::plan::account::files_of;
use crate::plan::beside::adds_room;
use crate::plan::listed::is_of_built_in;
use crate::plan::{Item, Measure, Plan};
use crate::report::{Hint, Notice, NoticeKind, Severity};
use crate::select::EntryId;
use crate::words::{counted, figure, grouped};

/// The maximum length of the line in characters, so that it has at most 200 including its severity and hint.
const LONGEST: usize = 165;

/// The most characters for the names of missing files that were asked for.
const LONGEST_MISSING: usize = 60;

/// The most characters for the searched directory's path.
const LONGEST_ROOT: usize = 50;

/// Roughly how many bytes a token has.
const BYTES_OF_TOKEN: u64 = 4;

/// Reports how much of the files is left, and suggests other trim rules if that is less than half.
pub(super) fn notices(plan: &Plan) -> Vec<Notice> {
    let Ok(block) = plan.block.as_ref() else { return Vec::new() };
    let left = Left::of(plan);
    let CostLine { text, names_all } = left.line(plan, block.tokens);
    let is_question = plan.request.is_question();
    let Some(limit) = plan.limit.filter(|_| left.dropped_bytes.is_some() || left.parts > 0) else {
        // Whoever asks a question learns what it costs.
        let line = (is_question && left.files > 0).then(|| Notice::note(NoticeKind::Trimmed, text));
        return line.into_iter().collect();
    };
    // Nobody asked for the files that only compete, so leaving some of them out is only a note.
    let line = match lacking(plan, limit) {
        Some(lacking) => Notice::warning(NoticeKind::Trimmed, text).unless_strict(lacking),
        None => Notice::note(NoticeKind::Trimmed, text),
    };
    // What a question leaves out is not listed.
    let line = line.with_hint((!is_question || !names_all).then_some(Hint::ShowPlan));
    let dropped = left.dropped_bytes.unwrap_or(0).div_ceil(BYTES_OF_TOKEN);
    let selected = block.tokens.saturating_add(dropped);
    let Measure { trim, is_default_rule, .. } = plan.request.measure;
    // Whoever chose a rule, or asked a question, knows the other rules.
    let is_open = trim == Trim::Largest && is_default_rule && plan.request.query.is_none();
    let ways_out = (is_open && selected > limit.saturating_mul(2)).then(|| {
        let text = "more than twice the budget is selected".to_owned();
        let note = Notice::note(NoticeKind::Trimmed, text).with_hint(Hint::TrimOtherwise);
        Notice { level: Severity::Hint, ..note }
    });
    // No other rule uses the question.
    let vague = (plan.words.are_vague && trim == Trim::Relevant).then(|| {
        let text =
            "no word of the question singles out any files: READMEs come first, then files that others import";
        Notice::note(NoticeKind::Question, text.to_owned())
    });
    [Some(line), ways_out, vague].into_iter().flatten().collect()
}

/// The line about what is left.
struct CostLine {
    text: String,
    /// Whether it names all files that are printed, and all that were asked for and are not.
    names_all: bool,
}

/// What is left of the files.
#[derive(Default)]
struct Left<'a> {
    /// The files in the block, by label: first what was found, the most relevant one first, and last what is in every
    /// question.
    printed: Vec<&'a str>,
    /// How many of these are only partly in the block.
    parts: usize,
    /// Their labels.
    in_part: HashSet<&'a str>,
    /// How many are in every question.
    listed: usize,
    /// How many of these only the built-in list names.
    built_in: usize,
    /// How many files could have been printed.
    files: usize,
    /// How many bytes were dropped, if any file was.
    dropped_bytes: Option<u64>,
    /// The names of missing files that were asked for.
    missing: Vec<&'a str>,
}

impl<'a> Left<'a> {
    fn of(plan: &'a Plan) -> Self {
        let mut left = Self::default();
        for item in &plan.items {
            if of_budget(item) == Status::Dropped {
                left.drop(item);
            }
        }
        let mut files = files_of(&plan.items, of_budget);
        files.retain(|file| file.status != Status::Skipped);
        left.files = files.len();
        files.retain(|file| file.status != Status::Dropped);
        left.missing.extend(patterns_without_files(plan));
        let is_question = plan.request.is_question();
        let is_counted = |item: &&Item| is_question && is_listed(item);
        let listed = files_of(plan.items.iter().filter(is_counted), of_budget);
        let listed: HashSet<&str> = listed.iter().map(|file| file.label).collect();
        left.listed = listed.len();
        let of_built_in =
            plan.items.iter().filter(is_counted).filter(|item| is_of_built_in(&plan.request, item));
        left.built_in = of_built_in.filter(|item| listed.contains(item.source.label.as_str())).count();
        let in_part = files.iter().filter(|file| file.status == Status::Truncated);
        left.in_part.extend(in_part.map(|file| file.label));
        left.parts = left.in_part.len();
        files.sort_by_key(|file| {
            let is_found = is_question && file.rank > 0;
            (listed.contains(file.label), !is_found, file.rank)
        });
        left.printed = files.into_iter().map(|file| file.label).collect();
        left
    }

    fn drop(&mut self, item: &'a Item) {
        let bytes = item.bytes_read().or(item.whole_bytes).unwrap_or(0);
        self.dropped_bytes = Some(self.dropped_bytes.unwrap_or(0).saturating_add(bytes));
        if item.priority > Priority::Stored || is_listed(item) {
            self.missing.push(item.source.label.as_str());
        }
    }

    fn line(&self, plan: &Plan, block: u64) -> CostLine {
        let printed = grouped(self.printed.len() as u64);
        let root = plan.request.looked_through.as_ref().filter(|_| !plan.items.iter().all(is_outside));
        let root = root.map_or_else(String::new, |root| {
            format!(" of {}", some_within([&**root].into_iter(), LONGEST_ROOT))
        });
        let files = format!("{}{root}", counted(self.files, "file"));
        let is_all = self.printed.len() == self.files;
        let files = match self.parts {
            0 if is_all && self.files == 1 => format!("all of {files}"),
            0 if is_all => format!("all {files}"),
            0 => format!("{printed} of {files}"),
            1 if self.files == 1 => format!("part of {files}"),
            1 if self.printed.len() == 1 => format!("part of {printed} of {files}"),
            parts if parts == self.printed.len() => format!("parts of {printed} of {files}"),
            parts => format!("{printed} of {files}, {} in part", grouped(parts as u64)),
        };
        let raised = self.raised(plan);
        let files = match self.listed {
            0 => files,
            _ if raised.is_some() => files,
            _ => format!("{files}, {}", self.lists()),
        };
        let tokens = figure(block, plan.request.measure.estimated);
        let limit = plan.limit.map_or_else(String::new, |limit| format!(" of {}", grouped(limit)));
        let mut text = format!("{files}, {tokens}{limit} tokens");
        text.extend(raised.map(|sum| format!(" ({sum})")));
        let missing = some_within(self.missing.iter().copied(), LONGEST_MISSING);
        let is_complete = is_all && self.parts == 0;
        let names_missing = self.missing.is_empty() || !missing.contains('…');
        let missing = if missing.is_empty() { missing } else { format!("; without {missing}") };
        let room = LONGEST.saturating_sub(text.chars().count() + missing.chars().count() + 2);
        // If all files of a list are printed, those in part are worth naming.
        let names_parts = !plan.request.is_question() && is_all && self.parts > 0;
        let named = self
            .printed
            .iter()
            .copied()
            .filter(|file| !is_complete && (!names_parts || self.in_part.contains(file)));
        let names = some_within(named, room);
        let names_all = names_missing && !names.ends_with('…') && !names.starts_with('…');
        if !names.is_empty() {
            text += &format!(": {names}");
        }
        CostLine { text: text + &missing, names_all }
    }

    /// `8 from your list`, and separately the files of ctx's own entries: `1 from the built-in list`.
    fn lists(&self) -> String {
        let own = (self.listed.saturating_sub(self.built_in), "your list");
        let from = |(count, list): (usize, &str)| format!("{} from {list}", grouped(count as u64));
        let lists = [own, (self.built_in, "the built-in list")].into_iter().filter(|(count, _)| *count > 0);
        lists.map(from).collect::<Vec<_>>().join(" and ")
    }

    /// What is added to the default limit for what is found: `16,000 + 3,309 for 8 from your list`.
    fn raised(&self, plan: &Plan) -> Option<String> {
        let Measure { limit: Some(found), ceiling: Some(_), .. } = plan.request.measure else { return None };
        let more = plan.limit?.checked_sub(found).filter(|more| *more > 0)?;
        let has = |is_it: fn(&Plan, &Item) -> bool| {
            plan.items.iter().any(|item| adds_room(item) && is_it(plan, item))
        };
        let listed = (self.listed > 0).then(|| format!("for {}", self.lists()));
        let parts = [
            listed,
            has(is_piped).then(|| "piped".to_owned()),
            has(|plan, item| !is_listed(item) && !is_piped(plan, item)).then(|| "named".to_owned()),
            plan.conversation().map(|_| "room for what was said before".to_owned()),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| format!("{} + {} {}", grouped(found), grouped(more), parts.join(" and ")))
    }
}

/// Whether a document is the text on standard input.
fn is_piped(plan: &Plan, item: &Item) -> bool {
    let entries = &item.source.selected_by.entries;
    entries.iter().any(|id| plan.request.entries[id.0].entry.kind() == Kind::StandardInput)
}

/// Whether a document is in a question because it is on a list.
fn is_listed(item: &Item) -> bool {
    item.source.selected_by.in_every_question.is_some()
}

/// The patterns and directories of the command line of which nothing is printed, unless a question only looks through
/// them.
fn patterns_without_files(plan: &Plan) -> impl Iterator<Item = &str> {
    let is_for_one_block = |id: &usize| {
        plan.request.looked_through.is_none() && plan.request.entries[*id].scope.is_for_one_block()
    };
    (0..plan.request.entries.len()).filter(is_for_one_block).filter_map(|id| {
        let is_of_it = |item: &&Item| item.source.selected_by.entries.contains(&EntryId(id));
        let mut items = plan.items.iter().filter(is_of_it).peekable();
        items.peek()?;
        let is_dropped =
            |item: &Item| of_budget(item) == Status::Dropped && item.priority <= Priority::Stored;
        items.all(is_dropped).then_some(plan.request.entries[id].entry.path.as_str())
    })
}

/// A file that competed for room.
struct SizedFile<'a> {
    path: &'a str,
    /// Whether it is not printed in full.
    lacks: bool,
    tokens: u64,
}

impl SizedFile<'_> {
    /// Adds another part of the same file; `false` if it is of another one.
    fn absorbs(&mut self, part: &Self) -> bool {
        let is_part = self.path == part.path;
        if is_part {
            self.lacks |= part.lacks;
            self.tokens += part.tokens;
        }
        is_part
    }
}

/// The selected files that are not printed in full, the largest first, for a caller that accepts no others; `None`
/// if there are none. Files that only compete were not selected, and there is a separate notice for texts beside files.
fn lacking(plan: &Plan, limit: u64) -> Option<String> {
    let Measure { counter, estimated, .. } = plan.request.measure;
    let is_selected = |item: &&Item| !plan.only_competes(item) && text_beside(plan, item).is_none();
    let competed = plan.items.iter().filter(is_selected).filter(|item| of_budget(item) != Status::Skipped);
    let parts = competed.map(|item| SizedFile {
        path: item.source.path(),
        lacks: matches!(of_budget(item), Status::Dropped | Status::Truncated),
        tokens: item.tokens(counter),
    });
    let mut lacking: Vec<SizedFile<'_>> = parts.collect();
    lacking.sort_by_key(|file| file.path);
    lacking.dedup_by(|next, file| file.absorbs(next));
    let all = counted(lacking.len(), "file");
    let is_question = plan.request.is_question();
    lacking.retain(|file| file.lacks);
    lacking.sort_by_key(|file| Reverse(file.tokens));
    let verb = if lacking.len() == 1 { "does" } else { "do" };
    let number = grouped(lacking.len() as u64);
    // A question searches more files than those that are named.
    let number = if is_question { counted(lacking.len(), "file") } else { format!("{number} of {all}") };
    let text = format!("{number} {verb} not fit in {} tokens: ", grouped(limit));
    let sized = |SizedFile { path, tokens, .. }: &SizedFile<'_>| match tokens {
        // A file that was not read has no count.
        0 => (*path).to_owned(),
        tokens => format!("{path} ({})", figure(*tokens, estimated)),
    };
    // Each name has at least one character.
    let names: Vec<String> = lacking.iter().take(LONGEST).map(sized).collect();
    let room = LONGEST.saturating_sub(text.chars().count());
    (!names.is_empty()).then(|| text + &some_within(names.iter().map(String::as_str), room))
}

/// What the budget did to a document; a document that never competed for room counts as skipped.
fn of_budget(item: &Item) -> Status {
    match item.fate {
        // There is a block, so an item is undecided only if no block was requested.
        Fate::Undecided | Fate::Unchanged | Fate::Skipped(_) => Status::Skipped,
        Fate::Dropped { .. } => Status::Dropped,
        Fate::Outlined { .. } | Fate::Truncated(_) => Status::Truncated,
        Fate::Included { .. } | Fate::Listed(_) => Status::Included,
    }
}

/// Whether a label shows that a file is not below the searched directory.
fn is_outside(item: &Item) -> bool {
    let label = item.source.label.as_str();
    label.starts_with("~/") || label.starts_with(crate::dependency::PREFIX) || Path::new(label).is_absolute()
}

/// As many of the names as fit in `room` characters, with `…` for the others. If even the first is too long,
/// only the end of it.
fn some_within<'n>(names: impl Iterator<Item = &'n str>, room: usize) -> String {
    const MORE: &str = ", …";
    let mut text = String::new();
    let mut names = names.peekable();
    while let Some(name) = names.next() {
        let separator = if text.is_empty() { "" } else { ", " };
        let rest = if names.peek().is_some() { MORE.chars().count() } else { 0 };
        let length = text.chars().count() + separator.len() + name.chars().count() + rest;
        if length <= room {
            text.extend([separator, name]);
        } else if text.is_empty() {
            let end: Vec<char> = name.chars().rev().take(room.saturating_sub(1 + rest)).collect();
            text.push('…');
            text.extend(end.into_iter().rev());
        } else {
            return text + MORE;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_do_not_fit_become_an_ellipsis() {
        let names = |room| some_within(["src/a.rs", "src/b.rs", "src/c.rs"].into_iter(), room);
        assert_eq!(names(99), "src/a.rs, src/b.rs, src/c.rs");
        assert_eq!(names(28), "src/a.rs, src/b.rs, src/c.rs");
        assert_eq!(names(27), "src/a.rs, src/b.rs, …");
        assert_eq!(names(12), "src/a.rs, …");
        assert_eq!(names(9), "…/a.rs, …");
        assert_eq!(some_within(std::iter::empty(), 9), "");
    }
}

//! Notices about a plan.

mod beside;
mod best;
mod entries;
mod history;
mod trimmed;

use std::collections::HashMap;

use super::listed::{CrowdedOut, ListRoom};
use super::{Fate, Item, Plan};
use crate::account::{Tally, share};
use crate::document::Document;
use crate::entry::{Allowed, Scope};
use crate::git::rule_file;
use crate::guard::{self, CleanText, Replaced, Replacement};
use crate::report::{Hint, Notice, NoticeKind, Reason, ReasonCode};
use crate::select::{EntryFate, EntryId, EntryKind, IdleFilter, Missed, MissedReason, Options, Problem};
use crate::source::Source;
use crate::source::git::NoCommits;
use crate::words::{all_of, counted, figure, grouped, quoted, size, some_of, tokens};
use entries::{is_invalid, is_stored_link_outside, text_of};

pub(super) use entries::unusable;

/// At or above this percentage of the budget, a note reports that it is nearly used up.
const NEARLY_FULL: u64 = 90;

/// All notices about a plan, in a fixed order.
pub(super) fn of(plan: &Plan) -> Vec<Notice> {
    let mut notices = Vec::new();
    notices.extend(entries::missing(plan));
    notices.extend(entries::listed_missing(plan));
    notices.extend(entries::idle(plan));
    notices.extend(idle_filters(plan));
    notices.extend(plan.reports.iter().filter_map(|report| entries::subdirectories(plan, report)));
    notices.extend(secret_names(plan));
    notices.extend(passed_over(plan));
    notices.extend(git_directories(plan));
    notices.extend(by_own_files(plan));
    notices.extend(by_project(plan));
    notices.extend(cut_lines(plan));
    notices.extend(unusable(plan));
    notices.extend(entries::leading_outside(plan));
    notices.extend(skipped(plan));
    notices.extend(unsure(plan));
    notices.extend(not_read(plan));
    notices.extend(entries::without_query(plan));
    notices.extend(plan.request.notices.iter().cloned());
    notices.extend(entries::referenced(plan));
    notices.extend(redacted(plan));
    notices.extend(redacted_names(plan));
    notices.extend(revealed(plan));
    notices.extend(omitted_data(plan));
    notices.extend(in_the_instruction(plan));
    notices.extend(in_the_prompt(plan));
    notices.extend(decoded(plan));
    notices.extend(since(plan));
    notices.extend(lossy(plan));
    let trimmed = if plan.has_nothing_new() { Vec::new() } else { trimmed::notices(plan) };
    // The notice about dropped files already contains the share of the budget.
    let nearly_full = nearly_full(plan).filter(|_| trimmed.is_empty());
    notices.extend(trimmed);
    notices.extend(beside::cut(plan));
    notices.extend(best::cut(plan));
    notices.extend(crowded_out(plan));
    notices.extend(without_room(plan));
    notices.extend(missing_words(plan));
    notices.extend(without_commits(plan));
    notices.extend(history::notices(plan));
    notices.extend(nearly_full);
    notices.extend(over_window(plan));
    notices.extend(empty(plan));
    notices
}

/// Reports filters that match nothing: what they should leave out is in the block, or the other way round.
fn idle_filters(plan: &Plan) -> Vec<Notice> {
    let is_explained = plan.is_empty();
    let told = plan.idle_filters.iter().filter(|idle| !is_explained || !idle.meant.is_empty());
    let notice = |IdleFilter { excludes, pattern, alternatives, meant }: &IdleFilter| {
        let (kind, does) =
            if *excludes { ("exclude", "takes out nothing") } else { ("include", "matches nothing") };
        let text = if alternatives.is_empty() {
            format!("the {kind} pattern {} {does}", quoted(pattern))
        } else {
            let parts: Vec<String> = alternatives.iter().map(quoted).collect();
            format!("part of the {kind} pattern {} {does}: {}", quoted(pattern), some_of(&parts))
        };
        let hint = Hint::FilterBy { excludes: *excludes, patterns: meant.clone() };
        Notice::warning(NoticeKind::Filters, text).with_hint((!meant.is_empty()).then_some(hint))
    };
    told.map(notice).collect()
}

fn secret_names(plan: &Plan) -> Option<Notice> {
    let is_secret = |skipped: &&Missed| skipped.why.is_secret_name() && !plan.only_competed(skipped);
    let files = plan.skipped.iter().filter(is_secret).count();
    let text = format!("{} left out: {}", counted(files, "file"), ReasonCode::SecretName.describe());
    let notice = Notice::note(NoticeKind::SecretNames, text).with_hint(Hint::AllowSecretNames);
    (files > 0).then_some(notice)
}

fn passed_over(plan: &Plan) -> Option<Notice> {
    let has_own_notice = |why: &MissedReason| why.is_secret_name() || *why == MissedReason::GitDirectory;
    let is_due = |skipped: &&Missed| !has_own_notice(&skipped.why) && !skipped.why.stays_in_tree();
    // Even if nobody asked for a certain file, answers may be in a directory that cannot be searched.
    let is_missed = |skipped: &&Missed| !plan.only_competed(skipped) || skipped.why.closes_a_directory();
    let skipped = plan.skipped.iter().filter(is_due).filter(is_missed);
    let names: Vec<String> =
        skipped.map(|skipped| format!("{} ({})", quoted(skipped.label.as_str()), skipped.why)).collect();
    let text = format!("left out: {}", some_of(&names));
    (!names.is_empty()).then(|| Notice::warning(NoticeKind::PassedOver, text))
}

/// Reports git directories that are not called `.git`, such as bare repositories.
fn git_directories(plan: &Plan) -> Option<Notice> {
    let found = plan.skipped.iter().filter(|skipped| skipped.why == MissedReason::GitDirectory);
    let names: Vec<String> = found.map(|skipped| quoted(skipped.label.as_str())).collect();
    let text = format!("{} left out: {}", counted(names.len(), "git directory"), some_of(&names));
    (!names.is_empty()).then(|| Notice::note(NoticeKind::PassedOver, text))
}

/// Reports files excluded by ignore files that git does not read. In a checkout, such a file could hide
/// others from a reviewer.
fn by_own_files(plan: &Plan) -> Option<Notice> {
    let by_name = plan.left_out_by_own_files.iter();
    let mut counts = by_name.filter_map(|(name, count)| Some((name, count.in_words()?)));
    let (name, count) = counts.next()?;
    let mut text = format!("{count} left out by {name}");
    for (name, count) in counts {
        text += &format!(", {count} by {name}");
    }
    Some(Notice::note(NoticeKind::IgnoreFiles, text).with_hint(Hint::LiftIgnoreRules))
}

/// Reports files that a project's exclusions, which may come from a checkout, leave out of a search.
fn by_project(plan: &Plan) -> Option<Notice> {
    let text = format!("{} left out by the project's exclusions", plan.left_out_by_project.in_words()?);
    Some(Notice::note(NoticeKind::IgnoreFiles, text).with_hint(Hint::LiftProjectExclusions))
}

/// Reports ignore rules of which ctx applies only the beginning, unless a `git:` entry has met the same ones.
fn cut_lines(plan: &Plan) -> Option<Notice> {
    rule_file::cut_lines(&plan.cut_lines).filter(|notice| !plan.request.notices.contains(notice))
}

/// Reports what is in every question but not whole in this one, because the budget is too small.
fn crowded_out(plan: &Plan) -> Option<Notice> {
    plan.block.as_ref().ok()?;
    let mut are_whole: HashMap<EntryId, bool> = HashMap::new();
    for item in plan.items.iter().filter(|_| !plan.crowded_out.is_empty()) {
        let is_whole = matches!(item.fate, Fate::Included { .. } | Fate::Skipped(_));
        for id in &item.source.selected_by.entries {
            *are_whole.entry(*id).or_insert(true) &= is_whole;
        }
    }
    let left = plan.crowded_out.iter().filter(|entry| !are_whole.get(&entry.id).is_some_and(|whole| *whole));
    let estimated = plan.request.measure.estimated;
    let left: Vec<&CrowdedOut> = left.collect();
    let limit = plan.request.measure.limit?;
    let room = if left.iter().any(|entry| entry.of == ListRoom::Rest) {
        grouped(plan.limit.unwrap_or(limit))
    } else if plan.request.measure.ceiling.is_some() {
        format!("the {} for lists", grouped(plan.request.list.rules_tokens))
    } else {
        format!("a quarter of {}", grouped(limit))
    };
    let named = |entry: &&CrowdedOut| {
        let scoped = &plan.request.entries[entry.id.0];
        let list = if scoped.is_built_in() { "the built-in list" } else { "your list" };
        (quoted(scoped.entry.name()), list, tokens(entry.tokens, estimated))
    };
    let (it, they) = if plan.request.list.rest_competes {
        ("competes", "compete")
    } else {
        ("is left out", "are left out")
    };
    let text = match &left.iter().map(named).collect::<Vec<_>>()[..] {
        [] => return None,
        [(name, list, tokens)] => format!("{name} of {list} ({tokens}) does not fit in {room}, so it {it}"),
        several => {
            let names: Vec<String> =
                several.iter().map(|(name, _, tokens)| format!("{name} ({tokens})")).collect();
            let count = several.len();
            format!("{count} entries of your lists do not fit in {room}, so they {they}: {}", some_of(&names))
        }
    };
    Some(Notice::note(NoticeKind::Trimmed, text.clone()).unless_strict(text))
}

/// Reports documents whose condition is met but that don't fit.
fn without_room(plan: &Plan) -> Option<Notice> {
    let names: Vec<String> = plan.without_room.iter().map(quoted).collect();
    let text = format!("no room for files whose condition is met: {}", some_of(&names));
    (!names.is_empty()).then(|| Notice::note(NoticeKind::Trimmed, text))
}

fn skipped(plan: &Plan) -> Option<Notice> {
    let of_files = plan.reports.iter().filter(|report| !is_stored_link_outside(plan, report));
    let unreadable = of_files.filter_map(|report| {
        // There is a notice for all that is not trusted.
        let is_absent = |problem: &Problem| matches!(problem, Problem::Missing | Problem::NotTrusted);
        let of_a_file = |problem: &&Problem| !is_absent(problem) && !is_invalid(problem);
        let problem = report.fate.problem().filter(of_a_file)?;
        Some(format!("{} ({problem})", quoted(text_of(plan, report))))
    });
    let is_unsure = |reason: &Reason| reason.code == ReasonCode::UnknownEncoding;
    let reasons = plan.items.iter().filter_map(|item| {
        let reason = item.skipped().filter(|reason| !reason.code.has_own_notice());
        // Nobody asked for it, and a search has other files.
        let reason = reason.filter(|reason| !is_unsure(reason) || !plan.only_competes(item));
        Some((item, reason?))
    });
    let unread = reasons
        .clone()
        .map(|(item, reason)| format!("{} ({})", quoted(item.source.label.as_str()), reason.text));
    let hint = reasons.clone().any(|(_, reason)| is_unsure(reason)).then_some(Hint::SayEncoding);
    let names: Vec<String> = unreadable.chain(unread).collect();
    let text = format!("{} left out: {}", counted(names.len(), "file"), some_of(&names));
    (!names.is_empty()).then(|| Notice::warning(NoticeKind::Skipped, text).with_hint(hint))
}

/// Reports files that a question did not look through, since their encoding is uncertain.
fn unsure(plan: &Plan) -> Option<Notice> {
    let is_unsure = |item: &&Item| is_skipped(item, |code| code == ReasonCode::UnknownEncoding);
    let unsure = plan.items.iter().filter(is_unsure).filter(|item| plan.only_competes(item));
    let names: Vec<String> = unsure.map(|item| quoted(item.source.label.as_str())).collect();
    let text = format!(
        "{} of uncertain encoding not looked through: {}",
        counted(names.len(), "file"),
        some_of(&names)
    );
    (!names.is_empty()).then(|| Notice::note(NoticeKind::Skipped, text).with_hint(Hint::SayEncoding))
}

/// Reports files whose readers did not run.
fn not_read(plan: &Plan) -> Vec<Notice> {
    let names = |code: ReasonCode| {
        let items = plan.items.iter().filter(|item| is_skipped(item, |other| other == code));
        items.map(|item| quoted(item.source.label.as_str())).collect::<Vec<_>>()
    };
    let notice = |code: ReasonCode, level: fn(NoticeKind, String) -> Notice| {
        let names = names(code);
        let text = format!("{} {}: {}", counted(names.len(), "file"), code.describe(), some_of(&names));
        (!names.is_empty()).then(|| level(NoticeKind::Skipped, text))
    };
    let hint = Hint::RunReaders { asks: plan.request.looked_through.is_some() };
    let not_read = notice(ReasonCode::NotRead, Notice::note).map(|notice| notice.with_hint(hint));
    not_read.into_iter().chain(notice(ReasonCode::ReadLater, Notice::warning)).collect()
}

fn redacted(plan: &Plan) -> Option<Notice> {
    let words = ["secret", "redacted"];
    let found = |at: fn(&Item, &Document) -> String| {
        found_in_texts(plan, words, |text| Tally::of_secrets(text.replaced()), Tally::to_string, at)
    };
    let text = found(|_, _| String::new())?;
    let with_lines = found(|item, document| lines_of_secrets(item, document).unwrap_or_default());
    Some(Notice::warning(NoticeKind::Redacted, text).unless_strict(with_lines))
}

/// Reports labels with a secret in the file name; there is a separate notice for commands.
fn redacted_names(plan: &Plan) -> Option<Notice> {
    let is_redacted = |source: &&Source| source.command.is_none() && source.label.is_redacted();
    let sources = plan.printed().map(|(item, _)| &item.source).filter(is_redacted);
    let labels: Vec<String> = sources.map(|source| quoted(source.label.as_str())).collect();
    let text = format!("secrets redacted in {}: {}", counted(labels.len(), "label"), some_of(&labels));
    (!labels.is_empty()).then(|| Notice::warning(NoticeKind::Redacted, text))
}

fn revealed(plan: &Plan) -> Option<Notice> {
    let words = ["hidden character", "made visible"];
    let kinds = |text: &CleanText| Tally::of_hidden(text.replaced());
    let text = found_in_texts(plan, words, kinds, |tally| tally.kind.clone(), |_, _| String::new())?;
    Some(Notice::warning(NoticeKind::Revealed, text))
}

/// Reports embedded data that was left out, such as pictures.
fn omitted_data(plan: &Plan) -> Option<Notice> {
    let (mut all, mut files) = (0, Vec::new());
    for (item, document) in plan.printed() {
        if let Some(bytes) = item.text().unwrap_or(&document.text).omitted_data() {
            all += bytes;
            files.push(format!("{} ({})", quoted(item.source.label.as_str()), size(bytes)));
        }
    }
    let number = counted(files.len(), "file");
    let text = format!("{} of embedded data omitted in {number}: {}", size(all), some_of(&files));
    let notice = Notice::note(NoticeKind::OmittedData, text).with_hint(Hint::AllowData);
    (all > 0).then_some(notice)
}

/// Reports what was redacted or made visible in the instruction.
fn in_the_instruction(plan: &Plan) -> Vec<Notice> {
    let Some(instruction) = &plan.instruction else { return Vec::new() };
    let warned = |kind, tallies: &[Tally], what: &str, became: &str| {
        let count: usize = tallies.iter().map(|tally| tally.count).sum();
        let text = format!("{} {became} in the instruction", counted(count, what));
        (count > 0).then(|| Notice::warning(kind, text))
    };
    let (secrets, hidden) =
        (Tally::of_secrets(instruction.replaced()), Tally::of_hidden(instruction.replaced()));
    let secrets = warned(NoticeKind::Redacted, &secrets, "secret", "redacted");
    let hidden = warned(NoticeKind::Revealed, &hidden, "hidden character", "made visible");
    secrets.into_iter().chain(hidden).collect()
}

/// Reports secrets and hidden characters in the prompt: that they were replaced or, if it was typed, that they
/// are printed.
fn in_the_prompt(plan: &Plan) -> Option<Notice> {
    let prompt = plan.request.prompt.as_ref()?;
    let secrets = Tally::of_secrets(prompt.found.iter());
    let text = if prompt.is_typed {
        let all = |tallies: &[Tally]| tallies.iter().map(Tally::to_string).collect::<Vec<_>>();
        let found = [all(&secrets), all(&Tally::of_hidden(prompt.found.iter()))].concat();
        format!("the prompt is printed as you typed it, with {}", all_of(found.iter().map(String::as_str)))
    } else {
        format!("in the prompt, {}", prompt.found)
    };
    let kind = if secrets.is_empty() { NoticeKind::Revealed } else { NoticeKind::Redacted };
    (!prompt.found.is_empty()).then(|| Notice::warning(kind, text))
}

/// The lines of the secrets in what is printed of a document: `, line 3`, `, lines 3, 17`; `None` if there are none.
fn lines_of_secrets(item: &Item, document: &Document) -> Option<String> {
    let text = document.text.as_str();
    let is_secret = |one: &&Replacement| matches!(one.replaced, Replaced::Secret(_));
    let secrets = document.text.replacements().iter().filter(is_secret);
    let line = |one: &Replacement| text[..one.range.start].matches('\n').count() + 1;
    let is_printed = |line: &usize| match &item.fate {
        Fate::Truncated(part) => part.kept.iter().any(|run| (run.first..=run.last).contains(line)),
        _ => true,
    };
    let mut lines: Vec<usize> = secrets.map(line).filter(is_printed).collect();
    lines.dedup();
    let lines: Vec<String> =
        lines.into_iter().map(|line| (line + document.lines_before()).to_string()).collect();
    match &lines[..] {
        [] => None,
        [line] => Some(format!(", line {line}")),
        lines => Some(format!(", lines {}", some_of(lines))),
    }
}

fn is_standard_input(plan: &Plan, item: &Item) -> bool {
    let path = |id: &EntryId| plan.request.entries[id.0].entry.path.as_str();
    item.source.selected_by.entries.iter().any(|id| path(id) == "-")
}

/// Reports what was found in the block's documents, how it was handled, and in which files; `None` if nothing
/// was found.
fn found_in_texts(
    plan: &Plan,
    [what, became]: [&str; 2],
    tallies: impl Fn(&CleanText) -> Vec<Tally>,
    in_words: impl Fn(&Tally) -> String,
    at: impl Fn(&Item, &Document) -> String,
) -> Option<String> {
    let (mut count, mut files) = (0, Vec::new());
    for (item, document) in plan.printed() {
        let tallies = tallies(item.text().unwrap_or(&document.text));
        if !tallies.is_empty() {
            count += tallies.iter().map(|tally| tally.count).sum::<usize>();
            let kinds: Vec<String> = tallies.iter().map(&in_words).collect();
            let (name, at) = (quoted(item.source.label.as_str()), at(item, document));
            files.push(format!("{name} ({}{at})", kinds.join(", ")));
        }
    }
    let found = counted(count, what);
    (count > 0).then(|| format!("{found} {became} in {}: {}", counted(files.len(), "file"), some_of(&files)))
}

/// Reports files in guessed encodings: with a warning, those where the guess may well be wrong.
fn decoded(plan: &Plan) -> Vec<Notice> {
    let files = |is_sure: bool| {
        let guessed = plan.printed().filter_map(move |(item, document)| {
            let is_meant = document.encoding.is_guessed() && document.encoding.is_unsure() != is_sure;
            is_meant.then(|| (quoted(item.source.label.as_str()), document.encoding.to_string()))
        });
        in_encodings(&guessed.collect::<Vec<_>>())
    };
    let sure = files(true).map(|text| Notice::note(NoticeKind::Decoded, text));
    let unsure = files(false).map(|text| {
        let text = format!("{text}, which is uncertain");
        Notice::warning(NoticeKind::Decoded, text).with_hint(Hint::SayEncoding)
    });
    sure.into_iter().chain(unsure).collect()
}

/// These files, each with its encoding, in words; `None` if there are none.
fn in_encodings(files: &[(String, String)]) -> Option<String> {
    let (_, encoding) = files.first()?;
    let number = counted(files.len(), "file");
    if files.iter().all(|(_, other)| other == encoding) {
        let names: Vec<String> = files.iter().map(|(name, _)| name.clone()).collect();
        return Some(format!("{number} read as {encoding}: {}", some_of(&names)));
    }
    let names: Vec<String> = files.iter().map(|(name, encoding)| format!("{name} as {encoding}")).collect();
    Some(format!("{number} not read as UTF-8: {}", some_of(&names)))
}

fn lossy(plan: &Plan) -> Option<Notice> {
    let names: Vec<String> = plan
        .printed()
        .filter(|(_, document)| document.lossy)
        .map(|(item, document)| format!("{} ({})", quoted(item.source.label.as_str()), document.encoding))
        .collect();
    let text = format!("{} only partly decodable: {}", counted(names.len(), "file"), some_of(&names));
    (!names.is_empty()).then(|| Notice::note(NoticeKind::Decoded, text))
}

/// Reports that nothing has changed since the reader's block, or why everything is printed.
fn since(plan: &Plan) -> Option<Notice> {
    let since = plan.request.since.as_ref()?;
    let text = match &since.reader {
        Err(why) => {
            format!("{} {}, so everything is printed", quoted(&since.manifest), why.describe())
        }
        Ok(_) => {
            plan.has_nothing_new().then_some(())?;
            let is_dropped = |item: &&Item| matches!(item.fate, Fate::Dropped { .. });
            match plan.items.iter().filter(is_dropped).count() {
                0 => format!("nothing has changed since {}", quoted(&since.manifest)),
                dropped => {
                    let (files, since) = (counted(dropped, "file"), quoted(&since.manifest));
                    let text = format!("nothing that fits has changed since {since}; {files} left out");
                    let is_finding = plan.request.looked_through.is_none();
                    let notice = if is_finding {
                        Notice::warning(NoticeKind::Since, text)
                    } else {
                        Notice::note(NoticeKind::Since, text)
                    };
                    return Some(notice.with_hint(Hint::ShowPlan));
                }
            }
        }
    };
    Some(Notice::note(NoticeKind::Since, text))
}

impl Plan {
    /// In what secrets were redacted: the path of a file from the work root, `None` for anything else.
    #[must_use]
    pub fn redacted(&self) -> Vec<Option<&str>> {
        let has_secret = |(item, document): &(&Item, &Document)| {
            let is_secret = |one: &Replaced| matches!(one, Replaced::Secret(_));
            item.text().unwrap_or(&document.text).replaced().any(is_secret)
        };
        let items = self.printed().filter(has_secret).map(|(item, _)| item);
        items.map(|item| item.source.place().map(|_| item.source.path())).collect()
    }

    /// Whether the reader of an earlier block already has everything in this one.
    #[must_use]
    pub fn has_nothing_new(&self) -> bool {
        let is_left_out = self.items.iter().any(|item| item.fate == Fate::Unchanged);
        let is_empty = self.block.is_ok() && self.gone.is_empty() && self.printed().next().is_none();
        self.request.reader().is_some() && is_empty && is_left_out
    }
}

fn nearly_full(plan: &Plan) -> Option<Notice> {
    let block = plan.block.as_ref().ok()?;
    let limit = plan.limit.filter(|limit| *limit > 0)?;
    let percent = share(block.tokens, limit);
    let share = figure(percent, plan.request.measure.estimated);
    let text = format!("the output uses {share}% of the budget of {}", tokens(limit, false));
    (percent >= NEARLY_FULL).then(|| Notice::note(NoticeKind::NearlyFull, text))
}

/// How many missing words of a question are named, and how many names that somebody gave beside it.
const MISSING_WORDS: usize = 3;
const MISSING_NAMES: usize = 6;

/// Reports words of the question that no file contains: the answer may be about something else.
fn missing_words(plan: &Plan) -> Option<Notice> {
    let is_secret =
        |word: &&String| !guard::clean((*word).clone(), Allowed::default()).replacements().is_empty();
    let telling = plan.words.missing.iter().filter(|word| !is_secret(word));
    let most = if plan.request.words.is_some() { MISSING_NAMES } else { MISSING_WORDS };
    let words: Vec<String> = telling.take(most).map(quoted).collect();
    if plan.words.hardly_any {
        let which = if words.is_empty() { String::new() } else { format!(" (not {})", words.join(" or ")) };
        let text = format!("few words of the question occur here{which}");
        return Some(Notice::warning(NoticeKind::Question, text).with_hint(Hint::NameWords));
    }
    let text = format!("no file has {}", words.join(" or "));
    (!words.is_empty()).then(|| Notice::note(NoticeKind::Question, text))
}

/// Reports that earlier commits are not used, though they are there.
fn without_commits(plan: &Plan) -> Option<Notice> {
    let why = plan.request.commits.hindrance()?;
    let advice = match why {
        NoCommits::Borrows => {
            "; 'git repack -a -d' copies them, and then you can remove objects/info/alternates"
        }
        _ => "",
    };
    let text = format!("chosen without the messages of earlier commits: {why}{advice}");
    Some(Notice::note(NoticeKind::Question, text))
}

/// Reports that the model cannot read the whole block and the prompt, however large the budget is.
fn over_window(plan: &Plan) -> Option<Notice> {
    plan.block.as_ref().ok()?;
    let is_known = plan.request.measure.known_window().is_some();
    (is_known || plan.request.is_question()).then_some(())?;
    let (printed, measures) = (plan.token_counts().printed(), plan.measures());
    let (tokens, window) = (measures.tokens(printed), grouped(measures.window));
    if is_known {
        let model = measures.model.as_ref().filter(|_| measures.exceed_window(printed))?;
        let text = format!("{tokens} do not fit in the window of {model} ({window})");
        return Some(Notice::warning(NoticeKind::Window, text));
    }
    let text = format!("{tokens} may be too many: without -m MODEL, ctx assumes a window of {window}");
    let notice = Notice::warning(NoticeKind::Window, text).unless_strict(None);
    (printed > measures.window).then_some(notice)
}

fn empty(plan: &Plan) -> Option<Notice> {
    // A conversation alone needs no files.
    let talks = plan.request.instruction.is_some() || plan.request.conversation.is_some();
    let only_talks = talks && plan.request.entries.iter().all(|scoped| scoped.is_built_in());
    if !plan.is_empty()
        || only_talks
        || plan.items.is_empty()
            && plan.request.notices.iter().any(|notice| notice.kind == NoticeKind::EmptyInput)
        || plan.items.iter().any(|item| is_skipped(item, ReasonCode::is_pending))
    {
        return None;
    }
    let has = |problem: fn(&Problem) -> bool| {
        plan.reports.iter().any(|report| report.fate.problem().is_some_and(problem))
    };
    let secrets = plan.reports.iter().any(|report| report.left_out_secrets > 0);
    let Options { include, exclude, .. } = &plan.request.selection;
    let has_filters = !include.is_empty() || !exclude.is_empty();
    let texts = || plan.reports.iter().filter(|report| report.kind == EntryKind::Text && report.is_used());
    let provides = texts().any(|report| report.matches > 0 || has_filters);
    let empty = |why: &str| Notice::warning(NoticeKind::Empty, format!("the context is empty: {why}"));
    Some(if plan.request.profile.is_none() && plan.request.entries.is_empty() {
        empty("there are no entries").with_hint(Hint::AddEntries)
    } else if plan.items.iter().any(|item| item.source.place().is_none() && is_standard_input(plan, item)) {
        empty("the text on standard input was left out")
    } else if !plan.items.is_empty()
        && plan.items.iter().all(|item| is_skipped(item, ReasonCode::is_unchosen))
    {
        let is_too_large = |item: &Item| is_skipped(item, |code| code == ReasonCode::OverShare);
        empty(if plan.items.iter().any(is_too_large) {
            "your entries are only searched, and the matches exceed their share of the budget"
        } else {
            "your entries are only searched, and nothing in them matches"
        })
    } else if !plan.items.is_empty()
        && plan.items.iter().all(|item| is_skipped(item, |code| code == ReasonCode::NotTrusted))
    {
        empty("your entries are not trusted here")
    } else if (!plan.items.is_empty() && plan.request.reading.containing.is_none())
        || has(Problem::is_of_reading)
    {
        empty("no file could be read")
    } else if provides {
        // Only a filter removes a document completely, so that no item is left.
        empty("no file matches the filters")
    } else if plan.reports.iter().all(|report| !report.is_used() || report.kind == EntryKind::Exclusion)
        && plan.reports.iter().any(|report| report.fate == EntryFate::OtherTags)
    {
        empty("no entry with the tag is in use")
    } else if plan.met_outputs {
        empty("the entries match only files that this command writes")
    } else if plan.reports.iter().any(|report| report.matches > 0) {
        empty("no file matches the filters")
    } else if secrets {
        empty("the entries match only files whose names suggest secrets")
    } else if has(|problem| matches!(problem, Problem::LinkOutside(_) | Problem::Outside)) {
        empty("the entries lead outside this directory tree")
    } else if has(|problem| *problem == Problem::InsideGit) {
        empty("the entries name only files in a git directory, which is never entered")
    } else if plan.reports.iter().any(|report| report.fate.is_ignored()) {
        empty("the ignore rules leave out every file").with_hint(Hint::LiftIgnoreRules)
    } else if texts().next().is_some() {
        empty("the entries have no documents here")
    } else if plan.has_empty_lists() {
        let question = plan.request.question.as_deref().map(Box::from);
        empty("nothing is on your list").with_hint(Hint::AskOrAdd { question })
    } else if plan.request.entries.iter().any(|scoped| scoped.scope == Scope::Session) {
        empty("no entry matches a file here").with_hint(Hint::ShowPlan)
    } else {
        empty("no entry matches a file here").with_hint(Hint::ShowEntries)
    })
}

fn is_skipped(item: &Item, is_for: impl Fn(ReasonCode) -> bool) -> bool {
    item.skipped().is_some_and(|reason| is_for(reason.code))
}

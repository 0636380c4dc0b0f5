//! The entries and what they match, list by list.

use std::io::{self, Write};

use owo_colors::Style;

use crate::palette::{BAD, CAUTION, FAINT, GOOD, MARK, PLAIN, STRONG};
use crate::request::Described;
use crate::ui::Ui;
use crate::visible::{visible, width};
use ctx_core::account::{
    Account, EntryRecord, EntryState, HistoryRecord, InQuestions, InstructionRecord, Measures, SettingRecord,
};
use ctx_core::command::CommandLimits;
use ctx_core::entry::{Attribute, Attributes, BUILT_IN_GLOBAL, Scope, is_built_in};
use ctx_core::words::{counted, grouped};

/// The indentation of an entry, and of further text that doesn't fit next to it.
const INDENT: usize = 4;

/// The lists, in order of precedence.
const GLOBAL: &str = "global";
const PROFILE: &str = "profile";
const SESSION: &str = "session";

fn section_of(scope: Scope) -> &'static str {
    match scope {
        Scope::Global => GLOBAL,
        Scope::Profile | Scope::Project => PROFILE,
        Scope::Session | Scope::Prompt => SESSION,
    }
}

/// Writes the lists, and the parts of the block that aren't documents.
///
/// # Errors
/// Errors from writing to `out`.
pub fn write(out: &mut impl Write, described: &Described, account: &Account, ui: &Ui) -> io::Result<()> {
    let chosen = described.chosen.as_deref();
    let chosen = chosen.map_or_else(String::new, |chosen| format!(" ({})", visible(chosen)));
    writeln!(out, "current profile: {}{chosen}", ui.paint(&described.profile, GOOD))?;
    if let Some(project) = &account.project {
        ui.write_text(out, 0, &format!("project: {}", visible(&project.root)), PLAIN)?;
    }
    if let Some(description) = &described.description {
        ui.write_text(out, 0, &visible(description), FAINT)?;
    }
    if !described.settings.is_empty() {
        let said = |SettingRecord { name, value, from }: &SettingRecord| {
            format!("{name} {} ({from})", visible(value))
        };
        let settings: Vec<String> = described.settings.iter().map(said).collect();
        ui.write_text(out, 0, &format!("settings: {}", settings.join(", ")), PLAIN)?;
    }
    if let Some(InstructionRecord { tokens, scopes, .. }) = &account.instruction {
        let scopes: Vec<&str> = scopes.iter().map(|scope| scope.name()).collect();
        writeln!(out, "instruction: {} ({})", account.measures.tokens(*tokens), scopes.join(", "))?;
    }
    if let Some(HistoryRecord { name, turns, tokens, share, .. }) = &account.history {
        let (turns, share) = (counted(*turns, "turn"), grouped(*share));
        let tokens = account.measures.count(*tokens);
        ui.write_text(out, 0, &format!("history: {name} ({turns}, {tokens} of {share} tokens)"), PLAIN)?;
    }
    // Nobody asked for the built-in list, unless it was edited.
    let is_there =
        |text: &str| account.entries.iter().any(|entry| entry.scope == Scope::Global && entry.entry == text);
    let is_edited = !BUILT_IN_GLOBAL.iter().all(|text| is_there(text));
    for section in [GLOBAL, PROFILE, SESSION] {
        let is_of_section =
            |entry: &&EntryRecord| section_of(entry.scope) == section && (is_edited || !is_unheard(entry));
        let entries: Vec<&EntryRecord> = account.entries.iter().filter(is_of_section).collect();
        // Without a profile, the stored entries are left out.
        let is_shown = if section == SESSION { !entries.is_empty() } else { account.profile.is_some() };
        if !is_shown {
            continue;
        }
        writeln!(out, "\n{}:", ui.paint(section, STRONG))?;
        if entries.is_empty() {
            writeln!(out, "{:INDENT$}{}", "", ui.paint("<none>", FAINT))?;
        }
        entries.into_iter().try_for_each(|entry| write_entry(out, entry, &account.measures, ui))?;
    }
    writeln!(out)
}

/// Writes the entries that no file in the table belongs to, list by list.
///
/// # Errors
/// Errors from writing to `out`.
pub fn write_without_files(out: &mut impl Write, account: &Account, ui: &Ui) -> io::Result<()> {
    for section in [GLOBAL, PROFILE, SESSION] {
        let is_of_section = |entry: &&EntryRecord| section_of(entry.scope) == section && entry.matches == 0;
        let entries: Vec<&EntryRecord> = account.entries.iter().filter(is_of_section).collect();
        if !entries.is_empty() {
            writeln!(out, "\n{}, without files:", ui.paint(section, STRONG))?;
        }
        entries.into_iter().try_for_each(|entry| write_entry(out, entry, &account.measures, ui))?;
    }
    Ok(())
}

/// Whether the entry is built in and yields nothing.
fn is_unheard(entry: &EntryRecord) -> bool {
    let is_absent = matches!(entry.state, EntryState::Missing | EntryState::NoMatches | EntryState::Filtered);
    is_absent && is_built_in(entry.scope, &entry.entry)
}

/// Writes an entry on one line; if the terminal is too narrow, its details go below.
fn write_entry(out: &mut impl Write, entry: &EntryRecord, measures: &Measures, ui: &Ui) -> io::Result<()> {
    let is_idle = entry.state == EntryState::Exclusion && entry.problem.is_some();
    let style = if is_idle { CAUTION } else { style(entry.state) };
    let path = visible(&entry.entry);
    let details = Some(details(entry, measures)).filter(|details| !details.is_empty());
    let details = details.map(|details| format!("({details})"));
    let tags: Vec<String> = entry.attributes.tags.iter().map(|tag| format!("[{}]", visible(tag))).collect();
    let tags = Some(tags.join(" ")).filter(|tags| !tags.is_empty());
    let beside = [(details, style), (tags, MARK)];
    let beside = || beside.iter().filter_map(|(text, style)| Some((text.as_ref()?, *style)));
    let width = INDENT + width(&path) + beside().map(|(text, _)| 1 + width(text)).sum::<usize>();
    let columns = ui.columns.unwrap_or(usize::MAX);
    if width <= columns {
        write!(out, "{:INDENT$}{path}", "")?;
        beside().try_for_each(|(text, style)| write!(out, " {}", ui.paint(text, style)))?;
        return writeln!(out);
    }
    writeln!(out, "{:INDENT$}{}", "", ui.shortened(&path, columns.saturating_sub(INDENT)))?;
    beside().try_for_each(|(text, style)| ui.write_text(out, 2 * INDENT, text, style))
}

fn style(state: EntryState) -> Style {
    match state {
        EntryState::Ok
        | EntryState::Exclusion
        | EntryState::Filtered
        | EntryState::Off
        | EntryState::Cached
        | EntryState::NotRun => FAINT,
        EntryState::Missing | EntryState::NoMatches | EntryState::NotTrusted | EntryState::Failed => CAUTION,
        EntryState::Invalid => BAD,
    }
}

/// `42 matches, 50,392 tokens, pinned`.
pub fn details(entry: &EntryRecord, measures: &Measures) -> String {
    let state = match entry.state {
        // It is not used, so nobody counted it.
        EntryState::Ok if !entry.attributes.when.is_empty() && entry.tokens == 0 => None,
        EntryState::Ok => Some(entry.amount("match", measures)),
        EntryState::NoMatches => Some(match &entry.problem {
            Some(problem) => format!("0 matches: {}", visible(problem)),
            None => "0 matches".to_owned(),
        }),
        EntryState::Missing => Some("missing".to_owned()),
        EntryState::Invalid => Some(entry.problem.as_deref().map_or_else(|| "invalid".to_owned(), visible)),
        EntryState::Filtered => Some("not selected by --tag".to_owned()),
        EntryState::Off => Some("off".to_owned()),
        EntryState::Cached => Some(format!("cached, {}", measures.tokens(entry.tokens))),
        EntryState::NotRun => Some("not run".to_owned()),
        EntryState::NotTrusted => Some("not trusted".to_owned()),
        EntryState::Failed => Some(match &entry.problem {
            Some(problem) => visible(problem),
            None => format!("failed, {}", measures.tokens(entry.tokens)),
        }),
        EntryState::Exclusion => entry.problem.as_deref().map(visible).or_else(|| entry.exclusion_in_words()),
    };
    let left_out =
        entry.left_out_subdirectories.map(|count| format!("{} left out", counted(count, "subdirectory")));
    // What is pinned is in everything.
    let in_questions = entry.in_questions.filter(|_| !entry.attributes.pin).map(|how| match how {
        InQuestions::Whole => "in every question".to_owned(),
        InQuestions::Competes => "competes".to_owned(),
    });
    let given = CommandLimits::without_usual(&entry.attributes);
    let attributes = Attribute::ALL.into_iter().filter_map(|one| said(&given, one));
    state.into_iter().chain(left_out).chain(in_questions).chain(attributes).collect::<Vec<_>>().join(", ")
}

/// The value of an attribute, unless the entry's name, state or place in the list already shows it.
fn said(attributes: &Attributes, attribute: Attribute) -> Option<String> {
    let value = attributes.value(attribute)?;
    match attribute {
        Attribute::Tags | Attribute::Off | Attribute::Lines | Attribute::Name => None,
        Attribute::Pin => Some("pinned".to_owned()),
        Attribute::Search => Some("only searched".to_owned()),
        Attribute::Imports => Some("with imports".to_owned()),
        Attribute::Exit => Some("only if it succeeds".to_owned()),
        Attribute::Allow => Some(format!("allow {}", attributes.allow)),
        Attribute::When => Some(format!("when {}", visible(&attributes.when.join(", ")))),
        Attribute::As
        | Attribute::Share
        | Attribute::Encoding
        | Attribute::Timeout
        | Attribute::MaxOutput
        | Attribute::Ttl => Some(format!("{} {}", attribute.name().replace('_', "-"), value.as_str()?)),
    }
}

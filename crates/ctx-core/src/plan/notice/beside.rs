//! Says how much is left of what a question names beside files, such as piped text.

use std::collections::BTreeMap;

use crate::entry::Kind;
use crate::plan::beside::is_beside;
use crate::plan::{Item, Plan};
use crate::report::{Notice, NoticeKind};
use crate::select::EntryId;
use crate::words::{figure, quoted};

/// A warning with the tokens of each text that is not printed whole.
pub(super) fn cut(plan: &Plan) -> Option<Notice> {
    plan.block.as_ref().ok()?;
    let mut sums: BTreeMap<EntryId, (u64, u64)> = BTreeMap::new();
    for item in &plan.items {
        let Some(id) = text_beside(plan, item) else { continue };
        let (printed, whole) = sums.entry(id).or_default();
        *printed += plan.printed_tokens(item);
        *whole += item.tokens(plan.request.measure.counter);
    }
    let estimated = plan.request.measure.estimated;
    let cut = sums.into_iter().filter(|(_, (printed, whole))| printed < whole);
    let cut: Vec<(String, String)> = cut
        .map(|(id, (printed, whole))| {
            (name(plan, id), format!("{} of {} tokens", figure(printed, estimated), figure(whole, estimated)))
        })
        .collect();
    let said = |verb: &str| {
        let each: Vec<String> =
            cut.iter().map(|(name, tokens)| format!("of {name} {tokens} {verb}")).collect();
        each.join(", ")
    };
    (!cut.is_empty())
        .then(|| Notice::warning(NoticeKind::Trimmed, said("are sent")).unless_strict(said("fit")))
}

/// The entry of a question that brings a text beside the files.
pub(super) fn text_beside(plan: &Plan, item: &Item) -> Option<EntryId> {
    plan.request.looked_through.as_ref()?;
    let is_text = |id: &EntryId| match plan.request.entries[id.0].entry.kind() {
        Kind::StandardInput | Kind::Git | Kind::Command | Kind::Todo => true,
        Kind::Path | Kind::Exclusion | Kind::Up | Kind::Dependency => false,
    };
    let mut entries = item.source.selected_by.entries.iter().copied();
    if is_beside(item) { entries.find(is_text) } else { None }
}

fn name(plan: &Plan, id: EntryId) -> String {
    let entry = &plan.request.entries[id.0].entry;
    if entry.kind() == Kind::StandardInput { "your piped text".to_owned() } else { quoted(entry.name()) }
}

//! Entries that stand for texts instead of files.

use super::selection::Selection;
use super::{EntryKind, Unused};
use crate::entry::ScopedEntry;

impl Selection<'_> {
    /// Takes the entries that stand for texts out of what is looked up, and counts their texts.
    pub(super) fn count_provided(&mut self) {
        for id in &self.options.texts {
            let ScopedEntry { scope, entry, .. } = &self.entries[id.0];
            let tags = &self.options.tags;
            let asked = |tag: &String| entry.attributes.tags.contains(tag);
            let report = &mut self.reports[id.0];
            report.kind = EntryKind::Text;
            let has_other_tags = !scope.is_for_one_block() && !tags.is_empty() && !tags.iter().any(asked);
            report.unused = report.unused.or(has_other_tags.then_some(Unused::OtherTags));
        }
        for id in &self.options.provided {
            self.reports[id.0].kind = EntryKind::Text;
            self.reports[id.0].matches += 1;
        }
    }
}

//! Problems with the ignore files of the tree, whether or not an entry uses them.

use super::Finding;
use super::plan::{cut_line, left_out};
use crate::entry::ScopedEntry;
use crate::guard::names::holds_secrets;
use crate::select::{self, MissedReason, Options};
use crate::tree::Tree;
use crate::world::World;

/// The ignore files that keep a question from the directories that they apply to, and the lines that count only
/// in part. Outside a repository or project, a question need not look through the directory at all.
#[must_use]
pub fn of_rules(world: &World) -> Vec<Finding> {
    let tree = Tree::around(world);
    if tree.git_dirs().is_empty() && world.project.is_none() {
        return Vec::new();
    }
    let everything = [ScopedEntry::whole(".", tree.root().to_owned())];
    let options = Options { looks_through: true, only_rules: true, ..Options::new(holds_secrets) };
    // A question here fails, and says why.
    let Ok(selected) = select::select(&everything, world, &options) else { return Vec::new() };
    let is_due = |why: &MissedReason| matches!(why, MissedReason::UnsafeRules(_));
    let skipped = selected.skipped.iter().filter(|skipped| is_due(&skipped.why)).map(left_out);
    skipped.chain(selected.cut_lines.iter().map(cut_line)).collect()
}

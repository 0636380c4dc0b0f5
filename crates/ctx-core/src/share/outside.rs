//! Entries that lead out of the tree. Whoever wrote an imported file may not be the user, so it must not decide what
//! else is read.

use crate::entry::rooted::Rooted;
use crate::entry::{BUILT_IN_GLOBAL, Entry};
use crate::select::bound::may_lead_outside;
use crate::store::List;
use crate::tree::Tree;
use crate::world::World;

/// Takes the entries out of a list that lead out of the tree, except for those that ctx itself puts on lists.
pub fn take_outside(list: &mut List, world: &World) -> Vec<Entry> {
    let tree = Tree::around(world);
    let is_outside = |entry: &mut Entry| {
        may_lead_outside(&entry.path)
            && !BUILT_IN_GLOBAL.contains(&entry.path.as_str())
            && !is_inside(&entry.path, &tree, world)
    };
    list.paths.extract_if(.., is_outside).collect()
}

/// Whether a path that does not begin in the tree leads into it, and not out of it again.
fn is_inside(path: &str, tree: &Tree, world: &World) -> bool {
    let Some(below) = Rooted::below(path, world) else { return false };
    let absolute = world.root.join(&below);
    !may_lead_outside(&below) && tree.contains(&world.root) && tree.left_through_link(&absolute).is_none()
}

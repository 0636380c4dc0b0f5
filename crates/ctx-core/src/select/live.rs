//! How far a pattern or an exclusion has come on the way down.

use crate::entry::positions::{Components, Dots, Positions};

/// A pattern or exclusion that may still match, and how far it has come.
#[derive(Debug, Clone, Copy)]
pub struct Live {
    /// Its index.
    pub index: u32,
    /// How far.
    pub positions: Positions,
}

/// What may still match below the directory `name`.
pub(super) fn enter<'a>(
    live: &[Live],
    name: &[u8],
    dots: Dots,
    components: impl Fn(u32) -> &'a Components,
) -> Vec<Live> {
    let entered = live.iter().map(|one| Live {
        index: one.index,
        positions: one.positions.enter(components(one.index), name, dots),
    });
    entered.filter(|one| !one.positions.is_dead()).collect()
}

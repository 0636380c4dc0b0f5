//! How much can be shown of files without anything in them that could be taken for a part of the block, so that the
//! block needs no ids.

use std::collections::BTreeMap;

use super::cut::{CutAt, Cutter};
use super::fitting::Fitting;
use super::{Candidate, Layout};
use crate::format::{Hazards, LabelNumbers};
use crate::parallel::parallel;

/// A file that may be cut.
pub(super) struct Cuttable<'c, 'a> {
    pub(super) number: usize,
    /// Its place among the candidates.
    pub(super) place: usize,
    pub(super) cutter: &'c Cutter<'a>,
}

/// The largest caps with which files need no ids, by their numbers; those that never do are not in it.
#[derive(Debug)]
pub(super) struct HarmlessCaps(BTreeMap<usize, Caps>);

/// In tokens.
#[derive(Debug, Clone, Copy)]
struct Caps {
    at_line_end: u64,
    anywhere: u64,
}

impl HarmlessCaps {
    /// Those of `files`, up to a cap of `ceiling` tokens.
    pub(super) fn of(fitting: &Fitting<'_>, files: &[Cuttable<'_, '_>], ceiling: u64) -> Self {
        let labels = LabelNumbers::new(fitting.candidates.iter().map(|candidate| candidate.label));
        let layout = &fitting.block.layout;
        let caps = |file: &Cuttable<'_, '_>| {
            let caps = caps(file.cutter, &fitting.candidates[file.place], ceiling, layout, &labels)?;
            Some((file.number, caps))
        };
        let found =
            parallel(files, fitting.block.threads, |files| files.iter().filter_map(caps).collect::<Vec<_>>());
        Self(found.into_iter().flatten().collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The largest cap of a file that is cut at such a place.
    pub(super) fn cap(&self, number: usize, place: CutAt) -> u64 {
        self.0.get(&number).map_or(u64::MAX, |caps| match place {
            CutAt::LineEnd => caps.at_line_end,
            CutAt::Anywhere => caps.anywhere,
        })
    }
}

/// `None` for a file that needs no ids even if it is shown whole.
fn caps(
    cutter: &Cutter<'_>,
    candidate: &Candidate<'_>,
    ceiling: u64,
    layout: &Layout<'_>,
    labels: &LabelNumbers<'_>,
) -> Option<Caps> {
    let sections = layout.around.sections();
    let is_harmless = |text: &str| Hazards::of(layout.format, text, labels, sections) == Hazards::default();
    if !candidate.may_collide || is_harmless(candidate.text) {
        return None;
    }
    let most = |place: CutAt| {
        let (mut low, mut high) = (0, ceiling);
        while low < high {
            let middle = high - (high - low) / 2;
            if cutter.cut(middle, place).is_none_or(|cut| is_harmless(&cut.text)) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        low
    };
    Some(Caps { at_line_end: most(CutAt::LineEnd), anywhere: most(CutAt::Anywhere) })
}

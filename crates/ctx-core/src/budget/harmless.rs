//! How much of a file can be shown without anything that looks like a part of the block, so that the block needs
//! no ids.

use super::cut::{CutAt, Cutter};
use super::fitting::Fitting;
use super::{Candidate, Layout};
use crate::format::{Hazards, LabelNumbers};
use crate::parallel::parallel;

/// A file that may be cut.
pub(super) struct CuttableFile<'a> {
    /// Its index among the candidates.
    pub(super) place: usize,
    pub(super) tokens: u64,
    pub(super) cutter: Cutter<'a>,
}

/// The largest caps, in tokens, with which a file needs no ids.
#[derive(Debug, Clone, Copy)]
pub(super) struct HarmlessCaps {
    at_line_end: u64,
    anywhere: u64,
}

impl HarmlessCaps {
    /// The caps of each of `files`, up to `ceiling` tokens; `None` for a file that needs no ids even if it is
    /// shown whole.
    pub(super) fn of(fitting: &Fitting<'_>, files: &[&CuttableFile<'_>], ceiling: u64) -> Vec<Option<Self>> {
        let labels = LabelNumbers::new(fitting.candidates.iter().map(|candidate| candidate.label));
        let layout = &fitting.block.layout;
        let caps = |file: &&CuttableFile<'_>| {
            caps(&file.cutter, &fitting.candidates[file.place], ceiling, layout, &labels)
        };
        let all = parallel(files, fitting.block.threads, |files| files.iter().map(caps).collect::<Vec<_>>());
        all.into_iter().flatten().collect()
    }

    /// The largest cap with which the file needs no ids, for this kind of cut.
    pub(super) fn at(self, place: CutAt) -> u64 {
        match place {
            CutAt::LineEnd => self.at_line_end,
            CutAt::Anywhere => self.anywhere,
        }
    }
}

/// The largest caps with which the file needs no ids; `None` if it needs none even when shown whole.
fn caps(
    cutter: &Cutter<'_>,
    candidate: &Candidate<'_>,
    ceiling: u64,
    layout: &Layout<'_>,
    labels: &LabelNumbers<'_>,
) -> Option<HarmlessCaps> {
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
    Some(HarmlessCaps { at_line_end: most(CutAt::LineEnd), anywhere: most(CutAt::Anywhere) })
}

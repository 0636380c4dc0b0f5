//! Why a file is not in the block although it was asked for, or although an entry matches it.

use std::path::{Path, PathBuf};

use super::Plan;
use super::explain::{Effect, EntryEffect, is_of_file};
use crate::fs::{FileMetadata, directory};
use crate::report::{Reason, ReasonCode};
use crate::select::explain::{Explanation, place_of};
use crate::select::filter::Filters;
use crate::select::ignore_rules::Ruling;
use crate::select::path_of;
use crate::select::{Missed, MissedReason, Problem};
use crate::tree::Tree;
use crate::world::World;

/// The path of something that the walk skipped, with all directories resolved.
fn place_of_missed(missed: &Missed, world: &World) -> Option<PathBuf> {
    place_of(&path_of(missed.label.as_str(), world).ok()?)
}

impl Effect {
    /// Why an entry with this effect does not include the file.
    pub(super) fn reason(self, explanation: &Explanation) -> Reason {
        match self {
            Self::Selects | Self::OtherLines | Self::Unreached => ReasonCode::Unreached.into(),
            Self::Excluded => ReasonCode::Excluded.into(),
            Self::Ignored => match &explanation.verdict {
                Ruling::Unsafe(problem) => problem.code().into(),
                Ruling::Unmentioned | Ruling::Kept(_) | Ruling::Ignored(_) => ReasonCode::Ignored.into(),
            },
            Self::SecretName => {
                let problem = Problem::SecretName(explanation.secret.unwrap_or(""));
                Reason::new(problem.code(), problem)
            }
            Self::InsideGit => ReasonCode::InsideGit.into(),
            Self::DotFile => {
                let name = explanation.absolute.file_name().map(std::ffi::OsStr::as_encoded_bytes);
                let is_own = name.is_some_and(|name| name.starts_with(b"."));
                let of_directory =
                    || Reason::new(ReasonCode::DotFile, "a directory in its path begins with a dot");
                if is_own { ReasonCode::DotFile.into() } else { of_directory() }
            }
            Self::Filtered => ReasonCode::OtherTags.into(),
            Self::Off => ReasonCode::Off.into(),
        }
    }
}

impl Plan {
    pub(super) fn why_out(
        &self,
        explanation: &Explanation,
        entries: &[EntryEffect],
        world: &World,
    ) -> Reason {
        if explanation.canonical.is_dir() {
            return ReasonCode::IsDirectory.into();
        }
        let of_missed = |why: &MissedReason| Reason::new(why.code(), why);
        let Some(first) = entries.first() else {
            if explanation.inside_git {
                return ReasonCode::InsideGit.into();
            }
            let link = self.link_on_the_way(explanation, world).map(of_missed);
            return link.unwrap_or_else(|| ReasonCode::NoEntry.into());
        };
        if entries.iter().any(|entry| entry.effect == Effect::Selects) {
            return self
                .filtered_out(explanation, world)
                .or_else(|| self.left_out_by_its_text(&explanation.canonical))
                .map(Reason::from)
                .or_else(|| self.met_on_the_way(explanation, world).map(of_missed))
                .unwrap_or_else(|| ReasonCode::Unreached.into());
        }
        first.effect.reason(explanation)
    }

    /// The option that leaves the file out.
    fn filtered_out(&self, explanation: &Explanation, world: &World) -> Option<ReasonCode> {
        let canonical = &explanation.canonical;
        let selecting = explanation.matched.iter();
        let selecting = selecting.filter(|matched| self.effect(matched, explanation) == Effect::Selects);
        let first = selecting.min_by_key(|matched| self.request.entries[matched.entry.0].scope)?;
        let filters = Filters::new(world, &self.request.selection, Tree::around(world).root()).ok()?;
        let changed = canonical.metadata().ok().map(|metadata| FileMetadata::of(&metadata).stamp.modified);
        filters.check(|| canonical.clone(), &directory::bytes_of(&first.below_start), changed).err()
    }

    /// Why the walk skipped the file or one of its parent directories.
    fn met_on_the_way(&self, explanation: &Explanation, world: &World) -> Option<&MissedReason> {
        let is_above = |place: &Path| explanation.absolute.starts_with(place);
        self.skipped
            .iter()
            .find(|skipped| place_of_missed(skipped, world).is_some_and(|path| is_above(&path)))
            .map(|skipped| &skipped.why)
    }

    /// Why a link on the written path to a file is not followed, if there is such a link.
    pub(super) fn link_on_the_way(&self, explanation: &Explanation, world: &World) -> Option<&MissedReason> {
        let ways: Vec<PathBuf> = explanation.asked.ancestors().filter_map(place_of).collect();
        let leading_out = self.skipped.iter().filter(|skipped| skipped.why.leads_out());
        let mut on_the_way = leading_out
            .filter(|link| place_of_missed(link, world).is_some_and(|place| ways.contains(&place)));
        on_the_way.next().map(|link| &link.why)
    }

    /// The reason, if the file's contents keep it out of the block without a notice.
    fn left_out_by_its_text(&self, canonical: &Path) -> Option<ReasonCode> {
        let (_, code) = self.passed_over.iter().find(|(source, _)| is_of_file(source, canonical))?;
        Some(*code)
    }
}

//! Why a file is not in the block although it was asked for, or although an entry matches it.

use std::path::Path;

use super::Plan;
use super::explain::{Effect, EntryEffect};
use crate::fs::Tree;
use crate::guard;
use crate::read::{self, Page};
use crate::report::{Reason, ReasonCode};
use crate::select::Problem;
use crate::select::explain::{Explanation, place_of};
use crate::select::filter::Filter;
use crate::select::ignore_rules::Ruling;
use crate::select::path_of;
use crate::world::World;

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
        let Some(first) = entries.first() else { return ReasonCode::NoEntry.into() };
        if entries.iter().any(|entry| entry.effect == Effect::Selects) {
            return self
                .filtered_out(&explanation.canonical, world)
                .map(Reason::from)
                .or_else(|| self.met_on_the_way(&explanation.absolute, world))
                .or_else(|| self.passed_while_reading(&explanation.canonical))
                .unwrap_or_else(|| ReasonCode::Unreached.into());
        }
        match first.effect {
            Effect::Selects | Effect::OtherLines | Effect::Unreached => ReasonCode::Unreached.into(),
            Effect::Excluded => ReasonCode::Excluded.into(),
            Effect::Ignored => match &explanation.verdict {
                Ruling::Unsafe(problem) => problem.kind.code().into(),
                Ruling::Unmentioned | Ruling::Kept(_) | Ruling::Ignored(_) => ReasonCode::Ignored.into(),
            },
            Effect::SecretName => {
                let problem = Problem::SecretName(explanation.secret.unwrap_or(""));
                Reason::new(problem.code(), problem)
            }
            Effect::InsideGit => ReasonCode::InsideGit.into(),
            Effect::DotFile => {
                let name = explanation.absolute.file_name().map(std::ffi::OsStr::as_encoded_bytes);
                let is_own = name.is_some_and(|name| name.starts_with(b"."));
                let of_directory =
                    || Reason::new(ReasonCode::DotFile, "a directory in its path begins with a dot");
                if is_own { ReasonCode::DotFile.into() } else { of_directory() }
            }
            Effect::Filtered => ReasonCode::OtherTags.into(),
            Effect::Off => ReasonCode::Off.into(),
        }
    }

    /// The option that leaves the file out.
    fn filtered_out(&self, canonical: &Path, world: &World) -> Option<ReasonCode> {
        let options = &self.request.selection;
        let tree = Tree::around(world);
        let matches =
            |texts| Filter::new(texts, world).is_ok_and(|filter| filter.matches(canonical, tree.root()));
        if !options.include.is_empty() && !matches(&options.include) {
            return Some(ReasonCode::NotIncluded);
        }
        if matches(&options.exclude) {
            return Some(ReasonCode::FilteredOut);
        }
        let changed = std::fs::metadata(canonical).and_then(|metadata| metadata.modified()).ok()?;
        let too_old = options.newer_than.is_some_and(|since| changed < since);
        too_old.then_some(ReasonCode::TooOld)
    }

    /// What the walk skipped: the file itself or a parent directory.
    fn met_on_the_way(&self, absolute: &Path, world: &World) -> Option<Reason> {
        let skipped = self.skipped.iter().find(|skipped| {
            let path = path_of(skipped.label.as_str(), world).ok();
            path.and_then(|path| place_of(&path)).is_some_and(|path| absolute.starts_with(path))
        })?;
        Some(Reason::new(skipped.why.code(), &skipped.why))
    }

    /// What a pattern skips silently.
    fn passed_while_reading(&self, canonical: &Path) -> Option<Reason> {
        let reader = &self.request.reading;
        let mut buffer = Page::default();
        match read::open(canonical).and_then(|file| read::read(file, reader.max_bytes, &mut buffer)) {
            Err(error) => Some(Reason::new(error.code(), error)),
            Ok(text) => {
                let regex = reader.containing.as_ref()?;
                let missing =
                    !regex.is_match(&guard::clean(text.text.into_owned(), reader.allowed.in_contents()).text);
                missing.then(|| ReasonCode::NotContaining.into())
            }
        }
    }
}

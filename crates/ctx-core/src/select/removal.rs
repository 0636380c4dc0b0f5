//! What each exclusion excludes, and why one excludes nothing.

use crate::entry::ScopedEntry;
use crate::entry::lists::Lists;
use crate::world::World;

use super::file::{EntryId, File};
use super::find::find;
use super::ground::Ground;
use super::options::Options;
use super::report::{EntryKind, EntryReport, Idle, Removal};
use super::resolve::{Resolved, Start, resolve};

/// An exclusion with where it begins.
struct Exclusion {
    id: EntryId,
    starts: Vec<Start>,
}

impl Exclusion {
    fn new(id: EntryId, scoped: &ScopedEntry, ground: &Ground<'_>) -> Option<Self> {
        match resolve(scoped, ground) {
            Ok(Resolved::Exclusion(starts)) => Some(Self { id, starts }),
            Ok(
                Resolved::File(_) | Resolved::Directory(_) | Resolved::Pattern(_) | Resolved::Hierarchy(_),
            )
            | Err(_) => None,
        }
    }

    fn takes_out(&self, file: &File) -> bool {
        let path = file.place.path();
        // Only a path that a person wrote may lead through links.
        let path = if file.brought.named { path.canonicalize().unwrap_or(path) } else { path };
        self.starts.iter().any(|start| start.takes_out(&path))
    }

    /// Whether any of the entries that found the file is one that the exclusion binds.
    fn binds(&self, file: &File, entries: &[ScopedEntry]) -> bool {
        let bound = Lists::bound_by(&entries[self.id.0]);
        file.brought.entries.iter().any(|id| Lists::of(&entries[id.0]).meets(bound))
    }
}

/// Completes the reports of the exclusions: how many files each excludes, if that is asked for, and why
/// one excludes nothing. `files` are what was selected.
pub(super) fn explain(
    entries: &[ScopedEntry],
    reports: &mut [EntryReport],
    files: &[File],
    world: &World,
    options: &Options,
) {
    let is_sound = |report: &&EntryReport| {
        report.kind == EntryKind::Exclusion && report.problem.is_none() && report.is_used()
    };
    if !reports.iter().any(|report| is_sound(&report)) {
        return;
    }
    let ground = Ground::new(world, options);
    let exclusions: Vec<Exclusion> = reports
        .iter()
        .filter(is_sound)
        .filter_map(|report| Exclusion::new(report.id, &entries[report.id.0], &ground))
        .collect();
    let counts = if options.count_exclusions && !exclusions.is_empty() {
        count(entries, &exclusions, world, options)
    } else {
        None
    };
    for (place, exclusion) in exclusions.iter().enumerate() {
        let of_texts = options.excluded_texts.get(&exclusion.id).copied();
        let counted = counts.as_ref().map(|counts| counts[place] + of_texts.unwrap_or_default());
        let is_idle = |report: &EntryReport| matches!(report.removal, Removal::Nothing(_));
        let report = &mut reports[exclusion.id.0];
        report.removal = match counted {
            Some(count) if count > 0 => Removal::Files(count),
            // Without the entries that the tags leave out nobody knows.
            None if !is_idle(report) || of_texts.is_some() || !options.tags.is_empty() => Removal::Something,
            Some(_) | None => Removal::Nothing(why_idle(exclusion, entries, files, &ground)),
        };
    }
}

/// How many files each exclusion excludes of patterns and directories: of what they find without any.
fn count(
    entries: &[ScopedEntry],
    exclusions: &[Exclusion],
    world: &World,
    options: &Options,
) -> Option<Vec<usize>> {
    let is_searched = |index: &usize| {
        !entries[*index].entry.is_exclusion()
            && !entries[*index].entry.attributes.off
            && !options.texts.contains(&EntryId(*index))
            && !options.provided.contains(&EntryId(*index))
    };
    let kept: Vec<usize> = (0..entries.len()).filter(is_searched).collect();
    let others: Vec<ScopedEntry> = kept.iter().map(|index| entries[*index].clone()).collect();
    // Whether an exclusion has an effect does not depend on what else this one command leaves out.
    let options = Options {
        count_exclusions: false,
        provided: Vec::new(),
        texts: Vec::new(),
        tags: Vec::new(),
        include: Vec::new(),
        exclude: Vec::new(),
        newer_than: None,
        ..options.clone()
    };
    let found = find(&others, world, &options).ok()?.files;
    let counted = |exclusion: &Exclusion| {
        let bound = Lists::bound_by(&entries[exclusion.id.0]);
        let is_bound =
            |file: &&File| file.brought.entries.iter().any(|id| Lists::of(&entries[kept[id.0]]).meets(bound));
        let patterned = found.iter().filter(|file| !file.brought.named).filter(is_bound);
        patterned.filter(|file| exclusion.takes_out(file)).count()
    };
    Some(exclusions.iter().map(counted).collect())
}

fn why_idle(exclusion: &Exclusion, entries: &[ScopedEntry], files: &[File], ground: &Ground<'_>) -> Idle {
    let mut matched = files.iter().filter(|file| exclusion.takes_out(file)).peekable();
    if matched.peek().is_some() {
        let is_literal = matched.any(|file| file.brought.named && exclusion.binds(file, entries));
        return if is_literal { Idle::OnlyLiterals } else { Idle::EarlierScope };
    }
    let text = &entries[exclusion.id.0].entry.path;
    let name = text.strip_prefix('!').unwrap_or(text);
    if name.contains('/') {
        return Idle::Unmatched;
    }
    let mut deeper = entries[exclusion.id.0].clone();
    deeper.entry.path = format!("!**/{name}");
    let deeper = Exclusion::new(exclusion.id, &deeper, ground);
    let would = |deeper: Exclusion| {
        files.iter().any(|file| !file.brought.named && deeper.binds(file, entries) && deeper.takes_out(file))
    };
    if deeper.is_some_and(would) { Idle::Deeper } else { Idle::Unmatched }
}

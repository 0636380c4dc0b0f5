//! What each exclusion excludes: files that entries find or else, if stored, files that a question searches. If
//! neither, why not.

use std::borrow::Cow;
use std::path::PathBuf;

use crate::entry::ScopedEntry;
use crate::entry::lists::Lists;
use crate::fs::alike::alike_pattern_inside;
use crate::world::World;

use super::exclusions::Exclusions;
use super::fate::{EntryFate, EntryReport, Idle};
use super::file::{EntryId, File};
use super::matching::find;
use super::missed::MissedReason;
use super::options::Options;
use super::resolve::{Resolved, resolve};
use super::resolver::PathResolver;

/// For so many exclusions without effect, the names on the disk are compared with theirs.
const MOST_COMPARED: usize = 20;

/// Resolves some of the exclusions, as if they applied to every list.
fn resolved<'e>(
    scoped: impl Iterator<Item = (EntryId, Cow<'e, ScopedEntry>)>,
    resolver: &PathResolver<'_>,
) -> Exclusions {
    let mut exclusions = Exclusions::default();
    for (id, scoped) in scoped {
        if let Ok(Resolved::Exclusion(starts)) = resolve(&scoped, resolver) {
            exclusions.add(Some(MissedReason::Excluded(id)), Lists::ALL, starts);
        }
    }
    exclusions
}

/// The paths of files, with all links resolved.
fn paths(files: &[File]) -> Vec<PathBuf> {
    let path = |file: &File| {
        let path = file.place.path();
        // Only a path that a person wrote may lead through links.
        if file.selected_by.named { crate::fs::resolved(path) } else { path }
    };
    files.iter().map(path).collect()
}

/// Completes the reports of the exclusions: how many files each excludes, if requested, and why one excludes
/// nothing. `files` are the selected ones.
pub(super) fn explain(
    entries: &[ScopedEntry],
    reports: &mut [EntryReport],
    files: &[File],
    world: &World,
    options: &Options,
) {
    let is_sound =
        |report: &&EntryReport| matches!(report.fate, EntryFate::ExcludesNothing(_) | EntryFate::Excludes(_));
    let ids: Vec<EntryId> = reports.iter().filter(is_sound).map(|report| report.id).collect();
    if ids.is_empty() {
        return;
    }
    let resolver = PathResolver::new(world, options);
    let count = |ids: &[EntryId], among| {
        options.count_exclusions.then(|| count(entries, ids, &resolver, among)).flatten()
    };
    let counts = count(&ids, Among::Entries);
    let mut idle: Vec<EntryId> = Vec::new();
    for id in ids {
        let of_texts = options.excluded_texts.get(&id).copied();
        let counted = counts.as_ref().map(|counts| counts[id.0] + of_texts.unwrap_or_default());
        let fate = &mut reports[id.0].fate;
        let is_idle = matches!(fate, EntryFate::ExcludesNothing(_));
        match counted {
            Some(count) if count > 0 => *fate = EntryFate::Excludes(Some(count)),
            // The entries that the tags leave out are not searched, so the exclusion may still have an
            // effect.
            None if !is_idle || of_texts.is_some() || !options.tags.is_empty() => {
                *fate = EntryFate::Excludes(None);
            }
            Some(_) | None => idle.push(id),
        }
    }
    let is_of_questions = |id: &EntryId| !entries[id.0].scope.is_for_one_block();
    let of_questions: Vec<EntryId> = idle.iter().copied().filter(is_of_questions).collect();
    if options.count_exclusions && !of_questions.is_empty() {
        let counts = count(&of_questions, Among::Everything);
        idle.retain(|id| {
            let count = counts.as_ref().map(|counts| counts[id.0]);
            let excludes_nothing = count == Some(0) || !is_of_questions(id);
            if !excludes_nothing {
                // Without a count, there is too much to search.
                let fate = count.map_or(EntryFate::Excludes(None), EntryFate::ExcludesFromQuestions);
                reports[id.0].fate = fate;
            }
            excludes_nothing
        });
    }
    if !options.count_exclusions && !options.looks_through {
        // Whether a question would miss something takes a second search.
        for id in idle.extract_if(.., |id| is_of_questions(id)) {
            reports[id.0].fate = EntryFate::Excludes(None);
        }
    }
    for (id, why) in idle.iter().zip(why_idle(&idle, entries, files, &resolver)) {
        reports[id.0].fate = EntryFate::ExcludesNothing(why);
    }
}

/// The files that exclusions are counted among.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Among {
    /// What patterns and directories find.
    Entries,
    /// What a question searches: everything below the work root, too.
    Everything,
}

/// How many files each exclusion, by its index, excludes from those that would otherwise be found.
fn count(
    entries: &[ScopedEntry],
    ids: &[EntryId],
    resolver: &PathResolver<'_>,
    among: Among,
) -> Option<Vec<usize>> {
    let options = resolver.options;
    let whole = (among == Among::Everything).then(|| ScopedEntry::whole("", resolver.world.root.clone()));
    let is_searched = |index: &usize| {
        !entries[*index].entry.is_exclusion()
            && EntryFate::of_unused(&entries[*index], &[]).is_none()
            && !options.texts.contains(&EntryId(*index))
            && !options.provided.contains(&EntryId(*index))
    };
    let kept: Vec<usize> = (0..entries.len()).filter(is_searched).collect();
    let others: Vec<ScopedEntry> = kept.iter().map(|index| entries[*index].clone()).chain(whole).collect();
    // Whether an exclusion has an effect does not depend on the other filters of this one command.
    let options = Options {
        count_exclusions: false,
        provided: Vec::new(),
        texts: Vec::new(),
        tags: Vec::new(),
        include: Vec::new(),
        exclude: Vec::new(),
        newer_than: None,
        looks_through: options.looks_through || among == Among::Everything,
        ..options.clone()
    };
    let mut files = find(&others, resolver.world, &options).ok()?.files;
    files.retain(|file| !file.selected_by.named);
    let lists: Vec<Lists> = files.iter().map(|file| lists_of(file, |id| &others[id.0])).collect();
    let mut counts = vec![0; entries.len()];
    let mut last = vec![None; entries.len()];
    let own = ids.iter().map(|id| (*id, Cow::Borrowed(&entries[id.0])));
    let binds = |file: usize, by: usize| match among {
        Among::Entries => lists[file].meets(Lists::bound_by(&entries[by])),
        Among::Everything => Lists::bound_by(&entries[by]).and(Lists::FOR_ONE_BLOCK).hold(lists[file]),
    };
    resolved(own, resolver).each_taken(&paths(&files), |file, EntryId(by)| {
        if binds(file, by) && last[by].replace(file) != Some(file) {
            counts[by] += 1;
        }
    });
    Some(counts)
}

/// The lists of the entries that found a file.
fn lists_of<'e>(file: &File, entry: impl Fn(&EntryId) -> &'e ScopedEntry) -> Lists {
    file.selected_by.entries.iter().map(|id| Lists::of(entry(id))).fold(Lists::NONE, Lists::and)
}

/// Why each of these exclusions excludes nothing.
fn why_idle(
    ids: &[EntryId],
    entries: &[ScopedEntry],
    files: &[File],
    resolver: &PathResolver<'_>,
) -> Vec<Idle> {
    let mut reasons = vec![Idle::Unmatched; entries.len()];
    if ids.is_empty() {
        return Vec::new();
    }
    let paths = paths(files);
    let lists: Vec<Lists> = files.iter().map(|file| lists_of(file, |id| &entries[id.0])).collect();
    let for_one_block = if resolver.options.looks_through { Lists::FOR_ONE_BLOCK } else { Lists::NONE };
    let binds =
        |file: usize, by: EntryId| lists[file].meets(Lists::bound_by(&entries[by.0]).and(for_one_block));
    let own = ids.iter().map(|id| (*id, Cow::Borrowed(&entries[id.0])));
    resolved(own, resolver).each_taken(&paths, |file, by| {
        if files[file].selected_by.named && binds(file, by) {
            reasons[by.0] = Idle::OnlyLiterals;
        } else if reasons[by.0] == Idle::Unmatched {
            reasons[by.0] = Idle::EarlierScope;
        }
    });
    let deeper = |id: &EntryId| {
        let mut scoped = entries[id.0].clone();
        let name = scoped.entry.path.strip_prefix('!').unwrap_or(&scoped.entry.path);
        // Exclusions that need not be checked are replaced with one that cannot match.
        let is_asked = reasons[id.0] == Idle::Unmatched && !name.contains('/');
        scoped.entry.path = if is_asked { format!("!**/{name}") } else { "!".to_owned() };
        (*id, Cow::Owned(scoped))
    };
    let deeper = resolved(ids.iter().map(deeper), resolver);
    deeper.each_taken(&paths, |file, by| {
        if !files[file].selected_by.named && binds(file, by) {
            reasons[by.0] = Idle::Deeper;
        }
    });
    let unmatched: Vec<EntryId> = ids.iter().copied().filter(|id| reasons[id.0] == Idle::Unmatched).collect();
    for id in unmatched.into_iter().take(MOST_COMPARED) {
        let scoped = &entries[id.0];
        let name = scoped.entry.path.strip_prefix('!').unwrap_or(&scoped.entry.path);
        let base = resolver.base(scoped);
        if let Some(real) = alike_pattern_inside(name, &base.world.cwd, base.tree.root()) {
            reasons[id.0] = Idle::LooksLike(real);
        }
    }
    ids.iter().map(|id| reasons[id.0].clone()).collect()
}

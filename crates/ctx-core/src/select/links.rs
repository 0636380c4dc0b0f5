//! Links that a walk found. They are examined after the walk, in order of their paths, so that the result does not
//! depend on threads.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::exclusions::Live;
use super::ignore_rules::{Judged, Rules};
use super::missed::{MAX_LINKED_DIRECTORIES, MissedReason};
use super::walk::{FoundFile, Hops, Link, Matchers, MissedPath, PatternWalk, WalkJob, Yield};
use crate::fs::directory;
use crate::fs::names::{is_at_or_below, parent_of};
use crate::fs::{FileKind, FileMetadata};

/// Does the whole walk, including links.
#[must_use]
pub fn walk(walk: &PatternWalk<'_>, threads: usize) -> Vec<Yield> {
    let mut yields = walk.run(vec![walk.start()], threads);
    let mut room = MAX_LINKED_DIRECTORIES;
    loop {
        let mut links: Vec<Link> = yields.iter_mut().flat_map(|one| std::mem::take(&mut one.links)).collect();
        if links.is_empty() || walk.count.load(Ordering::Relaxed) > walk.limit {
            return yields;
        }
        links.sort_unstable_by(|a, b| a.relative.cmp(&b.relative));
        let mut output = Yield::default();
        let jobs = links.into_iter().filter_map(|link| follow(walk, link, &mut room, &mut output)).collect();
        yields.push(output);
        yields.extend(walk.run(jobs, threads));
    }
}

/// The target of a link.
struct LinkTarget {
    /// Relative to the root of the walk.
    relative: Vec<u8>,
    metadata: FileMetadata,
    judged: Option<Judged>,
}

fn follow(walk: &PatternWalk<'_>, link: Link, room: &mut usize, output: &mut Yield) -> Option<WalkJob> {
    let as_directory =
        || link.blocked.map(|blocked| walk.matchers_below(&link.above, &link.relative, blocked));
    let mut pass = |patterns: Vec<u32>, why| {
        if !patterns.is_empty() {
            let relative = link.relative.as_slice().into();
            output.skipped.push(MissedPath { relative, is_directory: false, why, patterns });
        }
    };
    let path = walk.tree.path().join(directory::path_of(&link.real));
    let Ok((path, metadata)) = walk.text_links.real(&path).and_then(|path| {
        let metadata = FileMetadata::of(&path.metadata()?);
        Ok((path, metadata))
    }) else {
        pass(link.as_file.to_vec(), MissedReason::BrokenLink);
        return None;
    };
    let relative = path.strip_prefix(walk.tree.path()).ok().map(directory::bytes_of);
    let leaves =
        if walk.around.contains(&path) { MissedReason::LeavesDirectory } else { MissedReason::LeavesTree };
    if relative.is_some() && !is_in_dot_git(&path) && walk.around.is_in_git(&path) {
        pass(link.as_file.to_vec(), MissedReason::GitDirectory);
        return None;
    }
    let stays = |index: u32| {
        let Some(start) = walk.pattern(index).start_of(&link.relative) else { return false };
        relative.as_ref().is_some_and(|target| {
            target.starts_with(start) || **target == *start.strip_suffix(b"/").unwrap_or(start)
        })
    };
    match metadata.kind {
        FileKind::Regular => {
            let (inside, outside): (Vec<u32>, Vec<u32>) =
                link.as_file.iter().partition(|index| stays(**index));
            pass(outside, leaves);
            let target = target(walk, relative?, metadata)?;
            file(walk, &link.relative, &inside, &path, target, output);
            None
        }
        FileKind::Directory => {
            let Matchers { patterns, exclusions } = as_directory()?;
            let (inside, outside): (Vec<Live>, Vec<Live>) =
                patterns.iter().partition(|live| stays(live.index));
            pass(outside.iter().map(|live| live.index).collect(), leaves);
            let target = target(walk, relative?, metadata)?;
            let inside = allowed_below(walk, inside, &target);
            if inside.is_empty() || leads_back(&link, &target.relative) {
                return None;
            }
            if *room == 0 {
                pass(inside.iter().map(|live| live.index).collect(), MissedReason::TooManyLinks);
                return None;
            }
            *room -= 1;
            Some(job(link, Matchers { patterns: inside.into(), exclusions }, target))
        }
        FileKind::Other if walk.irregular => {
            pass(link.as_file.to_vec(), MissedReason::NotRegular);
            None
        }
        FileKind::Link | FileKind::Other | FileKind::Unknown => None,
    }
}

/// Whether a path leads into a `.git`, which is not worth mentioning.
fn is_in_dot_git(path: &Path) -> bool {
    path.iter().any(|name| name.eq_ignore_ascii_case(".git"))
}

/// The target at this path; `None` if it is in a `.git`.
fn target(walk: &PatternWalk<'_>, relative: Vec<u8>, metadata: FileMetadata) -> Option<LinkTarget> {
    if is_in_dot_git(&directory::path_of(&relative)) {
        return None;
    }
    let judge = |rules: &Rules| {
        let path = [walk.prefix.as_slice(), &relative].concat();
        rules.judge(path.strip_suffix(b"/").unwrap_or(&path), metadata.kind == FileKind::Directory)
    };
    let judged = walk.rules.as_deref().map(judge);
    Some(LinkTarget { relative, metadata, judged })
}

fn is_left_out(target: &LinkTarget) -> bool {
    target.judged.as_ref().is_some_and(|judged| judged.verdict.leaves_out())
}

fn file(
    walk: &PatternWalk<'_>,
    link: &[u8],
    patterns: &[u32],
    path: &Path,
    target: LinkTarget,
    output: &mut Yield,
) {
    let excluded = walk.exclusions.path_from(&target.relative);
    let ignored = is_left_out(&target);
    let mut patterns: Vec<u32> = patterns
        .iter()
        .copied()
        .filter(|index| {
            let pattern = walk.pattern(*index);
            !(excluded.meets(pattern.list) || pattern.rules && ignored)
        })
        .collect();
    let secret =
        (walk.secret)(&walk.tree.path().join(directory::path_of(link))).or_else(|| (walk.secret)(path));
    if let Some(secret) = secret {
        let (left, out): (Vec<u32>, Vec<u32>) =
            patterns.iter().partition(|index| walk.pattern(**index).secrets);
        if !out.is_empty() {
            let why = MissedReason::secret_name(secret);
            output.skipped.push(MissedPath {
                relative: link.into(),
                is_directory: false,
                why,
                patterns: out,
            });
        }
        patterns = left;
    }
    if patterns.is_empty() || walk.outputs.holds(&target.metadata) {
        return;
    }
    walk.count.fetch_add(1, Ordering::Relaxed);
    output.found.push(FoundFile {
        relative: link.into(),
        real: Some(target.relative.into()),
        patterns: patterns.into(),
        metadata: walk.metadata.then(|| Box::new(target.metadata)),
    });
}

fn allowed_below(walk: &PatternWalk<'_>, live: Vec<Live>, target: &LinkTarget) -> Vec<Live> {
    let excluded = walk.exclusions.path_from(&target.relative);
    let ignored = is_left_out(target);
    let allowed = |one: &Live| {
        let pattern = walk.pattern(one.index);
        !(excluded.meets(pattern.list) || pattern.rules && ignored)
    };
    live.into_iter().filter(allowed).collect()
}

/// Whether the target is a directory that the path has already passed through.
fn leads_back(link: &Link, target: &[u8]) -> bool {
    let contains = |directory: &[u8]| is_at_or_below(directory, target);
    let hops = std::iter::successors(link.hops.as_deref(), |hops| hops.before.as_deref());
    contains(parent_of(&link.real)) || hops.into_iter().any(|hop| contains(&hop.directory))
}

fn job(link: Link, matchers: Matchers, target: LinkTarget) -> WalkJob {
    let directory = parent_of(&link.real).to_vec();
    WalkJob {
        relative: link.relative,
        real: Some(target.relative),
        matchers,
        blocked: None,
        only_tracked: target.judged.as_ref().is_some_and(|judged| judged.only_tracked),
        layers: target.judged.and_then(|judged| judged.layers),
        hops: Some(Arc::new(Hops { directory, before: link.hops })),
    }
}

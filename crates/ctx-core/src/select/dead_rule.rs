//! A rule that should bring back something below a directory that other rules exclude. As in git, nothing below such a
//! directory is looked at, so that the rule has no effect.

use std::fmt;
use std::path::Path;

use crate::fs::{Notation, directory, resolved};
use crate::words::{all_of, quoted};
use crate::world::World;

use super::ignore_rules::{Judged, Rules, Ruling, base_of};
use crate::git::rule_file::DecidedBy;

/// A rule without effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadRule {
    /// The ignore file, relative to the current directory if below it.
    file: String,
    line: u32,
    pattern: String,
    /// The excluded directory, relative to the directory of the file.
    excluded: String,
    /// The lines that would have the effect.
    instead: Vec<String>,
}

impl fmt::Display for DeadRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let instead: Vec<String> = self.instead.iter().map(quoted).collect();
        write!(
            f,
            "{}:{} {} has no effect below /{}; these lines have: {}",
            self.file,
            self.line,
            quoted(&self.pattern),
            self.excluded,
            all_of(&instead)
        )
    }
}

/// The first rule that would bring back a path, given with all directories resolved, or a directory on the way to it,
/// below an excluded one.
#[must_use]
pub fn dead_rule(absolute: &Path, world: &World) -> Option<DeadRule> {
    let cwd = resolved(&world.cwd);
    let rules = Rules::new(base_of(absolute.parent()?, &cwd, world), world).ok()?;
    let path = directory::bytes_of(absolute.strip_prefix(rules.base()).ok()?);
    let is_directory = |end: usize| end < path.len() || absolute.is_dir();
    let ends = memchr::memchr_iter(b'/', &path).chain([path.len()]);
    let excluded = ends.clone().find_map(|end| {
        let Judged { layers, verdict, .. } = rules.judge(&path[..end], is_directory(end));
        matches!(verdict, Ruling::Ignored(_)).then_some((end, layers))
    });
    let (excluded, layers) = excluded?;
    let below = ends.filter(|end| *end > excluded);
    let mut dead = below.filter_map(|end| {
        let decision = rules.decide(&layers, &path[..end], is_directory(end))?;
        let by = (!decision.ignores()).then(|| decision.to_owned())?;
        // A rule for a name anywhere is not meant for this directory.
        by.pattern.trim_end_matches('/').contains('/').then_some((end, by))
    });
    let (end, DecidedBy { file, line, pattern, .. }) = dead.next()?;
    let of_file = directory::bytes_of(file.parent()?.strip_prefix(rules.base()).ok()?);
    let start = of_file.len() + usize::from(!of_file.is_empty());
    let (kept, excluded) = (str::from_utf8(path.get(start..end)?).ok()?, excluded.checked_sub(start)?);
    if kept.contains(['*', '?', '[', '\\']) {
        return None;
    }
    let way = kept.match_indices('/').map(|(at, _)| at).filter(|at| *at >= excluded);
    let opened = way.flat_map(|at| [format!("!/{}", &kept[..at]), format!("/{}/*", &kept[..at])]);
    Some(DeadRule {
        instead: opened.chain([format!("!/{kept}")]).collect(),
        excluded: kept[..excluded].to_owned(),
        file: Notation::HERE.shown(file.strip_prefix(&cwd).unwrap_or(&file)),
        line,
        pattern,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::tests::Fixture;

    #[test]
    fn lines_that_have_the_effect_open_each_directory_on_the_way() {
        let fixture = Fixture::new(&["r/.git/HEAD", "r/a/bar/x/quux/q.md", "r/a/bar/y.md"]);
        fixture.write("r/.gitignore", "bar\n");
        fixture.write("r/a/.ctxignore", "!/bar/x/quux\n!*.md\n");
        let dead = |path: &str| dead_rule(&fixture.path(path), &fixture.world).map(|dead| dead.instead);
        let lines = ["!/bar", "/bar/*", "!/bar/x", "/bar/x/*", "!/bar/x/quux"].map(str::to_owned);
        assert_eq!(dead("r/a/bar/x/quux/q.md").unwrap(), lines);
        assert_eq!(dead("r/a/bar/y.md"), None);
        fixture.write("r/a/.ctxignore", lines.join("\n"));
        assert_eq!(dead("r/a/bar/x/quux/q.md"), None);
        let verdict = |path: &str| crate::select::ignore_rules::verdict(&fixture.path(path), &fixture.world);
        assert!(!verdict("r/a/bar/x/quux/q.md").leaves_out() && verdict("r/a/bar/y.md").leaves_out());
    }
}

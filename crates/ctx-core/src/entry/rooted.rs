//! Entries as they are stored, relative to the work root, and as they are typed, relative to the current
//! directory.

use std::path::Path;

use super::Kind;
use super::declaration::NamedPart;
use super::lines::Ranged;
use super::pattern::{TargetError, escape, has_wildcards};
use crate::fs::{Notation, real, resolved, with_tilde};
use crate::world::World;

/// The stored text of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rooted {
    /// Relative to the work root or, for a path outside it, starting at the home directory or the root of the
    /// file system.
    pub text: String,
    /// Whether a relative path leads out of the work root.
    pub is_outside: bool,
}

impl Rooted {
    /// How an entry typed in the current directory is stored. Entries that are not relative stay the same.
    ///
    /// # Errors
    /// [`TargetError::ParentAfterWildcard`], and [`TargetError::NotUtf8`] if the path of the current
    /// directory is not UTF-8.
    pub fn of(typed: &str, world: &World) -> Result<Self, TargetError> {
        let (mark, path) = typed.strip_prefix('!').map_or(("", typed), |path| ("!", path));
        let is_path = matches!(Kind::of(typed), Kind::Path | Kind::Exclusion | Kind::StandardInput);
        if !is_path || path.is_empty() {
            return Ok(Self { text: typed.to_owned(), is_outside: false });
        }
        let slashed = Notation::HERE.slashed(path);
        if slashed.starts_with('~') || !Notation::HERE.root(&slashed).is_empty() {
            return Ok(Self { text: format!("{mark}{slashed}"), is_outside: false });
        }
        let Self { text, is_outside } = relative(&slashed, world)?;
        Ok(Self { text: format!("{mark}{text}"), is_outside })
    }

    /// How a path in the work root that is absolute or begins with `~/` is written relative to the work root.
    #[must_use]
    pub fn below(path: &str, world: &World) -> Option<String> {
        let (mark, path) = path.strip_prefix('!').map_or(("", path), |path| ("!", path));
        let slashed = Notation::HERE.slashed(path);
        let home = || slashed_path(&real(world.home.as_deref()?).ok()?);
        let path = match slashed.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{}{rest}", home()?),
            Some(_) => return None,
            None => slashed.into_owned(),
        };
        let below = Notation::HERE.below(path.as_bytes(), slashed_path(&world.root)?.as_bytes())?.len();
        let below = path[path.len() - below..].trim_start_matches('/');
        Some(format!("{mark}{}", unmistakable(below.to_owned())))
    }
}

/// How to type a stored entry in the current directory.
#[must_use]
pub fn from_here(kept: &str, world: &World) -> String {
    let (mark, path) = kept.strip_prefix('!').map_or(("", kept), |path| ("!", path));
    let is_path = matches!(Kind::of(kept), Kind::Path | Kind::Exclusion);
    let below = || Some(real(&world.cwd).ok()?.strip_prefix(&world.root).ok()?.to_owned());
    let is_relative = !path.starts_with('~') && Notation::HERE.root(path).is_empty();
    let Some(below) = below().filter(|_| is_path && is_relative) else {
        return kept.to_owned();
    };
    let typed = below.ancestors().enumerate().find_map(|(up, directory)| {
        let directory = slashed_path(&directory.join(""))?;
        let rest = path.strip_prefix(&directory).or_else(|| path.strip_prefix(&*escape(&directory)))?;
        Some("../".repeat(up) + rest)
    });
    typed.map_or_else(|| kept.to_owned(), |path| format!("{mark}{}", unmistakable(path)))
}

/// A path with `/` as the separator.
fn slashed_path(path: &Path) -> Option<String> {
    path.to_str().map(|path| Notation::HERE.slashed(path).into_owned())
}

/// A path relative to the current directory; the names before the first pattern are resolved textually.
fn relative(typed: &str, world: &World) -> Result<Rooted, TargetError> {
    let cwd = resolved(&world.cwd);
    let is_there = |path: &str| cwd.join(path).symlink_metadata().is_ok();
    let is_file = |path: &str| cwd.join(path).metadata().is_ok_and(|metadata| metadata.is_file());
    let (cwd, root) = slashed_path(&cwd).zip(slashed_path(&world.root)).ok_or(TargetError::NotUtf8)?;
    let named = || Some(NamedPart::of(typed, is_file)?.path);
    let ranged = || Some(Ranged::of(typed)?.path);
    let path = Some(typed).filter(|typed| is_there(typed)).or_else(named).or_else(ranged).unwrap_or(typed);
    let part = &typed[path.len()..];
    let is_pattern = has_wildcards(path) && !is_there(path);
    let drive = Notation::HERE.root(&cwd);
    let mut names: Vec<&str> = names_of(&cwd).collect();
    let mut rest = path;
    loop {
        let (first, after) = rest.split_once('/').unwrap_or((rest, ""));
        match first {
            _ if is_pattern && has_wildcards(first) => break,
            "" if rest.is_empty() => break,
            "" | "." => {}
            ".." => drop(names.pop()),
            name if after.is_empty() && !rest.ends_with('/') => {
                rest = name;
                break;
            }
            name => names.push(name),
        }
        rest = after;
    }
    if is_pattern && leads_up(rest) {
        return Err(TargetError::ParentAfterWildcard);
    }
    let top: Vec<&str> = names_of(&root).collect();
    let is_outside = drive != Notation::HERE.root(&root) || !names.starts_with(&top);
    let directory =
        if is_outside { format!("{drive}{}", names.join("/")) } else { names[top.len()..].join("/") };
    let directory = if is_pattern { escape(&directory) } else { directory };
    let separator = if rest.is_empty() || directory.is_empty() || directory == drive { "" } else { "/" };
    let slash = if rest.is_empty() && path.ends_with('/') && !directory.is_empty() { "/" } else { "" };
    let whole = format!("{directory}{separator}{rest}{slash}{part}");
    let home = world.home.as_deref().and_then(|home| real(home).ok());
    Ok(Rooted {
        text: if is_outside { with_tilde(&whole, home.as_deref()) } else { unmistakable(whole) },
        is_outside,
    })
}

/// The names of an absolute path.
fn names_of(path: &str) -> impl Iterator<Item = &str> {
    path[Notation::HERE.root(path).len()..].split('/').filter(|name| !name.is_empty())
}

/// Whether a pattern contains `..` as a name, or in alternatives.
fn leads_up(pattern: &str) -> bool {
    let has_alternatives = pattern.contains('{');
    let is_end = |char: char| char == '/' || (has_alternatives && matches!(char, '{' | '}' | ','));
    pattern.split(is_end).any(|name| name == "..")
}

/// A path that cannot be mistaken for the home directory, an exclusion or another kind.
fn unmistakable(path: String) -> String {
    if path.is_empty() {
        ".".to_owned()
    } else if path.starts_with('~') || Kind::of(&path) != Kind::Path {
        format!("./{path}")
    } else {
        path
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::fs::place::Place;

    fn world(place: &Place, cwd: &str) -> World {
        World { root: place.at("home/a"), ..place.world(cwd) }
    }

    #[test]
    fn entries_are_stored_relative_to_the_root_however_they_are_typed() {
        let place = Place::new(&["home/a/sub/[x]", "out"]);
        let outside = place.at("out/b.md").to_str().unwrap().to_owned();
        let world = world(&place, "home/a/sub");
        for (typed, kept) in [
            ("b.md", "sub/b.md"),
            ("b.md:10-20", "sub/b.md:10-20"),
            ("./b/", "sub/b/"),
            ("../b.md", "b.md"),
            (".././sub/../b", "b"),
            ("x/../b//c", "sub/b/c"),
            (".", "sub"),
            ("./", "sub/"),
            ("..", "."),
            ("../", "."),
            ("*.md", "sub/*.md"),
            ("../*/x.md", "*/x.md"),
            ("!*.log", "!sub/*.log"),
            ("!../b", "!b"),
            ("{a,b}/c", "sub/{a,b}/c"),
            ("../~x", "./~x"),
            ("../git:x", "./git:x"),
            ("./!x", "sub/!x"),
            ("git:diff -- x", "git:diff -- x"),
            ("cmd:cat x", "cmd:cat x"),
            ("up:AGENTS.md", "up:AGENTS.md"),
            ("~/a/b.md", "~/a/b.md"),
            ("/etc/hostname", "/etc/hostname"),
            ("[x]", "sub/[x]"),
            ("[x]/b:3", "sub/[x]/b:3"),
        ] {
            let found = Rooted::of(typed, &world).unwrap();
            assert_eq!(found, Rooted { text: kept.to_owned(), is_outside: false }, "{typed}");
        }
        for (typed, kept) in [
            ("../../b.md", "~/b.md"),
            ("../../*/b.md", "~/*/b.md"),
            ("!../../b", "!~/b"),
            ("../../../out/b.md", &outside),
        ] {
            let found = Rooted::of(typed, &world).unwrap();
            assert_eq!(found, Rooted { text: kept.to_owned(), is_outside: true }, "{typed}");
        }
        for typed in ["*/../b", "a/{b,../c}", "{..,a}/b", "!*/.."] {
            assert_eq!(Rooted::of(typed, &world), Err(TargetError::ParentAfterWildcard), "{typed}");
        }
    }

    #[test]
    fn special_characters_of_the_current_directory_are_escaped_in_patterns() {
        let place = Place::new(&["home/a/sub/[x]"]);
        let world = world(&place, "home/a/sub/[x]");
        let kept = |typed| Rooted::of(typed, &world).unwrap().text;
        assert_eq!(kept("*.md"), "sub/[[]x[]]/*.md");
        assert_eq!(kept("b.md"), "sub/[x]/b.md");
        assert_eq!(from_here("sub/[[]x[]]/*.md", &world), "*.md");
    }

    #[test]
    fn stored_entries_are_written_relative_to_the_current_directory() {
        let place = Place::new(&["home/a/sub/deep"]);
        let world = world(&place, "home/a/sub/deep");
        for (kept, typed) in [
            ("b.md", "../../b.md"),
            ("sub/b.md", "../b.md"),
            ("sub/deep/b.md", "b.md"),
            ("!sub/*.log", "!../*.log"),
            ("git:diff", "git:diff"),
            ("~/b.md", "~/b.md"),
            ("/b.md", "/b.md"),
        ] {
            assert_eq!(from_here(kept, &world), typed, "{kept}");
        }
    }

    #[test]
    fn absolute_path_below_the_root_is_written_relative_to_it() {
        let place = Place::new(&["home/a/sub"]);
        let world = world(&place, "home/a/sub");
        let root = place.at("home/a").to_str().unwrap().to_owned();
        for (path, below) in [
            ("~/a/b.md", Some("b.md")),
            ("~/b.md", None),
            ("~x/b.md", None),
            ("/etc/hostname", None),
            (&format!("{root}/sub/b.md"), Some("sub/b.md")),
            (&format!("!{root}/sub/b.md"), Some("!sub/b.md")),
            (&root, Some(".")),
            (&format!("{root}b"), None),
        ] {
            assert_eq!(Rooted::below(path, &world).as_deref(), below, "{path}");
        }
    }
}

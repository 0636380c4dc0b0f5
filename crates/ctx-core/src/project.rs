//! Projects: lists that are checked in beside the files that they name.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::entry::Kind;
use crate::entry::escape::escape;
use crate::entry::pattern::has_wildcards;
use crate::fs::{Owners, resolved};
use crate::world::World;

/// The directory of a project's files, in the root of the project.
pub const DIRECTORY: &str = ".ctx";

/// What was found on the way up from the current directory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Search {
    /// The root of the project, with all links resolved.
    pub root: Option<PathBuf>,
    /// Directories that would be a project's, had they not another owner.
    pub skipped: Vec<PathBuf>,
}

impl Search {
    /// Looks for the nearest `.ctx`, at most up to the root of the repository, else to below the home
    /// directory, and only through directories that belong to those whose files count.
    #[must_use]
    pub fn upwards(world: &World, owners: &Owners) -> Self {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let cwd = real(&world.cwd);
        let home = world.home.as_deref().map(real);
        let mut search = Self::default();
        for directory in cwd.ancestors() {
            let is_repository = directory.join(".git").symlink_metadata().is_ok();
            let is_home = home.as_deref().is_some_and(|home| home.starts_with(directory));
            let counts = fs::metadata(directory).is_ok_and(|metadata| owners.have(&metadata));
            if is_home && !(is_repository && directory == cwd) {
                break;
            }
            let candidate = directory.join(DIRECTORY);
            match candidate.symlink_metadata() {
                // A link is refused by whoever reads it.
                Ok(metadata) if metadata.is_dir() || metadata.is_symlink() => {
                    if counts && owners.have(&metadata) {
                        search.root = Some(directory.to_owned());
                        break;
                    }
                    search.skipped.push(candidate);
                }
                Ok(_) | Err(_) => {}
            }
            if is_repository || !counts {
                break;
            }
        }
        search
    }
}

/// Whether a directory is the `.ctx` of a repository, wherever one stands: it came with that and is not a person's own,
/// unless it is in their home directory itself.
#[must_use]
pub fn is_of_repository(directory: &Path, home: Option<&Path>) -> bool {
    let real = resolved(directory);
    let home = home.map(resolved);
    let is_below_home = |above: &&Path| home.as_deref().is_none_or(|home| !home.starts_with(above));
    real.file_name() == Some(OsStr::new(DIRECTORY))
        && real
            .ancestors()
            .skip(1)
            .take_while(is_below_home)
            .any(|above| above.join(".git").symlink_metadata().is_ok())
}

/// Whether a project in this directory, which has all links resolved, would be found from there.
#[must_use]
pub fn can_be_in(root: &Path, world: &World, owners: &Owners) -> bool {
    let is_home = world.home.as_deref().and_then(|home| home.canonicalize().ok());
    let is_too_high = is_home.is_some_and(|home| home.starts_with(root));
    let is_repository = root.join(".git").symlink_metadata().is_ok();
    let counts = fs::metadata(root).is_ok_and(|metadata| owners.have(&metadata));
    counts && (is_repository || !is_too_high)
}

/// The text of an entry as the list of a project keeps it, relative to the root, from how it is typed in the
/// current directory or as an absolute path. What is outside the project stays as it is.
#[must_use]
pub fn from_root(text: &str, world: &World) -> String {
    match Kind::of(text) {
        Kind::Exclusion => format!("!{}", path_from_root(text.strip_prefix('!').unwrap_or(text), world)),
        Kind::Path | Kind::StandardInput => path_from_root(text, world),
        Kind::Up | Kind::Git | Kind::Command | Kind::Todo => text.to_owned(),
    }
}

/// How a path that is relative to the root of the project, as its list keeps it, is typed in the current directory.
#[must_use]
pub fn from_here(text: &str, world: &World) -> String {
    let below = || {
        let cwd = world.cwd.canonicalize().ok()?;
        Some(cwd.strip_prefix(world.project.as_deref()?).ok()?.to_owned())
    };
    let Some(below) = below() else { return text.to_owned() };
    let typed = below.ancestors().enumerate().find_map(|(up, directory)| {
        let directory = directory.join("").display().to_string();
        let rest = text.strip_prefix(&directory).or_else(|| text.strip_prefix(&*escape(&directory)))?;
        Some("../".repeat(up) + rest)
    });
    typed.map_or_else(|| text.to_owned(), unmistakable)
}

fn path_from_root(text: &str, world: &World) -> String {
    let slashed = if cfg!(windows) { text.replace('\\', "/") } else { text.to_owned() };
    let below = if Path::new(&slashed).has_root() || slashed.starts_with('~') {
        absolute(&slashed, world)
    } else {
        relative(&slashed, world)
    };
    below.map_or_else(|| text.to_owned(), unmistakable)
}

/// An absolute path or one below the home directory that is in the project.
fn absolute(text: &str, world: &World) -> Option<String> {
    let root = world.project.as_deref()?.to_str()?;
    let home = || world.home.as_deref()?.canonicalize().ok()?.to_str().map(str::to_owned);
    let path = match text.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{}{rest}", home()?),
        Some(_) => return None,
        None => text.to_owned(),
    };
    let below = path.strip_prefix(root)?;
    match below.strip_prefix('/') {
        Some(below) => Some(below.trim_start_matches('/').to_owned()),
        None => below.is_empty().then(String::new),
    }
}

/// A path relative to the current directory.
fn relative(text: &str, world: &World) -> Option<String> {
    let cwd = world.cwd.canonicalize().ok()?;
    let below = cwd.strip_prefix(world.project.as_deref()?).ok()?;
    let mut directories: Vec<&str> = below.iter().map(|name| name.to_str()).collect::<Option<_>>()?;
    let mut rest = text;
    loop {
        let (first, after) = rest.split_once('/').unwrap_or((rest, ""));
        match first {
            "." | "" if !rest.is_empty() => {}
            ".." => drop(directories.pop()?),
            _ => break,
        }
        rest = after.trim_start_matches('/');
    }
    let is_pattern = has_wildcards(rest) && !cwd.join(text).exists();
    let directory = if is_pattern { escape(&directories.join("/")) } else { directories.join("/") };
    let names = [directory.as_str(), rest].into_iter().filter(|names| !names.is_empty());
    Some(names.collect::<Vec<_>>().join("/"))
}

/// A path that is taken for nothing else: not for the home directory, an exclusion or another kind.
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
    use std::os::unix::fs::{chown, symlink};

    use super::*;
    use crate::world::place::Place;

    impl Place {
        fn search(&self, cwd: &str) -> Search {
            let world = self.world(cwd);
            Search::upwards(&world, &Owners::in_directory(&world.cwd))
        }

        fn root(&self, cwd: &str) -> Option<PathBuf> {
            self.search(cwd).root
        }
    }

    #[test]
    fn the_nearest_project_counts_up_to_the_repository_or_below_home() {
        let place = Place::new(&[
            "home/.ctx",
            "home/a/.ctx",
            "home/a/b/.git",
            "home/a/b/c",
            "home/a/d/e/.ctx",
            "home/a/d/e/f",
            "home/g",
            "out/.ctx",
            "out/x",
        ]);
        assert_eq!(place.root("home/a/b/c"), None);
        assert_eq!(place.root("home/a/d/e/f"), Some(place.at("home/a/d/e")));
        assert_eq!(place.root("home/a/d"), Some(place.at("home/a")));
        assert_eq!(place.root("home/g"), None);
        assert_eq!(place.root("home"), None);
        assert_eq!(place.root("out/x"), Some(place.at("out")));
        fs::create_dir(place.at("home/.git")).unwrap();
        assert_eq!(place.root("home"), Some(place.at("home")));
        assert_eq!(place.root("home/g"), None);
    }

    #[test]
    fn a_file_is_no_project_and_a_link_is_one_to_refuse() {
        let place = Place::new(&["home/a/b"]);
        fs::write(place.at("home/a/b/.ctx"), "").unwrap();
        assert_eq!(place.root("home/a/b"), None);
        symlink("b", place.at("home/a/.ctx")).unwrap();
        assert_eq!(place.root("home/a/b"), Some(place.at("home/a")));
    }

    #[test]
    fn what_belongs_to_others_is_skipped() {
        let place = Place::new(&["home/a/.ctx", "home/a/b/.ctx", "home/a/b/c"]);
        // Only root can give a directory away.
        if chown(place.at("home/a/b/.ctx"), Some(12_345), None).is_ok() {
            let search = place.search("home/a/b/c");
            assert_eq!(search.root, Some(place.at("home/a")));
            assert_eq!(search.skipped, [place.at("home/a/b/.ctx")]);
            chown(place.at("home/a"), Some(12_345), None).unwrap();
            let search = place.search("home/a/b/c");
            assert_eq!(search.root, None);
            assert_eq!(search.skipped, [place.at("home/a/b/.ctx"), place.at("home/a/.ctx")]);
        }
    }

    #[test]
    fn entries_are_kept_from_the_root_however_they_are_typed() {
        let place = Place::new(&["home/a/.ctx", "home/a/sub/[x]"]);
        let world = World { project: Some(place.at("home/a")), ..place.world("home/a/sub") };
        let root = place.at("home/a").to_str().unwrap().to_owned();
        for (typed, kept) in [
            ("b.md", "sub/b.md"),
            ("./b/", "sub/b/"),
            ("../b.md", "b.md"),
            (".././sub/../b", "sub/../b"),
            (".", "sub"),
            ("..", "."),
            ("*.md", "sub/*.md"),
            ("!*.log", "!sub/*.log"),
            ("{a,b}/c", "sub/{a,b}/c"),
            ("../~x", "./~x"),
            ("../git:x", "./git:x"),
            ("git:diff -- x", "git:diff -- x"),
            ("cmd:cat x", "cmd:cat x"),
            ("~/a/b.md", "b.md"),
            ("~/b.md", "~/b.md"),
            ("../../b.md", "../../b.md"),
            ("/etc/hostname", "/etc/hostname"),
            (&format!("{root}/sub/b.md"), "sub/b.md"),
            (&root, "."),
        ] {
            assert_eq!(from_root(typed, &world), kept, "{typed}");
        }
        let inner = World { cwd: place.at("home/a/sub/[x]"), ..world };
        assert_eq!(from_root("*.md", &inner), "sub/[[]x[]]/*.md");
        assert_eq!(from_root("b.md", &inner), "sub/[x]/b.md");
    }
}

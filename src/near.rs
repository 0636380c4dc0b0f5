//! What a path or pattern that matches nothing was probably meant to name.

use std::fs;
use std::path::Path;

use ctx_core::entry::braces::expand;
use ctx_core::entry::foreign::as_here;
use ctx_core::entry::lines::Ranged;
use ctx_core::entry::pattern::escape;
use ctx_core::entry::{Entry, ScopedEntry};
use ctx_core::fs::alike::{alike_pattern, difference, forms};
use ctx_core::git::{OUTSIDE_SPARSE_CHECKOUT, is_outside_sparse_checkout};
use ctx_core::guard::names::holds_secrets;
use ctx_core::select::{self, Problem, path_of};
use ctx_core::words::{nearest, quoted};
use ctx_core::world::World;

/// A pattern that may have been meant instead of one that matches nothing.
pub struct MeantPattern {
    /// Why the original pattern matches nothing.
    pub why: String,
    /// The pattern.
    pub pattern: String,
}

impl MeantPattern {
    /// A pattern that begins with an existing path whose name looks like a pattern, such as `app/[id]`,
    /// rewritten so that it matches exactly that path.
    pub fn of_existing(pattern: &str, world: &World) -> Option<Self> {
        let is_pattern = |name: &str| name.contains(['*', '?', '[', ']', '{', '}']);
        let is_there = |path: &str| path_of(path, world).is_ok_and(|path| path.symlink_metadata().is_ok());
        let mut names = pattern.split('/').enumerate();
        let (mut path, mut escaped, mut first) = (String::new(), String::new(), None);
        for (place, name) in names.by_ref() {
            let separator = if place == 0 { "" } else { "/" };
            let (here, before) = (format!("{path}{separator}{name}"), escaped.len());
            escaped.extend([separator, name]);
            if is_pattern(name) {
                if !is_there(&here) {
                    break;
                }
                escaped.truncate(before + separator.len());
                escaped += &escape(name);
                first.get_or_insert_with(|| here.clone());
            }
            path = here;
        }
        names.for_each(|(_, name)| escaped.extend(["/", name]));
        first.map(|name| Self {
            why: format!("'{name}' exists, but its name is read as a pattern in '{pattern}'"),
            pattern: escaped,
        })
    }

    /// What is meant by a pattern in another program's syntax: with choices in parentheses, separated by commas, with
    /// backslashes, or with braces around a single word, which are plain letters in shells. Each of the patterns matches
    /// something, and those that begin with `!` exclude. A slash in front means the root of the tree in some programs.
    pub fn of_other_syntax(written: &ScopedEntry, world: &World) -> Option<Vec<String>> {
        let from_root = || {
            let meant = written.entry.path.strip_prefix('/').filter(|meant| !meant.is_empty())?;
            has_files(written, meant, world).then(|| vec![meant.to_owned()])
        };
        let as_name = || {
            let name = without_quotes(&written.entry.path)?;
            has_files(written, &name, world).then(|| vec![name])
        };
        Self::translated(written, world).or_else(from_root).or_else(as_name)
    }

    fn translated(written: &ScopedEntry, world: &World) -> Option<Vec<String>> {
        let text = &*written.entry.path;
        let text = if text.contains('\\') { text.replace('\\', "/") } else { text.to_owned() };
        let parts: Vec<String> = if text.contains('{') {
            vec![without_blanks(&text).unwrap_or(text)]
        } else {
            text.split(',').map(|part| part.trim().to_owned()).collect()
        };
        let meant: Vec<String> =
            parts.iter().map(|part| without_choices(part)).collect::<Option<Vec<_>>>()?.concat();
        let meant = match meant.as_slice() {
            [only] if only.contains('{') && !only.contains(',') => vec![with_plain_braces(only)],
            _ => meant,
        };
        let matches = |path: &String| path.starts_with('!') || has_files(written, path, world);
        (meant != [&*written.entry.path] && meant.iter().all(matches)).then_some(meant)
    }

    /// The pattern without the blanks in its braces, which are parts of names, if an alternative matches nothing for that
    /// reason.
    pub fn of_blanks(written: &ScopedEntry, world: &World) -> Option<Self> {
        let (mark, text) = written.entry.path.split_at(usize::from(written.entry.is_exclusion()));
        let meant = without_blanks(text)?;
        let pairs = expand(text).ok()?.into_iter().zip(expand(&meant).ok()?);
        let differing = pairs.filter(|(one, other)| one != other).take(MOST_ALTERNATIVES);
        let is_dead = |(one, other): &(String, String)| {
            !has_files(written, one, world) && has_files(written, other, world)
        };
        let (dead, _) = differing.into_iter().find(is_dead)?;
        Some(Self {
            why: format!("{} matches nothing, since the blank is part of the name", quoted(dead)),
            pattern: format!("{mark}{meant}"),
        })
    }

    /// The pattern that looks the same and matches something.
    pub fn of_look_alike(written: &ScopedEntry, world: &World) -> Option<Self> {
        let text = &*written.entry.path;
        let mut patterns = alike_pattern(text, &world.cwd).into_iter().chain(forms(text));
        let pattern = patterns.find(|pattern| has_files(written, pattern, world))?;
        Some(Self { why: difference(text, &pattern)?, pattern })
    }

    /// The first file that a pattern would match if no directory on the way to it began with a dot, and the pattern
    /// that starts in that directory.
    pub fn of_hidden(pattern: &ScopedEntry, world: &World) -> Option<Self> {
        let (before, rest) = pattern.entry.path.split_once("**/")?;
        let path = format!("{before}**/.*/**/{rest}");
        let hidden = ScopedEntry { entry: Entry { path, ..pattern.entry.clone() }, ..pattern.clone() };
        let selected = select::select(&[hidden], world, &select::Options::new(holds_secrets)).ok()?;
        let file = selected.files.first()?.label.as_str();
        let dotted = file.match_indices('/').map(|(at, _)| &file[..at]);
        let is_dotted =
            |directory: &&str| directory.rsplit('/').next().is_some_and(|name| name.starts_with('.'));
        let directory = dotted.skip(before.matches('/').count()).find(is_dotted)?.to_owned();
        Some(Self {
            why: format!("'{file}' is left out: a directory in its path begins with a dot"),
            pattern: format!("{}/**/{rest}", escape(&directory)),
        })
    }
}

/// A name without the quotes around it, and without the backslashes before characters that shells and other patterns
/// read otherwise; `None` if it has neither.
fn without_quotes(path: &str) -> Option<String> {
    let quoted = |quote: char| path.strip_prefix(quote)?.strip_suffix(quote);
    let inside = ['`', '"', '\''].into_iter().find_map(quoted).unwrap_or(path);
    let mut name = String::with_capacity(inside.len());
    let mut chars = inside.chars().peekable();
    while let Some(char) = chars.next() {
        let is_escape = char == '\\' && chars.peek().is_some_and(|next| "[](){}*?!'\" \\".contains(*next));
        name.extend(if is_escape { chars.next() } else { Some(char) });
    }
    (name != path && !name.is_empty()).then_some(name)
}

/// At most this many alternatives with blanks are looked for.
const MOST_ALTERNATIVES: usize = 20;

/// Whether an entry would have files with another pattern.
fn has_files(written: &ScopedEntry, pattern: &str, world: &World) -> bool {
    let entry = Entry { path: pattern.to_owned(), ..written.entry.clone() };
    let entry = ScopedEntry { entry, ..written.clone() };
    let selected = select::select(&[entry], world, &select::Options::new(holds_secrets));
    selected.is_ok_and(|selected| !selected.files.is_empty())
}

/// A pattern without blanks at the start and end of alternatives in braces, if it has any.
fn without_blanks(pattern: &str) -> Option<String> {
    let is_blank = pattern.contains('{') && pattern.contains(char::is_whitespace);
    let mut meant = as_here(pattern).filter(|meant| is_blank && meant.len() == 1)?;
    meant.pop()
}

/// A pattern whose braces are letters.
fn with_plain_braces(pattern: &str) -> String {
    pattern
        .chars()
        .map(|char| if matches!(char, '{' | '}') { format!("[{char}]") } else { char.into() })
        .collect()
}

/// A pattern with choices like `@(a|b)` as `{a,b}`, and one with `!(a)` as one with a star and an exclusion. `None` if
/// there are several, or one within another.
fn without_choices(pattern: &str) -> Option<Vec<String>> {
    let Some(open) = pattern.find('(').filter(|open| *open > 0) else {
        return Some(vec![pattern.to_owned()]);
    };
    let (before, rest) = (pattern.get(..open - 1)?, &pattern[open + 1..]);
    let (choices, after) = rest.split_once(')')?;
    let listed =
        if choices.contains('|') { format!("{{{}}}", choices.replace('|', ",")) } else { choices.to_owned() };
    let is_plain = |text: &str| !text.contains(['(', ')', '{', '}']);
    if !is_plain(choices) || !is_plain(after) {
        return None;
    }
    match pattern.as_bytes()[open - 1] {
        b'@' | b'+' => Some(vec![format!("{before}{listed}{after}")]),
        b'*' | b'?' => Some(vec![format!("{before}{{,{}}}{after}", choices.replace('|', ","))]),
        b'!' => Some(vec![format!("{before}*{after}"), format!("!{before}{listed}{after}")]),
        _ => None,
    }
}

/// The pattern for everything below the directories that a pattern matches. `None` if that matches no file,
/// or if the original pattern already ends with `**`.
pub fn pattern_below(pattern: &ScopedEntry, world: &World) -> Option<String> {
    let above = pattern.entry.path.trim_end_matches('/');
    (!above.ends_with("**")).then_some(())?;
    let path = format!("{above}/**");
    let entry = Entry { path: path.clone(), ..pattern.entry.clone() };
    let below = ScopedEntry { entry, ..pattern.clone() };
    let selected = select::select(&[below], world, &select::Options::new(holds_secrets)).ok()?;
    (!selected.files.is_empty()).then_some(path)
}

/// The subdirectories that an entry `DIRECTORY/*` leaves out, and how to include them.
pub fn left_out_by_star(entry: &Entry, world: &World) -> Option<String> {
    let directory = entry.path.strip_suffix('*').filter(|directory| directory.ends_with('/'))?;
    let scoped = ScopedEntry::typed(Entry::new(directory));
    let selected = select::select(&[scoped], world, &select::Options::new(holds_secrets)).ok()?;
    selected.entries.first()?.left_out_below(directory)
}

/// At most this many names in a directory are compared.
const MOST_NAMES: usize = 10_000;

/// The shortest name that is compared; a shorter one resembles too many others.
const SHORTEST_NAME: usize = 3;

/// Why a path can't be used and, if one that looks the same exists, how that one differs.
pub fn in_words(problem: &Problem, path: &str, world: &World) -> String {
    let near = || near_path(path).and_then(|near| difference(path, &near));
    match problem {
        Problem::Missing => near()
            .or_else(|| outside_sparse_checkout(path, world))
            .map_or_else(|| problem.to_string(), |how| format!("{problem}; {how}")),
        problem => problem.to_string(),
    }
}

/// That a path is outside of the sparse checkout, if it is.
pub fn outside_sparse_checkout(path: &str, world: &World) -> Option<String> {
    let absolute = path_of(path, world).ok()?;
    is_outside_sparse_checkout(&absolute, world).then(|| OUTSIDE_SPARSE_CHECKOUT.to_owned())
}

/// The path that was probably meant instead of one that doesn't exist: in each directory, the name that
/// looks the same, or differs only in letter case, an added extension, or a few typos.
pub fn near_path(path: &str) -> Option<String> {
    let named = path.split_once('#').map(|(file, _)| file);
    let file = Ranged::of(path).map(|ranged| ranged.path).or(named).filter(|file| !Path::new(file).exists());
    let near_file = file.and_then(|file| Some(format!("{}{}", near_whole_path(file)?, &path[file.len()..])));
    location_of_others(path).or(near_file).or_else(|| near_whole_path(path))
}

/// A place in a file as other programs write it, in our form: `FILE(3,5)`, `FILE:3:5:`, or `a/FILE` from a diff.
fn location_of_others(path: &str) -> Option<String> {
    let is_file = |file: &str| Path::new(file).is_file();
    let in_parentheses = || {
        let (file, place) = path.strip_suffix(')')?.rsplit_once('(')?;
        let line = place
            .split(',')
            .next()
            .filter(|_| place.split(',').all(|number| number.parse::<u64>().is_ok()))?;
        is_file(file).then(|| format!("{file}:{line}"))
    };
    let before_colon = || {
        let place = path.strip_suffix(':')?;
        let file = Ranged::of(place).map_or(place, |ranged| ranged.path);
        is_file(file).then(|| place.to_owned())
    };
    let in_diff = || {
        let file = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/"))?;
        is_file(file).then(|| file.to_owned())
    };
    in_parentheses().or_else(before_colon).or_else(in_diff)
}

fn near_whole_path(path: &str) -> Option<String> {
    let mut found = String::new();
    for (place, name) in path.split('/').enumerate() {
        let separator = if place == 0 { "" } else { "/" };
        let there = format!("{found}{separator}{name}");
        found = if there.is_empty() || Path::new(&there).exists() {
            there
        } else {
            let directory = if place == 0 { "." } else { &format!("{found}/") };
            format!("{found}{separator}{}", near_name(Path::new(directory), name)?)
        };
    }
    (found != path).then_some(found)
}

/// The name in a directory that was probably meant instead of one that isn't there.
fn near_name(directory: &Path, wanted: &str) -> Option<String> {
    let names = fs::read_dir(directory).ok()?.take(MOST_NAMES);
    let mut names: Vec<String> =
        names.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.retain(|name| wanted.starts_with('.') || !name.starts_with('.'));
    names.sort_unstable();
    let same = |name: &&String| difference(wanted, name).is_some();
    let stem = |name: &&String| Path::new(name).file_stem().is_some_and(|stem| stem == wanted);
    let near = || {
        let is_long = wanted.chars().count() >= SHORTEST_NAME;
        nearest(wanted, names.iter().map(String::as_str).filter(|_| is_long)).map(str::to_owned)
    };
    names.iter().find(same).or_else(|| names.iter().find(stem)).cloned().or_else(near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_translated() {
        for (pattern, expected) in [
            ("src/@(a|b).ts", Some(vec!["src/{a,b}.ts"])),
            ("src/+(a)", Some(vec!["src/a"])),
            ("src/a?(x).ts", Some(vec!["src/a{,x}.ts"])),
            ("src/*(a|b).ts", Some(vec!["src/{,a,b}.ts"])),
            ("src/!(b|c).ts", Some(vec!["src/*.ts", "!src/{b,c}.ts"])),
            ("src/*.ts", Some(vec!["src/*.ts"])),
            ("(group)/a", Some(vec!["(group)/a"])),
            ("a/x(1).md", None),
            ("a/\u{e9}(1|2).md", None),
            ("@(a|@(b|c))", None),
            ("@(a", None),
        ] {
            let meant = without_choices(pattern);
            assert_eq!(meant, expected.map(|all| all.into_iter().map(str::to_owned).collect()), "{pattern}");
        }
    }

    #[test]
    fn missing_names_in_a_path_are_replaced_by_the_nearest() {
        let directory = tempfile::tempdir().unwrap();
        for path in ["src/walk.rs", "src/a", "README.md", ".git/config"] {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let root = directory.path().to_str().unwrap();
        let near = |path: &str| {
            let near = near_path(&format!("{root}/{path}"))?;
            Some(near.strip_prefix(root)?.trim_start_matches('/').to_owned())
        };
        for (path, meant) in [
            ("src/wlak.rs", Some("src/walk.rs")),
            ("srcs/walk.rs", Some("src/walk.rs")),
            ("readme.md", Some("README.md")),
            ("README", Some("README.md")),
            ("src/b", None),
            ("git", None),
            ("nope/walk.rs", None),
        ] {
            assert_eq!(near(path).as_deref(), meant, "{path}");
        }
    }
}

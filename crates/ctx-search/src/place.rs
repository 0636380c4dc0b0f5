//! Places: the files and lines that a text points to, as traces, compilers and diffs do.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ctx_outline::Lines;

use crate::report::tells_failure;

/// A file that a text names, and the lines in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The path as the text has it, with `/` between the names.
    pub path: String,
    /// The lines; `None` if the text only names the file.
    pub lines: Option<Lines>,
}

impl Place {
    /// The file that a test in this place probably tests: `key.rs` for `tests/test_key.rs`, `src/key.ts` for
    /// `src/key.test.ts`.
    pub(crate) fn tested(&self) -> Option<Self> {
        const AFFIXES: [&str; 10] =
            ["_test", "_tests", "_spec", ".test", ".spec", "-test", "-spec", "Test", "Tests", "Spec"];
        const DIRECTORIES: [&str; 6] = ["test", "tests", "__tests__", "spec", "specs", "e2e"];
        let (directory, name) = self.path.rsplit_once('/').unwrap_or(("", &self.path));
        let (stem, extension) = name.rsplit_once('.')?;
        let without = AFFIXES.iter().find_map(|affix| stem.strip_suffix(affix));
        let stem = without.or_else(|| stem.strip_prefix("test_")).filter(|stem| !stem.is_empty())?;
        let name = format!("{stem}.{extension}");
        let is_of_tests =
            directory.split('/').any(|name| DIRECTORIES.contains(&name)) || directory.is_empty();
        let path = if is_of_tests { name } else { format!("{directory}/{name}") };
        Some(Self { path, lines: None })
    }
}

/// The places in a text, the most telling ones first.
#[must_use]
pub fn places(text: &str) -> Vec<Place> {
    let mut all: Vec<Place> = Vec::new();
    // The indices of places in lines that tell of a failure, and soon after them.
    let mut failing: BTreeSet<usize> = BTreeSet::new();
    let mut near_failure = 0;
    let mut diff = Diff::default();
    // Where the frames of the innermost cause begin.
    let mut cause = 0;
    let mut is_reversed = false;
    let mut heading = None;
    for line in text.lines() {
        if diff.reads(line, &mut all) {
            continue;
        }
        near_failure = if tells_failure(line) { NEAR } else { near_failure.saturating_sub(1) };
        if let (Some(path), Some(lines)) = (&heading, lines_below(line)) {
            failing.extend(tells_failure(line).then_some(all.len()));
            all.push(Place { path: String::clone(path), lines: Some(lines) });
            continue;
        }
        is_reversed |= line.contains("most recent call last");
        if line.starts_with("Caused by:") {
            cause = all.len();
        }
        let before = all.len();
        in_line(line, &mut all);
        if near_failure > 0 {
            failing.extend(before..all.len());
        }
        heading = match &all[before..] {
            [Place { path, lines: None }] if !line.trim().contains(' ') => Some(path.clone()),
            _ => heading.filter(|_| !line.trim().is_empty()),
        };
    }
    diff.end(&mut all);
    if is_reversed {
        all.reverse();
    } else if all.len() > MOST && !failing.is_empty() {
        let (mut first, rest): (Vec<_>, Vec<_>) =
            all.into_iter().enumerate().partition(|(at, _)| failing.contains(at));
        first.extend(rest);
        all = first.into_iter().map(|(_, place)| place).collect();
    } else {
        all.rotate_left(cause);
    }
    let mut seen: Vec<Place> = Vec::new();
    for place in all {
        if !seen.contains(&place) && seen.len() < MOST {
            seen.push(place);
        }
    }
    seen
}

/// Whether a line points to lines of a file.
pub(crate) fn has_place(line: &str) -> bool {
    let mut places = Vec::new();
    in_line(line, &mut places);
    places.iter().any(|place| place.lines.is_some())
}

/// The most places of a text that count.
const MOST: usize = 200;

/// A place belongs to a failure that was told of at most this many lines before.
const NEAR: usize = 3;

/// The hunks of a diff, as far as it was read.
#[derive(Default)]
struct Diff {
    path: Option<String>,
    /// The numbers of the next line in the old and the new file, within a hunk.
    next: Option<(usize, usize)>,
    /// The changed lines of the run before the next line, in the old and the new file.
    changed: Option<(Lines, Lines)>,
}

impl Diff {
    /// Whether a line is part of a diff; if so, its places are added.
    fn reads(&mut self, line: &str, places: &mut Vec<Place>) -> bool {
        let header = line.strip_prefix("+++ ").or_else(|| line.strip_prefix("--- "));
        if let Some(path) = header.filter(|_| self.next.is_none() || !self.is_within(line)) {
            self.end(places);
            let path = path.split('\t').next().unwrap_or(path).trim();
            let path = ["a/", "b/"].iter().find_map(|side| path.strip_prefix(side)).unwrap_or(path);
            if path != "/dev/null" {
                self.path = Some(path.to_owned());
            }
            return true;
        }
        if line.starts_with("diff --git ") {
            self.end(places);
            return true;
        }
        if let Some(next) = line.strip_prefix("@@ ").and_then(hunk) {
            self.end(places);
            self.next = Some(next);
            return true;
        }
        let Some((old, new)) = &mut self.next else { return false };
        let (removed, added) = match line.as_bytes().first() {
            Some(b'-') => (1, 0),
            Some(b'+') => (0, 1),
            Some(b' ') | None => {
                (*old, *new) = (*old + 1, *new + 1);
                self.flush(places);
                return true;
            }
            Some(b'\\') => return true,
            Some(_) => {
                self.end(places);
                return false;
            }
        };
        let (first_old, first_new) = (*old, *new);
        let run = self.changed.get_or_insert((
            Lines { first: first_old, last: first_old },
            Lines { first: first_new, last: first_new },
        ));
        (run.0.last, run.1.last) = (first_old, first_new);
        (*old, *new) = (*old + removed, *new + added);
        true
    }

    /// Whether a line that looks like a header is one that a hunk removes or adds.
    fn is_within(&self, line: &str) -> bool {
        self.next.is_some() && !line.contains('/') && !line.contains('.')
    }

    fn flush(&mut self, places: &mut Vec<Place>) {
        let Some(((old, new), path)) = self.changed.take().zip(self.path.as_ref()) else { return };
        for lines in [old, new] {
            places.push(Place { path: path.clone(), lines: Some(lines) });
        }
    }

    fn end(&mut self, places: &mut Vec<Place>) {
        self.flush(places);
        self.next = None;
    }
}

/// The first lines of a hunk in the old and the new file, from `-1,7 +1,8 @@`.
fn hunk(ranges: &str) -> Option<(usize, usize)> {
    let mut ranges = ranges.split(' ');
    let mut first = |sign| -> Option<usize> {
        let range = ranges.next()?.strip_prefix(sign)?;
        range.split(',').next()?.parse().ok()
    };
    Some((first('-')?, first('+')?))
}

/// The line in `  254:3  error  …`, as linters print it below the path of a file.
fn lines_below(line: &str) -> Option<Lines> {
    let rest = line.strip_prefix([' ', '\t'])?.trim_start();
    let (number, rest) = rest.split_once(':')?;
    let first = number.parse().ok().filter(|first| *first > 0)?;
    let column = rest.find(|c: char| !c.is_ascii_digit()).filter(|digits| *digits > 0)?;
    rest[column..].starts_with([' ', '\t']).then_some(Lines { first, last: first })
}

/// Adds the places in a line.
fn in_line(line: &str, places: &mut Vec<Place>) {
    let is_part = |c: char| c.is_alphanumeric() || "._/\\-+@~$%#".contains(c);
    let mut at = 0;
    while let Some(start) = line[at..].find(is_part).map(|start| at + start) {
        let end = line[start..].find(|c| !is_part(c)).map_or(line.len(), |end| start + end);
        let (start, end) = without_particles(line, start, end);
        at = end;
        let written = line[start..end].trim_end_matches('.');
        // `C:\src\a.rs`: the letter of a drive says nothing.
        if !is_path(written) || line[..start].ends_with("//") || line[end..].starts_with("://") {
            continue;
        }
        let lines = lines_after(&line[end..]);
        let path = written.trim_start_matches("./").replace('\\', "/");
        places.push(Place { path: in_package(&line[..start], &path).unwrap_or(path), lines });
    }
}

/// Where a path begins and ends in `line[start..end]`, to which a language without blanks joins other words: it ends after
/// the first extension in Latin letters, and begins after a letter of the kind that Japanese particles are written with.
fn without_particles(line: &str, start: usize, end: usize) -> (usize, usize) {
    let word = &line[start..end];
    if word.is_ascii() {
        return (start, end);
    }
    let ends_after = |dot: usize| {
        let extension =
            word[dot..].find(|c: char| !c.is_ascii_alphanumeric()).filter(|length| *length > 0)?;
        word[dot + extension..].starts_with(char::is_alphabetic).then_some(start + dot + extension)
    };
    let mut dots = word.match_indices('.').map(|(dot, _)| dot + 1);
    let end = dots.find_map(ends_after).unwrap_or(end);
    let is_hiragana = |c: char| ('\u{3041}'..='\u{309f}').contains(&c);
    let before = line[start..end].rfind(is_hiragana).map(|at| start + at + 'あ'.len_utf8());
    let begins = |at: &usize| line[*at..end].starts_with(|c: char| c.is_ascii_alphanumeric());
    (before.filter(begins).unwrap_or(start), end)
}

/// Abbreviations that look like the names of files.
const ABBREVIATIONS: [&str; 4] = ["e.g", "i.e", "a.k.a", "p.s"];

/// Whether a word may be a path: it has a directory, or an extension.
fn is_path(word: &str) -> bool {
    if ABBREVIATIONS.iter().any(|known| known.eq_ignore_ascii_case(word)) {
        return false;
    }
    let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
    let extension =
        name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, extension)| extension);
    let has_extension = extension.is_some_and(|extension| {
        (1..=10).contains(&extension.len())
            && extension.chars().all(|c| c.is_ascii_alphanumeric())
            && extension.starts_with(|c: char| c.is_ascii_alphabetic())
    });
    let has_directory = word.contains(['/', '\\']) && name.chars().any(char::is_alphabetic);
    has_extension || has_directory
}

/// The lines that follow a path: `:12`, `:12:5`, `:10-40`, `(12)`, `(12,5)`, `", line 12`, `,line=12`, `#L10-L40`. What
/// asks a server for the newest version, as in `?t=1718:12:5`, may stand before them.
fn lines_after(rest: &str) -> Option<Lines> {
    let is_asked = |c: char| c.is_alphanumeric() || "=&_.%-".contains(c);
    let rest = rest.strip_prefix('?').map_or(rest, |asked| asked.trim_start_matches(is_asked));
    let named = ["\", line ", ", line ", ",line="].iter().find_map(|name| rest.strip_prefix(name));
    let numbers =
        if let Some(rest) = named { rest } else { rest.strip_prefix([':', '('])?.trim_start_matches('L') };
    let digits = numbers.find(|c: char| !c.is_ascii_digit()).unwrap_or(numbers.len());
    let first: usize = numbers[..digits].parse().ok().filter(|first| *first > 0)?;
    let last = numbers[digits..].strip_prefix('-').map(|last| last.trim_start_matches('L'));
    let last = last.and_then(|last| {
        let digits = last.find(|c: char| !c.is_ascii_digit()).unwrap_or(last.len());
        last[..digits].parse().ok()
    });
    Some(Lines { first, last: last.filter(|last| *last >= first).unwrap_or(first) })
}

/// The path of a class from the name before it: `at org.app.Thing.run(` and `Thing.java`.
fn in_package(before: &str, name: &str) -> Option<String> {
    let qualified = before.strip_suffix('(')?.rsplit([' ', '\t', '/']).next()?;
    let stem = name.split('.').next()?;
    let parts: Vec<&str> = qualified.split('.').collect();
    let class = parts.iter().position(|part| part.split('$').next() == Some(stem))?;
    (!name.contains('/')).then(|| [&parts[..class], &[name]].concat().join("/"))
}

/// Where a text was written, which tells apart files whose paths end alike.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct WrittenIn {
    /// The directory that its paths are relative to.
    pub(crate) directory: String,
    /// The names of the packages whose tests and builds printed it.
    pub(crate) packages: BTreeSet<String>,
}

impl WrittenIn {
    /// Adds the packages that the lines of an output name as where they run: `RUN v3.0.6 /ci/packages/key`,
    /// `> @scope/key@1.2.0 test`, `@scope/key:test: ok`, `FAIL @scope/key`.
    pub(crate) fn add_packages(&mut self, output: &str) {
        for line in output.lines().map(str::trim) {
            let package = if line.starts_with("RUN ") {
                line.rsplit(' ').next()
            } else if let Some(rest) =
                line.strip_prefix("> ").or_else(|| line.strip_prefix("FAIL ")).map(str::trim_start)
            {
                rest.split(' ').next().filter(|word| word.starts_with('@'))
            } else {
                line.split(':').next().filter(|task| task.starts_with('@') && task.len() < line.len())
            };
            let name = package.filter(|word| !word.contains(' ')).and_then(|word| word.rsplit_once('/'));
            let name = name.and_then(|(_, name)| name.split('@').next());
            self.packages
                .extend(name.filter(|name| !name.is_empty() && !name.contains('.')).map(str::to_owned));
        }
    }
}

/// How near a file that a place may mean is to the directory in which the place was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Nearness {
    /// The place means another file.
    None,
    Elsewhere,
    Below,
    /// Its path from there is the place's.
    Exact,
}

/// A file of a collection that a place names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Raised {
    /// How many places with lines in files here come before.
    pub(crate) order: usize,
    /// The lines.
    pub(crate) lines: Option<Lines>,
    /// How many files the place may mean.
    pub(crate) alternatives: usize,
}

/// What the places name among the files with these paths, by the index of the file. A place that may mean several files
/// means those in a package that printed it, then those below its directory: above all the one whose path from there is the
/// place's.
pub(crate) fn raised<'p>(
    places: &[Place],
    WrittenIn { directory, packages }: &WrittenIn,
    paths: impl Iterator<Item = &'p str>,
) -> BTreeMap<usize, Vec<Raised>> {
    let mut raised: BTreeMap<usize, Vec<Raised>> = BTreeMap::new();
    if places.is_empty() {
        return raised;
    }
    let name_of = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let mut named: HashMap<String, Vec<(usize, &str)>> =
        places.iter().map(|place| (name_of(&place.path), Vec::new())).collect();
    for (file, path) in paths.enumerate() {
        if let Some(files) = named.get_mut(path.rsplit(['/', '\\']).next().unwrap_or_default()) {
            files.push((file, path));
        }
    }
    let mut order = 0;
    for place in places {
        let from_here = joined(directory, &place.path);
        let files = &named[&name_of(&place.path)];
        let ends: Vec<(usize, bool)> = files.iter().map(|(_, path)| common_end(&place.path, path)).collect();
        let most = ends.iter().copied().max().unwrap_or((0, false));
        // A file that only has the name of one elsewhere is another one.
        if most.0 == 0 || most == (1, false) && place.path.contains('/') {
            continue;
        }
        let nearness = |((_, path), end): (&(usize, &str), &(usize, bool))| {
            if from_here.as_deref() == Some(*path) {
                Nearness::Exact
            } else if *end != most {
                Nearness::None
            } else if path.strip_prefix(&**directory).is_some_and(|rest| rest.starts_with('/')) {
                Nearness::Below
            } else {
                Nearness::Elsewhere
            }
        };
        let is_in_named = |path: &str, (count, _): (usize, bool)| {
            path.rsplit('/').skip(count.max(1)).any(|name| packages.contains(name))
        };
        let near = files.iter().zip(&ends).map(|(file, end)| {
            let nearness = nearness((file, end));
            (nearness != Nearness::None && is_in_named(file.1, *end), nearness)
        });
        let near: Vec<(bool, Nearness)> = near.collect();
        let nearest = near.iter().copied().max().unwrap_or((false, Nearness::None));
        let meant =
            || files.iter().zip(&near).filter(|(_, near)| **near == nearest).map(|((file, _), _)| *file);
        let alternatives = meant().count();
        for file in meant() {
            raised.entry(file).or_default().push(Raised { order, lines: place.lines, alternatives });
        }
        order += usize::from(place.lines.is_some());
    }
    raised
}

/// A path that was written in `directory`, as seen from the top; `None` if it leads above the top.
fn joined(directory: &str, path: &str) -> Option<String> {
    let mut names: Vec<&str> = directory.split('/').filter(|name| !name.is_empty()).collect();
    for name in path.split('/') {
        match name {
            "." => {}
            ".." => drop(names.pop()?),
            name => names.push(name),
        }
    }
    Some(names.join("/"))
}

/// How many names the path in a text has in common with the end of a file's, and whether these are all of the file's.
fn common_end(place: &str, file: &str) -> (usize, bool) {
    let count =
        place.rsplit('/').zip(file.rsplit(['/', '\\'])).take_while(|(one, other)| one == other).count();
    (count, count == file.split(['/', '\\']).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, Option<(usize, usize)>)> {
        let lines = |lines: Lines| (lines.first, lines.last);
        places(text).into_iter().map(|place| (place.path, place.lines.map(lines))).collect()
    }

    fn with_lines(text: &str) -> Vec<(String, Option<(usize, usize)>)> {
        read(text).into_iter().filter(|(_, lines)| lines.is_some()).collect()
    }

    fn at(path: &str, first: usize, last: usize) -> (String, Option<(usize, usize)>) {
        (path.to_owned(), Some((first, last)))
    }

    #[test]
    fn places_are_read_in_all_notations() {
        for (text, path, first, last) in [
            ("see src/a.rs:12", "src/a.rs", 12, 12),
            ("in src/a.rs:10-40.", "src/a.rs", 10, 40),
            ("  --> src/main.rs:4:9", "src/main.rs", 4, 4),
            ("  File \"lib/x.py\", line 3, in f", "lib/x.py", 3, 3),
            ("    at f (/srv/app/src/x.ts:1:2)", "/srv/app/src/x.ts", 1, 1),
            ("src\\x.cs(12,5): error CS1002", "src/x.cs", 12, 12),
            ("at org.app.Thing$Part.run(Thing.java:80)", "org/app/Thing.java", 80, 80),
            ("./a.go:7 +0x1d", "a.go", 7, 7),
            ("    at x (/srv/src/x.tsx?t=1718&v=2:61:17)", "/srv/src/x.tsx", 61, 61),
            ("::error file=src/x.ts,line=178::No", "src/x.ts", 178, 178),
        ] {
            assert_eq!(with_lines(text), [at(path, first, last)], "{text}");
        }
        assert_eq!(
            read("what does src/main.rs do, e.g. in 3.5 or foo.bar()?")[0],
            ("src/main.rs".into(), None)
        );
        assert_eq!(read("at 12:30, either/or 1.2.3"), [("either/or".into(), None)]);
        assert_eq!(read("tools, e.g. a.rs, i.e the first"), [("a.rs".into(), None)]);
        for (text, path) in [
            ("customer.csvにはどの列がありますか？", "customer.csv"),
            ("列はdata/store.csvにありますか", "data/store.csv"),
            ("売上データ.csvの行数は？", "売上データ.csv"),
            ("main.py에서 무엇을 하나요?", "main.py"),
        ] {
            assert_eq!(read(text), [(path.into(), None)], "{text}");
        }
        let both = [("a.rs".into(), None), ("src/b.min.js".into(), None)];
        assert_eq!(read("a.rsとsrc/b.min.jsの違いは？"), both);
    }

    #[test]
    fn lines_below_a_path_are_lines_of_this_file() {
        let linted = "/srv/src/x.ts\n  254:3  error  No  rule\n  260:11  warning  Yes\n\n  9:1  nothing\nb.ts\n  1:2  error\n";
        let expected = [at("/srv/src/x.ts", 254, 254), at("/srv/src/x.ts", 260, 260), at("b.ts", 1, 1)];
        assert_eq!(with_lines(linted), expected);
    }

    #[test]
    fn places_of_failures_come_first_among_very_many() {
        let built: String = (0..300).map(|number| format!("dist/{number}.js 12 kB\n")).collect();
        let log = format!("{built}error[E0308]: mismatched types\n  --> src/x.rs:310:5\n{built}");
        assert_eq!(read(&log)[0], at("src/x.rs", 310, 310));
        assert_eq!(read(&log).len(), MOST);
    }

    #[test]
    fn a_test_tells_which_file_it_tests() {
        let tested =
            |path: &str| Place { path: path.to_owned(), lines: None }.tested().map(|place| place.path);
        for (test, code) in [
            ("mux_test.go", "mux.go"),
            ("tests/unit/test_core.py", "core.py"),
            ("packages/a/src/key.test.ts", "packages/a/src/key.ts"),
            ("src/__tests__/key.spec.tsx", "key.tsx"),
            ("src/KeyTest.java", "src/Key.java"),
        ] {
            assert_eq!(tested(test).as_deref(), Some(code));
        }
        assert_eq!(["src/key.rs", "tests/tests.rs", "_test.go", "latest"].map(tested), [const { None }; 4]);
    }

    #[test]
    fn innermost_frames_come_first() {
        let python = "Traceback (most recent call last):\n  File \"a.py\", line 1, in a\n  File \"b.py\", line 2, in b\n";
        assert_eq!(with_lines(python), [at("b.py", 2, 2), at("a.py", 1, 1)]);
        let java = "Error\n\tat p.A.a(A.java:1)\nCaused by: Error\n\tat p.B.b(B.java:2)\n";
        assert_eq!(with_lines(java), [at("p/B.java", 2, 2), at("p/A.java", 1, 1)]);
    }

    #[test]
    fn changed_lines_of_a_diff_are_places() {
        let diff = "diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -10,4 +10,5 @@ fn f\n one\n-two\n+2\n+3\n four\n";
        assert_eq!(read(diff), [at("src/a.rs", 11, 12)]);
    }

    #[test]
    fn place_names_a_file_below_the_directory_in_which_it_was_written() {
        let paths = ["a/web/src/x.ts", "b/web/src/x.ts", "b/src/x.ts", "src/x.ts"];
        let files = |path: &str, directory: &str| {
            let place = Place { path: path.to_owned(), lines: None };
            let written_in = WrittenIn { directory: directory.to_owned(), ..WrittenIn::default() };
            raised(&[place], &written_in, paths.into_iter()).into_keys().collect::<Vec<_>>()
        };
        assert_eq!(files("src/x.ts", "a/web"), [0]);
        assert_eq!(files("src/x.ts", "b"), [2]);
        assert_eq!(files("src/x.ts", ""), [3]);
        assert_eq!(files("web/src/x.ts", "b/web"), [1]);
        assert_eq!(files("/home/me/a/web/src/x.ts", "b"), [0]);
        assert_eq!(files("src/x.ts", "c"), [3]);
        assert_eq!(files("../src/x.ts", "b/web"), [2]);
        assert_eq!(files("../../src/x.ts", "b/web"), [3]);
    }

    #[test]
    fn place_names_a_file_in_the_package_that_the_log_names() {
        let paths = ["packages/key/src/x.ts", "packages/lock/src/x.ts"];
        let files = |log: &str| {
            let log = format!("{log}\n ❯ src/x.ts:12:3\n");
            let mut written_in = WrittenIn { directory: "packages/key".into(), ..WrittenIn::default() };
            written_in.add_packages(&log);
            let raised = raised(&places(&log), &written_in, paths.into_iter());
            raised.into_keys().collect::<Vec<_>>()
        };
        assert_eq!(files("RUN"), [0]);
        for log in [
            "RUN  v3.0.6 /ci/packages/lock",
            "@scope/lock:test: x",
            "> @scope/lock@1.2.0 test",
            " FAIL  @scope/lock",
        ] {
            assert_eq!(files(log), [1], "{log}");
        }
        for log in [
            "@scope/lock:test: x\n@scope/key:test: x",
            "Failed to resolve import \"@scope/lock\" from \"src/x.ts\"",
            "cannot read client/lock settings",
            "    at run (/repo/node_modules/@scope/lock)",
        ] {
            assert_eq!(files(log), [0], "{log}");
        }
    }

    #[test]
    fn place_names_the_file_with_the_longest_common_end() {
        let paths = ["src/a.rs", "lib/src/a.rs", "b.rs", "x/mod.rs", "y/mod.rs", "z/b.rs"];
        let files = |path: &str| {
            let place = Place { path: path.to_owned(), lines: None };
            raised(&[place], &WrittenIn::default(), paths.into_iter()).into_keys().collect::<Vec<_>>()
        };
        assert_eq!(files("/home/me/lib/src/a.rs"), [1]);
        assert_eq!(files("src/a.rs"), [0]);
        assert_eq!(files("/tmp/b.rs"), [2]);
        assert_eq!(files("mod.rs"), [3, 4]);
        assert_eq!(files("/usr/lib/x/c/mod.rs"), Vec::<usize>::new());
        assert_eq!(files("unknown.rs"), Vec::<usize>::new());
    }
}

//! Names that look almost the same and are not: in another Unicode form or letter case, with another kind of white space,
//! hyphen or quotation mark, or with letters of another script.

use std::fs;
use std::path::{Path, PathBuf};

use unicode_normalization::UnicodeNormalization;
use unicode_script::{Script, UnicodeScript};
use unicode_security::skeleton;

use crate::fs::real;
use crate::words::is_unseen;

/// At most this many names in a directory are compared.
const MOST_NAMES: usize = 10_000;

/// How the name of a file differs from one that looks the same, in words; `None` if it looks different, or is the same.
#[must_use]
pub fn difference(written: &str, real: &str) -> Option<String> {
    if written == real {
        return None;
    }
    let is_same = as_seen(written).eq(as_seen(real));
    if !is_same && without_case(written).eq(without_case(real)) {
        return Some("a file of that name differs in letter case".to_owned());
    }
    let (extra, missing) = (odd(real, written), odd(written, real));
    let is_alike = || !(extra.is_empty() && missing.is_empty()) && skeleton(written).eq(skeleton(real));
    (is_same || is_alike()).then(|| {
        if written.nfc().eq(real.nfc()) || extra.is_empty() && missing.is_empty() {
            "a file of that name is in another Unicode form".to_owned()
        } else if !extra.is_empty() {
            format!("a file of that name has {extra} in it")
        } else {
            format!("a file of that name has no {missing} in it")
        }
    })
}

/// The characters outside of ASCII that only one of two names has, by number, and the script of letters that are not Latin.
fn odd(name: &str, other: &str) -> String {
    let is_odd = |char: &char| (!char.is_ascii() || char.is_control()) && !other.contains(*char);
    let mut odd: Vec<char> = name.chars().filter(is_odd).collect();
    odd.dedup();
    let in_words = |char: char| {
        let script = match char.script() {
            Script::Latin | Script::Common | Script::Inherited | Script::Unknown => String::new(),
            script => format!(" ({})", script.full_name()),
        };
        format!("U+{:04X}{script}", u32::from(char))
    };
    odd.into_iter().map(in_words).collect::<Vec<_>>().join(" and ")
}

/// A path in the same directory that looks the same as a path that doesn't exist.
#[must_use]
pub fn alike(path: &Path) -> Option<PathBuf> {
    let wanted = path.file_name()?.to_str()?;
    beside(path, |name| difference(wanted, name).is_some())?.next()
}

/// The pattern or path that would match, if names below `base` only look the same as those in it. Names before the first wildcard
/// are spelled as on the disk, the others in the other Unicode form.
#[must_use]
pub fn alike_pattern(text: &str, base: &Path) -> Option<String> {
    alike_in(text, base, |_| true)
}

/// The same for a pattern that someone else may have written: names below `root` only, and none that links lead to.
#[must_use]
pub fn alike_pattern_inside(text: &str, base: &Path, root: &Path) -> Option<String> {
    let (base, root) = (real(base).ok()?, real(root).ok()?);
    let is_inside = |directory: &Path| {
        directory.starts_with(&root) && real(directory).is_ok_and(|real| real == directory)
    };
    alike_in(text, &base, is_inside)
}

fn alike_in(text: &str, base: &Path, may_list: impl Fn(&Path) -> bool) -> Option<String> {
    let has_wildcards = |name: &str| name.contains(['*', '?', '[', ']', '{', '}']);
    let (mut found, mut parts) = (String::new(), text.split_inclusive('/').peekable());
    while let Some(part) = parts.next_if(|part| !has_wildcards(part)) {
        let name = part.trim_end_matches('/');
        let path = base.join(format!("{found}{name}"));
        let is_a_name = !matches!(name, "" | ".");
        if is_a_name && !path.parent().is_some_and(&may_list) {
            return None;
        }
        if !is_a_name || path.symlink_metadata().is_ok() {
            found.push_str(part);
            continue;
        }
        let real = alike(&path)?;
        let real = real.file_name()?.to_str().filter(|real| !has_wildcards(real))?;
        found.extend([real, &part[name.len()..]]);
    }
    let rest: String = parts.collect();
    if found.len() + rest.len() != text.len() || !text.starts_with(&found) || rest.is_ascii() {
        return Some(found + &rest).filter(|found| found != text);
    }
    let inside = base.join(&found).join("name");
    if !inside.parent().is_some_and(&may_list) {
        return None;
    }
    let is_there = |form: &String| {
        let name = glob::Pattern::new(form).ok().filter(|_| !form.contains('/'));
        let is_it = |other: &str| name.as_ref().is_some_and(|name| name.matches(other));
        beside(&inside, is_it).is_some_and(|mut names| names.next().is_some())
    };
    let forms = [rest.nfd().collect::<String>(), rest.nfc().collect()];
    forms.into_iter().filter(|form| *form != rest).find(is_there).map(|form| found + &form)
}

/// A pattern in the other Unicode forms and letter cases that files' names often have.
pub fn forms(pattern: &str) -> impl Iterator<Item = String> {
    let upper =
        pattern.rsplit_once('.').map(|(stem, extension)| format!("{stem}.{}", extension.to_uppercase()));
    let forms = [pattern.nfd().collect(), pattern.nfc().collect(), pattern.to_lowercase()];
    forms.into_iter().chain(upper).filter(move |form| form != pattern)
}

/// The only path in the same directory whose name is that of a path that doesn't exist, in another Unicode form.
#[must_use]
pub fn same_in_another_form(path: &Path) -> Option<PathBuf> {
    let wanted = path.file_name()?.to_str().filter(|name| !name.is_ascii())?;
    let mut same = beside(path, |name| name.nfc().eq(wanted.nfc()))?;
    let first = same.next()?;
    same.next().is_none().then_some(first)
}

/// The paths in the same directory whose names are like this.
fn beside(path: &Path, is_meant: impl Fn(&str) -> bool) -> Option<impl Iterator<Item = PathBuf>> {
    let entries = fs::read_dir(path.parent()?).ok()?.take(MOST_NAMES).filter_map(Result::ok);
    Some(
        entries
            .filter(move |entry| entry.file_name().to_str().is_some_and(&is_meant))
            .map(|entry| entry.path()),
    )
}

/// The characters that a person sees, in one form.
fn as_seen(name: &str) -> impl Iterator<Item = char> {
    let seen = name.chars().filter(|char| char.is_whitespace() || !is_unseen(*char));
    seen.map(plain).nfkc()
}

/// The character on the keyboard that one looks like, if it does.
const fn plain(char: char) -> char {
    match char {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{2018}' | '\u{2019}' | '\u{2bc}' => '\'',
        '\u{201c}' | '\u{201d}' => '"',
        char if char.is_whitespace() => ' ',
        char => char,
    }
}

fn without_case(name: &str) -> impl Iterator<Item = char> {
    as_seen(name).flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_written_with_the_names_on_the_disk() {
        let directory = tempfile::tempdir().unwrap();
        for path in ["de\u{301}/a.md", "4\u{202f}PM.md", "re\u{301}sume\u{301}.md", "plain/b.md"] {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        for (text, expected) in [
            ("d\u{e9}/*.md", Some("de\u{301}/*.md")),
            ("d\u{e9}/", Some("de\u{301}/")),
            ("4 PM.md", Some("4\u{202f}PM.md")),
            ("r*sum\u{e9}.md", Some("r*sume\u{301}.md")),
            ("plain/*.md", None),
            ("none/*.md", None),
            ("*.md", None),
            ("x\u{e9}*", None),
        ] {
            assert_eq!(alike_pattern(text, directory.path()).as_deref(), expected, "{text}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn patterns_of_others_are_compared_with_names_in_the_tree_only() {
        let directory = tempfile::tempdir().unwrap();
        let tree = directory.path().join("tree");
        for path in ["else/de\u{301}/a.md", "tree/de\u{301}/a.md"] {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        std::os::unix::fs::symlink("../else", tree.join("link")).unwrap();
        let absolute = format!("{}/else/d\u{e9}", directory.path().display());
        for (text, expected) in [
            ("d\u{e9}/*.md", Some("de\u{301}/*.md")),
            ("./d\u{e9}", Some("./de\u{301}")),
            ("link/d\u{e9}", None),
            ("link/d\u{e9}*", None),
            ("../else/d\u{e9}", None),
            ("../tree/d\u{e9}", None),
            (&absolute, None),
        ] {
            assert_eq!(alike_pattern_inside(text, &tree, &tree).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn only_what_cannot_be_seen_is_told() {
        for (written, real, told) in [
            (
                "r\u{e9}sum\u{e9}",
                "re\u{301}sume\u{301}",
                Some("a file of that name is in another Unicode form"),
            ),
            ("4 PM", "4\u{202f}PM", Some("a file of that name has U+202F in it")),
            ("4\u{202f}PM", "4 PM", Some("a file of that name has no U+202F in it")),
            ("ab", "a\u{200b}b", Some("a file of that name has U+200B in it")),
            ("a-b's", "a\u{2011}b\u{2019}s", Some("a file of that name has U+2011 and U+2019 in it")),
            ("A.md", "\u{ff21}.md", Some("a file of that name has U+FF21 in it")),
            ("data", "d\u{430}ta", Some("a file of that name has U+0430 (Cyrillic) in it")),
            ("\u{410}PI.md", "API.md", Some("a file of that name has no U+0410 (Cyrillic) in it")),
            ("\u{39f}\u{3bd}", "O\u{3bd}", Some("a file of that name has no U+039F (Greek) in it")),
            ("l.md", "1.md", None),
            ("readme", "README", Some("a file of that name differs in letter case")),
            ("\u{e9}t\u{e9}", "E\u{301}t\u{e9}", Some("a file of that name differs in letter case")),
            ("a b", "a b", None),
            ("a b", "a c", None),
        ] {
            assert_eq!(difference(written, real).as_deref(), told, "{written} {real}");
        }
    }
}

//! The names that the import statements of a source file mention.

use crate::passage::lines;
use ctx_outline::Language;

/// Beginnings of statements that can continue over several lines in brackets, such as `use crate::{` and
/// `import (`.
const LISTS: [&str; 6] = ["use ", "pub use ", "pub(crate) use ", "pub(super) use ", "import ", "from "];

/// Beginnings of statements on one line.
const ONE_LINERS: [&str; 7] =
    ["import(", "#include", "#include_next", "using ", "require", "require_once", "require_relative"];

/// Beginnings of module declarations, which import if the module is in another file: `mod word;`.
const MODULES: [&str; 3] = ["mod ", "pub mod ", "pub(crate) mod "];

/// What a line contains if it imports with a call.
const CALLS: [&str; 2] = [" require(", "= require "];

/// A line with a call that is longer than this, in bytes, isn't an import statement.
const LONGEST_CALL: usize = 200;

/// At most this many lines of a statement are read after its first.
const LONGEST: usize = 100;

/// Keywords of the statements themselves, which aren't names.
const KEYWORDS: [&str; 26] = [
    "use",
    "pub",
    "crate",
    "super",
    "self",
    "mod",
    "import",
    "from",
    "as",
    "include",
    "include_next",
    "using",
    "static",
    "type",
    "typeof",
    "const",
    "let",
    "var",
    "default",
    "export",
    "require",
    "require_once",
    "require_relative",
    "namespace",
    "local",
    "index",
];

/// Calls `visit` for each name, in order and as often as it occurs.
pub(crate) fn each_imported<'t>(text: &'t str, language: Language, visit: &mut impl FnMut(&'t str)) {
    if matches!(
        language,
        Language::Css
            | Language::Json
            | Language::Markdown
            | Language::Shell
            | Language::Toml
            | Language::Yaml
    ) {
        return;
    }
    let has = |part: &str| memchr::memmem::find(text.as_bytes(), part.as_bytes()).is_some();
    let has_calls = CALLS.iter().copied().any(has);
    let mut lines = lines(text);
    while let Some(line) = lines.next() {
        let Some(most) = most_lines(line, has_calls) else { continue };
        each_name(line, visit);
        let mut open = depth(line);
        for line in lines.by_ref().take(if open > 0 { most } else { 0 }) {
            each_name(line, visit);
            open += depth(line);
            if open <= 0 {
                break;
            }
        }
    }
}

/// The most lines that an import statement can have after its first line: `LONGEST` if brackets can continue
/// it, or else 0. `None` if the line doesn't import.
fn most_lines(line: &str, has_calls: bool) -> Option<usize> {
    let trimmed = line.trim_start();
    let by_beginning = match trimmed.as_bytes() {
        [b'e', ..] => {
            let exports = trimmed.starts_with("export ") && trimmed.contains(" from ");
            exports.then_some(0)
        }
        // The first letter rules most lines out.
        [b'u' | b'p' | b'm' | b'i' | b'f' | b'#' | b'r', ..] => most_lines_by_beginning(trimmed),
        _ => None,
    };
    let calls = || has_calls && line.len() <= LONGEST_CALL && CALLS.iter().any(|call| line.contains(call));
    by_beginning.or_else(|| calls().then_some(0))
}

fn most_lines_by_beginning(line: &str) -> Option<usize> {
    let begins =
        |beginning: &&str| line.strip_prefix(*beginning).is_some_and(|rest| ends_word(beginning, rest));
    if LISTS.iter().any(begins) {
        return Some(LONGEST);
    }
    let is_elsewhere = || line.find([';', '{']).is_some_and(|end| line[end..].starts_with(';'));
    let is_one_liner = ONE_LINERS.iter().any(begins) || MODULES.iter().any(begins) && is_elsewhere();
    is_one_liner.then_some(0)
}

/// Whether the word ends between `beginning` and `rest`, unlike `require` in `required`.
fn ends_word(beginning: &str, rest: &str) -> bool {
    !(beginning.ends_with(is_in_name) && rest.starts_with(is_in_name))
}

fn is_in_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// How many more brackets the code of a line opens than it closes.
fn depth(line: &str) -> i32 {
    code_of(line)
        .bytes()
        .map(|byte| match byte {
            b'(' | b'{' => 1,
            b')' | b'}' => -1,
            _ => 0,
        })
        .sum()
}

/// A line without the comment that ends it; the `//` in a URL doesn't begin one.
fn code_of(line: &str) -> &str {
    line.split("//").next().filter(|code| !code.ends_with(':')).unwrap_or(line)
}

fn each_name<'t>(line: &'t str, visit: &mut impl FnMut(&'t str)) {
    code_of(line)
        .split(|c: char| !is_in_name(c))
        .filter(|name| name.len() > 1 && !name.starts_with(|c: char| c.is_ascii_digit()))
        .filter(|name| !KEYWORDS.contains(name))
        .for_each(visit);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imported(text: &str, language: Language) -> Vec<&str> {
        let mut names = Vec::new();
        each_imported(text, language, &mut |name| names.push(name));
        names
    }

    #[test]
    fn imported_names_of_many_languages_are_found() {
        assert_eq!(
            imported(
                "use crate::budget::{\n    Trim, // why\n    Cut as C,\n};\nmod word;\nfn from_x() {}\n",
                Language::Rust
            ),
            ["budget", "Trim", "Cut", "word"]
        );
        assert_eq!(
            imported("from .core import (\n  Word,\n)\nimport os.path as p\n", Language::Python),
            ["core", "Word", "os", "path"]
        );
        assert_eq!(
            imported(
                "import { a1 } from './b/cd.js';\nconst x9 = require('y/zed')\nlet q = 1",
                Language::JavaScript
            ),
            ["a1", "cd", "js", "x9", "zed"]
        );
        assert_eq!(imported("#include \"net/http.h\"\nint x;\n", Language::C), ["net", "http"]);
        assert_eq!(imported("import (\n\t\"io\"\n\t\"a.b/web\"\n)\n", Language::Go), ["io", "web"]);
    }

    #[test]
    fn every_beginning_of_a_statement_is_recognised() {
        let found = |beginning: &str| most_lines(&format!("  {beginning}(x;\n"), false);
        for beginning in LISTS {
            assert_eq!(found(beginning), Some(LONGEST), "{beginning}");
        }
        for beginning in ONE_LINERS.iter().chain(&MODULES) {
            assert_eq!(found(beginning), Some(0), "{beginning}");
        }
        assert!(most_lines("export { a } from './b'\n", false).is_some());
        assert!(most_lines("const a = require('b')\n", true).is_some());
        assert!(most_lines("let a = 1;\n", true).is_none());
    }

    #[test]
    fn imported_names_omit_inline_modules() {
        let text = "pub mod word; // not {\nmod tests {\n    use super::rank;\n    fn count() {}\n}\nmod one { fn two(); }\n";
        assert_eq!(imported(text, Language::Rust), ["word", "rank"]);
    }

    #[test]
    fn words_that_begin_like_a_statement_import_nothing() {
        let text =
            "required = compute(total)\nrequire_all files\nrequire_relative 'net/http'\nrequire 'json'\n";
        assert_eq!(imported(text, Language::Ruby), ["net", "http", "json"]);
    }

    #[test]
    fn imported_names_of_a_one_line_statement_come_from_that_line() {
        assert_eq!(
            imported("import('./view').then((page) => {\n  show(page);\n});\n", Language::JavaScript),
            ["view", "then", "page"]
        );
        assert_eq!(imported("using (stream) {\n    copy();\n}\n", Language::CSharp), ["stream"]);
        assert_eq!(imported("use word; // (see\nfn count() {}\n", Language::Rust), ["word"]);
        let list = "import {\n  One,\n} from './two'\nimport three, {\n  Four } from './five'\nlet six\n";
        assert_eq!(imported(list, Language::JavaScript), ["One", "two", "three", "Four", "five"]);
    }

    #[test]
    fn prose_has_no_imported_names() {
        assert_eq!(imported("import this, use that\n", Language::Markdown), Vec::<&str>::new());
    }
}

//! The names that the import statements of a source file mention.

use crate::lines::lines;
use ctx_outline::Language;

/// What a line of a statement that imports begins with.
const BEGINNINGS: [&str; 13] = [
    "use ",
    "pub use ",
    "pub(crate) use ",
    "pub(super) use ",
    "mod ",
    "pub mod ",
    "pub(crate) mod ",
    "import ",
    "import(",
    "from ",
    "#include",
    "using ",
    "require",
];

/// What is in a line that imports by a call.
const CALLS: [&str; 2] = [" require(", "= require "];

/// A line with a call that is longer, in bytes, is no statement that imports.
const LONGEST_CALL: usize = 200;

/// A statement that goes on for longer is not read to its end.
const LONGEST: usize = 100;

/// Words of the statements themselves.
const KEYWORDS: [&str; 24] = [
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
    "require_relative",
    "namespace",
    "local",
    "index",
];

/// Calls `visit` for each name, in order and as often as it is mentioned.
pub(crate) fn each_imported<'t>(text: &'t str, language: Language, visit: &mut impl FnMut(&'t str)) {
    if matches!(language, Language::Json | Language::Markdown | Language::Toml | Language::Yaml) {
        return;
    }
    let has = |part: &str| memchr::memmem::find(text.as_bytes(), part.as_bytes()).is_some();
    let has_calls = CALLS.iter().copied().any(has);
    let mut lines = lines(text);
    while let Some(line) = lines.next() {
        if !imports(line, has_calls) {
            continue;
        }
        each_name(line, visit);
        let mut open = depth(line);
        for line in lines.by_ref().take(if open > 0 { LONGEST } else { 0 }) {
            each_name(line, visit);
            open += depth(line);
            if open <= 0 {
                break;
            }
        }
    }
}

fn imports(line: &str, has_calls: bool) -> bool {
    let trimmed = line.trim_start();
    let begins = match trimmed.as_bytes() {
        [b'e', ..] => trimmed.starts_with("export ") && trimmed.contains(" from "),
        // A look at the first letter spares the most of them.
        [b'u' | b'p' | b'm' | b'i' | b'f' | b'#' | b'r', ..] => {
            BEGINNINGS.iter().any(|beginning| trimmed.starts_with(beginning))
        }
        _ => false,
    };
    begins || has_calls && line.len() <= LONGEST_CALL && CALLS.iter().any(|call| line.contains(call))
}

fn depth(line: &str) -> i32 {
    line.bytes()
        .map(|byte| match byte {
            b'(' | b'{' => 1,
            b')' | b'}' => -1,
            _ => 0,
        })
        .sum()
}

fn each_name<'t>(line: &'t str, visit: &mut impl FnMut(&'t str)) {
    let code = line.split("//").next().filter(|code| !code.ends_with(':')).unwrap_or(line);
    code.split(|c: char| !c.is_alphanumeric() && c != '_')
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
    fn every_beginning_is_found_by_its_first_letter() {
        for beginning in BEGINNINGS {
            assert!(imports(&format!("  {beginning}(x\n"), false), "{beginning}");
        }
        assert!(imports("export { a } from './b'\n", false));
        assert!(imports("const a = require('b')\n", true) && !imports("let a = 1;\n", true));
    }

    #[test]
    fn imported_names_of_prose_are_none() {
        assert_eq!(imported("import this, use that\n", Language::Markdown), Vec::<&str>::new());
    }
}

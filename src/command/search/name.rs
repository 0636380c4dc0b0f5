//! What a search for names or a text finds: what declares a name, and the lines that use it.

use super::order::of_words;
use super::place_of_use::Use;
use ctx_core::plan::{Hit, Plan};

/// Declarations after this many lines of them are listed, not printed.
const MOST_LINES: usize = 200;

/// In how many passages the uses of a name are looked for.
const MOST_WITH_NAME: usize = 150;

/// In how many passages a text is looked for.
const MOST_WITH_TEXT: usize = 1_000;

/// In how many passages several words in a row are looked for.
const MOST_WITH_WORDS: usize = 100;

/// How many passages with a name that nothing declares are printed.
const MOST_UNDECLARED: usize = 2;

/// How many lines are printed before and after a line with such a name.
const AROUND: usize = 3;

/// A passage and the numbers of its lines that have a name.
pub(super) type Uses<'p> = (Hit<'p>, Vec<usize>);

/// What a query finds.
#[derive(Default)]
pub(super) struct Found<'p> {
    /// What is printed whole, best first.
    pub(super) shown: Vec<Hit<'p>>,
    /// Where else the name is, a line each.
    pub(super) uses: Vec<Uses<'p>>,
    /// Whether no file has what only a name or a text is, so that these are passages with some of its words.
    pub(super) is_guess: bool,
}

/// How many passages are printed instead of a name or a text that no file has.
pub(super) const MOST_GUESSED: usize = 3;

/// The name that a query consists of, without its scope: `Header` of `http::Header`.
fn name_in(query: &str) -> Option<&str> {
    let query = query.trim();
    let is_scoped = query.chars().all(|c| is_of_name(c) || [':', '.', '#'].contains(&c));
    let name = query.rsplit(|c: char| !is_of_name(c)).next()?;
    (is_scoped && name.starts_with(|c: char| c.is_alphabetic() || c == '_')).then_some(name)
}

/// What a query looks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sought<'q> {
    /// One name.
    Name(&'q str),
    /// Several names, each written as only names are.
    Names(Vec<&'q str>),
    /// A text with punctuation between its words.
    Text(&'q str),
    /// Words.
    Words(&'q str),
    /// The best passages, in the order of their scores.
    Best,
}

impl<'q> Sought<'q> {
    /// What a query looks for, from its form.
    pub(super) fn of(query: &'q str) -> Self {
        let query = query.trim();
        let words: Vec<&str> = query.split([' ', ',']).filter(|word| !word.is_empty()).collect();
        let names: Option<Vec<&str>> = words.iter().map(|word| name_in(word)).collect();
        match (name_in(query), names) {
            (Some(name), _) => Self::Name(name),
            (None, Some(names)) if names.iter().all(|name| is_only_a_name(name)) => Self::Names(names),
            (None, _) if is_text(query) => Self::Text(query),
            (None, _) => Self::Words(query),
        }
    }

    /// How many passages are looked at to print `most`.
    pub(super) fn looked_at(&self, most: usize) -> usize {
        match self {
            Self::Name(_) => most.max(MOST_WITH_NAME),
            Self::Names(names) => most.max(MOST_WITH_NAME.saturating_mul(names.len())),
            Self::Text(_) => most.max(MOST_WITH_TEXT),
            Self::Words(_) => most.max(MOST_WITH_WORDS),
            Self::Best => most,
        }
    }

    /// What the plan of a search has of it. At most `most` passages are shown.
    pub(super) fn found<'p>(&self, plan: &'p Plan, most: usize) -> Found<'p> {
        let found = match self {
            Self::Name(name) => of_name(plan, name, most),
            Self::Names(names) => of_names(plan, names, most),
            Self::Text(text) => with_lines(plan, plan.hits_with(text), |line| line.contains(text), most),
            Self::Words(words) => Found { shown: of_words(plan, words, most), ..Found::default() },
            Self::Best => Found::default(),
        };
        if found.shown.is_empty() {
            Found { shown: plan.hits(most), is_guess: self.is_exact(), ..Found::default() }
        } else {
            found
        }
    }

    /// Whether it is written as only names are, or is a text without blanks: what has only some of its words is something else.
    fn is_exact(&self) -> bool {
        match self {
            Self::Name(name) => is_only_a_name(name),
            Self::Names(_) => true,
            Self::Text(text) => !text.contains(' '),
            Self::Words(_) | Self::Best => false,
        }
    }
}

/// Whether a file may contain the query word for word: it is one line with punctuation between its words.
fn is_text(query: &str) -> bool {
    let is_mark = |c: char| !is_of_name(c) && !c.is_whitespace();
    let inner = query.trim_end_matches(['?', '!', '.']);
    !query.contains('\n') && inner.contains(is_mark) && inner.contains(char::is_alphanumeric)
}

/// Each name's declarations in the order of the query, and then where else the names are.
fn of_names<'p>(plan: &'p Plan, names: &[&str], most: usize) -> Found<'p> {
    let mut all = Found::default();
    for name in names {
        let Found { shown, uses, .. } = of_name(plan, name, most);
        let is_new = |hit: &Hit<'_>| {
            !all.shown.iter().any(|known| known.label == hit.label && known.lines == hit.lines)
        };
        let new: Vec<Hit<'p>> = shown.into_iter().filter(is_new).collect();
        all.shown.extend(new);
        all.uses.extend(uses);
    }
    let Found { shown, uses, .. } = &mut all;
    for (hit, lines) in uses.iter_mut() {
        lines.retain(|line| !is_in(shown, hit.label, *line));
    }
    all
}

/// The declarations of a name, and its uses elsewhere. If nothing declares it, the lines that define it or else use it take their
/// place; but for a word that prose may have, nothing does. At most `most` are shown; other declarations are listed like uses.
fn of_name<'p>(plan: &'p Plan, name: &str, most: usize) -> Found<'p> {
    let last = |called: &str| called.rsplit(|c| !is_of_name(c)).next() == Some(name);
    let declares = |hit: &Hit<'_>| hit.declared.is_some() && hit.name.as_deref().is_some_and(last);
    let (declaring, others): (Vec<Hit<'p>>, Vec<Hit<'p>>) =
        plan.hits_of(name).into_iter().partition(declares);
    if declaring.is_empty() {
        let is_sought = is_only_a_name(name);
        let others = others.into_iter().filter(|_| is_sought).collect();
        return with_lines(plan, others, |line| has(line, name), most);
    }
    let mut declaring: Vec<Hit<'p>> = declaring.into_iter().map(Hit::of_declaration).collect();
    declaring.iter_mut().for_each(|hit| hit.matching = lines_with(hit, |line| has(line, name)));
    let (mut count, mut lines) = (0, 0);
    let fits = |hit: &Hit<'_>| {
        count += 1;
        lines += hit.lines.count();
        count == 1 || count <= most && lines <= MOST_LINES
    };
    let (shown, listed): (Vec<Hit<'p>>, Vec<Hit<'p>>) = declaring.into_iter().partition(fits);
    let first = |hit: Hit<'p>| {
        let first = hit.matching.first().copied().into_iter().collect();
        (hit, first)
    };
    let listed = listed.into_iter().map(first);
    let uses = listed.chain(elsewhere(&shown, others, |line| has(line, name))).collect();
    Found { shown, uses, is_guess: false }
}

/// The two lines with something that say most about it, with a few lines around each, and then the others.
fn with_lines<'p>(
    plan: &'p Plan,
    hits: Vec<Hit<'p>>,
    has: impl Fn(&str) -> bool + Copy,
    most: usize,
) -> Found<'p> {
    let mut each: Vec<(UseOfName, &Hit<'p>, usize)> = hits
        .iter()
        .flat_map(|hit| {
            numbered(hit).filter(|(_, line)| has(line)).map(move |(number, line)| (hit, number, line))
        })
        .map(|(hit, number, line)| (UseOfName::of(hit.label, line.trim(), has), hit, number))
        .collect();
    each.sort_by_key(|(said, _, _)| *said);
    let best = each.first().map(|(said, _, _)| said.import);
    let mut shown: Vec<Hit<'p>> = Vec::new();
    for (said, hit, line) in each {
        if shown.len() == most.min(MOST_UNDECLARED) || Some(said.import) != best {
            break;
        }
        if !is_in(&shown, hit.label, line) {
            let mut around = plan.around(hit.clone(), line, AROUND);
            around.matching = lines_with(&around, has);
            shown.push(around);
        }
    }
    let uses = elsewhere(&shown, hits, has);
    Found { uses, shown, is_guess: false }
}

/// What a line says about a name or a text in it, what a reader looks for first before the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct UseOfName {
    /// Whether it only imports it, or is in a list of names.
    import: bool,
    place: Use,
    /// Whether it does not define it.
    mentions: bool,
}

impl UseOfName {
    fn of(path: &str, line: &str, has: impl Fn(&str) -> bool) -> Self {
        Self { import: is_import(line), place: Use::of(path, line), mentions: !defines(line, has) }
    }
}

/// Whether a line imports names, or is one of a list of names.
fn is_import(line: &str) -> bool {
    const IMPORTS: [&str; 9] =
        ["import ", "from ", "use ", "pub use ", "using ", "#include", "require", "alias ", "export {"];
    let is_listed = |c: char| is_of_name(c) || c.is_whitespace() || matches!(c, ',' | '{' | '}' | ':' | '*');
    IMPORTS.iter().any(|import| line.starts_with(import))
        || line.contains("require(")
        || line.ends_with(',') && line.chars().all(is_listed) && !line.contains(": ")
}

/// Whether a line gives something that it has a value or a type: `#define NAME 1`, `NAME = 1`, `NAME: u8`, `int NAME;`.
fn defines(line: &str, has: impl Fn(&str) -> bool) -> bool {
    if let Some(defined) = line.strip_prefix("#define ").or_else(|| line.strip_prefix("# define ")) {
        return has(defined
            .split(|c: char| !is_of_name(c))
            .find(|word| !word.is_empty())
            .unwrap_or_default());
    }
    let ends = line.match_indices(['=', ':', ';']).map(|(at, _)| at);
    let is_given = |at: usize| {
        let (before, after) = line.split_at(at);
        let name = before.trim_end_matches([' ', '\t', '"', '\'', '?', '|', '&', '+', '-', ':']);
        let start = name.rfind(|c: char| !is_of_name(c)).map_or(0, |at| at + 1);
        let start = if name.is_char_boundary(start) { start } else { 0 };
        let is_comparison = ["==", "=>", "::", "=~"].iter().any(|other| after.starts_with(other))
            || after.starts_with('=') && before.ends_with(['=', '!', '<', '>'])
            || after.starts_with(':') && before.ends_with(':');
        let is_value = !after.starts_with(';')
            || name[..start].trim().chars().all(|c| is_of_name(c) || " *<>&".contains(c))
                && !name[..start].trim().is_empty()
                && !name.starts_with("return");
        !is_comparison && is_value && has(&name[start..])
    };
    ends.into_iter().any(is_given)
}

/// Where else something is, a line each.
fn elsewhere<'p>(
    shown: &[Hit<'p>],
    others: Vec<Hit<'p>>,
    has: impl Fn(&str) -> bool + Copy,
) -> Vec<Uses<'p>> {
    let uses = others.into_iter().map(|hit| {
        let mut lines = lines_with(&hit, has);
        lines.retain(|line| !is_in(shown, hit.label, *line));
        (hit, lines)
    });
    uses.collect()
}

/// Whether a line of a file is in one of these passages.
fn is_in(shown: &[Hit<'_>], label: &str, line: usize) -> bool {
    shown.iter().any(|hit| hit.label == label && (hit.lines.first..=hit.lines.last).contains(&line))
}

/// The lines of a passage with their numbers.
fn numbered<'h>(hit: &Hit<'h>) -> impl Iterator<Item = (usize, &'h str)> {
    (hit.lines.first..).zip(hit.text.lines())
}

/// The numbers of a passage's lines that have something.
fn lines_with(hit: &Hit<'_>, has: impl Fn(&str) -> bool) -> Vec<usize> {
    numbered(hit).filter(|(_, line)| has(line)).map(|(number, _)| number).collect()
}

fn has(line: &str, name: &str) -> bool {
    line.split(|c| !is_of_name(c)).any(|word| word == name)
}

/// Whether a word is written as only names are: `read_only`, `readOnly`, `READ`, `utf8`.
fn is_only_a_name(word: &str) -> bool {
    word.chars().skip(1).any(|c| c == '_' || c.is_uppercase() || c.is_numeric())
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_of_one_name_may_have_a_scope() {
        assert_eq!(name_in(" http::Header "), Some("Header"));
        assert_eq!(name_in("Class#method"), Some("method"));
        assert_eq!(name_in("_x"), Some("_x"));
        for query in ["rotate the keys", "7", "a-b", ""] {
            assert_eq!(name_in(query), None, "{query:?}");
        }
    }

    #[test]
    fn form_of_a_query_says_what_it_looks_for() {
        assert_eq!(Sought::of("env_to_strings, readOnly"), Sought::Names(vec!["env_to_strings", "readOnly"]));
        for text in ["ORIGIN/../lib", "a-b", "--since-then", "\"no such key\""] {
            assert_eq!(Sought::of(text), Sought::Text(text));
        }
        for words in ["rotate the keys", "where is the bug?", "keep_order of rows", "?", "a/b\nc"] {
            assert_eq!(Sought::of(words), Sought::Words(words), "{words}");
        }
    }

    #[test]
    fn definitions_are_told_from_uses() {
        let defines = |line: &str| defines(line, |text| has(text, "LIMIT"));
        for line in [
            "#define LIMIT 1",
            "LIMIT = 1",
            "pub LIMIT: u8,",
            "x.LIMIT |= 4;",
            "int LIMIT;",
            "\"LIMIT\": 1",
            "LIMIT := 2",
        ] {
            assert!(defines(line), "{line}");
        }
        for line in [
            "#define OTHER LIMIT",
            "x == LIMIT",
            "LIMIT == x",
            "a = LIMIT;",
            "return LIMIT;",
            "LIMIT::new()",
            "f(LIMIT);",
        ] {
            assert!(!defines(line), "{line}");
        }
        for line in ["use a::LIMIT;", "LIMIT,", "  other, LIMIT,", "const { LIMIT } = require('x')"] {
            assert!(is_import(line), "{line}");
        }
    }

    #[test]
    fn words_of_prose_are_not_only_names() {
        assert_eq!(["undo", "Undo", "überall"].map(is_only_a_name), [false; 3]);
        assert_eq!(["read_only", "readOnly", "READ", "utf8"].map(is_only_a_name), [true; 4]);
    }
}

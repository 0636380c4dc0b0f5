//! What a search for one name finds: what declares it, and the lines that use it.

use ctx_core::plan::{Hit, Plan};

/// Declarations after this many lines of them are listed, not printed.
const MOST_LINES: usize = 200;

/// How many passages with a name that nothing declares are printed.
const MOST_UNDECLARED: usize = 2;

/// A passage and the numbers of its lines that have a name.
pub(super) type Uses<'p> = (Hit<'p>, Vec<usize>);

/// What a query finds.
#[derive(Default)]
pub(super) struct Found<'p> {
    /// What is printed whole, best first.
    pub(super) shown: Vec<Hit<'p>>,
    /// Where else the name is, a line each.
    pub(super) uses: Vec<Uses<'p>>,
}

/// The name that a query consists of, without its scope: `Header` of `http::Header`.
pub(super) fn name_in(query: &str) -> Option<&str> {
    let query = query.trim();
    let is_scoped = query.chars().all(|c| is_of_name(c) || [':', '.', '#'].contains(&c));
    let name = query.rsplit(|c: char| !is_of_name(c)).next()?;
    (is_scoped && name.starts_with(|c: char| c.is_alphabetic() || c == '_')).then_some(name)
}

/// The declarations of a name, and its uses elsewhere. If nothing declares it, the best passages with it take their place;
/// but for a word that prose may have, this is what any query finds. At most `most` are shown; other declarations are listed
/// like uses.
pub(super) fn found<'p>(plan: &'p Plan, name: &str, most: usize) -> Found<'p> {
    let last = |called: &str| called.rsplit(|c| !is_of_name(c)).next() == Some(name);
    let declares = |hit: &Hit<'_>| hit.declared.is_some() && hit.name.as_deref().is_some_and(last);
    let (declaring, mut others): (Vec<Hit<'p>>, Vec<Hit<'p>>) =
        plan.all_hits().into_iter().partition(declares);
    let mut shown: Vec<Hit<'p>> = declaring.into_iter().map(Hit::of_declaration).collect();
    for hit in shown.iter_mut().chain(&mut others) {
        hit.matching = lines_with(hit, name).collect();
    }
    let mut uses = Vec::new();
    if shown.is_empty() {
        others.retain(|hit| !hit.matching.is_empty());
        if others.is_empty() || !is_only_a_name(name) {
            return Found { shown: plan.hits(), uses };
        }
        shown = others.drain(..others.len().min(MOST_UNDECLARED).min(most)).collect();
    } else {
        let (mut count, mut lines) = (0, 0);
        let fits = |hit: &Hit<'_>| {
            count += 1;
            lines += hit.lines.count();
            count == 1 || count <= most && lines <= MOST_LINES
        };
        let (whole, listed): (Vec<Hit<'p>>, Vec<Hit<'p>>) = shown.into_iter().partition(fits);
        shown = whole;
        uses.extend(listed.into_iter().map(|hit| {
            let first = hit.matching.first().copied().into_iter().collect();
            (hit, first)
        }));
    }
    for hit in others {
        let is_shown = |number: usize| {
            let holds = |one: &Hit<'_>| {
                one.label == hit.label && (one.lines.first..=one.lines.last).contains(&number)
            };
            shown.iter().any(holds)
        };
        let lines = hit.matching.iter().copied().filter(|number| !is_shown(*number)).collect();
        uses.push((hit, lines));
    }
    Found { shown, uses }
}

/// The numbers of a passage's lines that have a name.
fn lines_with<'h>(hit: &'h Hit<'_>, name: &'h str) -> impl Iterator<Item = usize> + 'h {
    let numbered = (hit.lines.first..).zip(hit.text.lines());
    numbered.filter(move |(_, line)| has(line, name)).map(|(number, _)| number)
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
    fn words_of_prose_are_not_only_names() {
        assert_eq!(["undo", "Undo", "überall"].map(is_only_a_name), [false; 3]);
        assert_eq!(["read_only", "readOnly", "READ", "utf8"].map(is_only_a_name), [true; 4]);
    }
}

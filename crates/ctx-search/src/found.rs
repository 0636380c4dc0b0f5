//! Which names occur in a collection at all.

use crate::query::Query;
use crate::scan::Scan;
use crate::word::each_word;

/// For each name, whether all of its words are in the files that were scanned for a query, which contains them. The words
/// of an identifier are its parts and the whole. `None` for a name whose words say nothing.
#[must_use]
pub fn found(names: &[&str], query: &Query, scans: &[&Scan]) -> Vec<Option<bool>> {
    let mut is_found = vec![false; query.words().len()];
    scans.iter().flat_map(|scan| &scan.words).for_each(|word| is_found[word.place] = true);
    let occurs = |name: &&str| {
        let mut has_all = None;
        // A query has no words that say nothing.
        each_word(name, &mut |word| {
            if let Some(place) = query.place_of(word) {
                has_all = Some(has_all.unwrap_or(true) && is_found[place]);
            }
        });
        has_all
    };
    names.iter().map(occurs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scanner, WordCache};

    #[test]
    fn identifiers_occur_as_a_whole() {
        let names = ["parse_header", "parseBody", "no upstreams", "-uu", "the", "budget"];
        let query = Query::new(&names.join("\n"));
        let scanner = Scanner::new(&query);
        let texts =
            [("a.rs", "fn parse_header() {} // the body to parse"), ("budget.md", "no\nupstreams -uu")];
        let scans: Vec<Scan> =
            texts.iter().map(|(path, text)| scanner.scan(path, text, &mut WordCache::default())).collect();
        let scans: Vec<&Scan> = scans.iter().collect();
        assert_eq!(
            found(&names, &query, &scans),
            [Some(true), Some(false), Some(true), Some(true), None, Some(true)]
        );
    }
}

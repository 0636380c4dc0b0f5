//! Properties that hold for any files and any query.

use ctx_search::{Digest, Document, Query, Ranked, Text, rank};
use proptest::prelude::*;

fn texts() -> impl Strategy<Value = Vec<(String, String)>> {
    let word = prop::sample::select(vec![
        "budget",
        "trim",
        "fitAll",
        "parse_http",
        "use",
        "import",
        "fn",
        "class",
        "{",
        "}",
        "(",
        "::",
        "\n",
        "\n\n",
        "    ",
        "größe",
        "検索",
        "x1",
        "// note",
    ]);
    let text = prop::collection::vec(word, 0..300).prop_map(|words| words.join(" "));
    let path = prop::sample::select(vec![
        "src/a.rs",
        "b/mod.rs",
        "web/index.ts",
        "docs/guide.md",
        "c.py",
        "notes.txt",
    ]);
    prop::collection::vec((path.prop_map(str::to_owned), text), 0..8)
}

fn ranked(query: Option<&Query>, read_for: Option<&Query>, texts: &[(String, String)]) -> Vec<Ranked> {
    let digests: Vec<Digest> =
        texts.iter().map(|(path, text)| Digest::of(&Text::new(path, text), read_for)).collect();
    let paths = texts.iter().map(|(path, _)| path);
    let documents: Vec<Document<'_>> =
        paths.zip(&digests).map(|(path, digest)| Document::new(path, digest)).collect();
    rank(query, &documents)
}

proptest! {
    #[test]
    fn ranking_without_a_query_does_not_depend_on_words(texts in texts(), query in "(budget|fitAll| ){0,4}") {
        prop_assert_eq!(ranked(None, Some(&Query::new(&query)), &texts), ranked(None, None, &texts));
    }

    #[test]
    fn ranking_scores_each_passage_of_a_matching_text_and_the_text_by_its_best(texts in texts(), query in "(budget|fitAll| ){0,4}") {
        let query = Query::new(&query);
        for (ranked, (path, text)) in ranked(Some(&query), Some(&query), &texts).iter().zip(&texts) {
            let digest = Digest::of(&Text::new(path, text), None);
            let expected = if ranked.matches.contains(&true) { digest.passages.len() } else { 0 };
            prop_assert_eq!([ranked.passages.len(), ranked.matches.len()], [expected; 2]);
            prop_assert_eq!(ranked.score, ranked.passages.iter().copied().max().unwrap_or_default());
            prop_assert!(ranked.passages.iter().all(|score| score.0 >= 0));
        }
    }
}

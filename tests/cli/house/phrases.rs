//! Phrases that were rewritten and must not come back: they aren't idiomatic English.

use std::fs;
use std::path::Path;

use super::files_below;
use crate::support::root;

/// Everything with text that a person reads: documentation, help, messages, schemas and comments.
const READ: [&str; 16] = [
    "action.yml",
    "bench/README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "crates/ctx-core/src",
    "crates/ctx-outline/src",
    "crates/ctx-search/src",
    "crates/ctx-tokens/README.md",
    "crates/ctx-tokens/src",
    "docs",
    "man",
    "README.md",
    "schemas",
    "SECURITY.md",
    "skills",
    "src",
];

const GONE: [&str; 110] = [
    "a person should know",
    "a person that reads",
    "a talk begins with",
    "adding --dry-run lists all",
    "all the same",
    "and nothing is left of them",
    "are no paths",
    "as it lies",
    "as it stands",
    "as the JSON that they are",
    "as they stand",
    "became of each",
    "belongs into",
    "beside those of",
    "but for the",
    "chooses between the",
    "comes to be",
    "comes to the user's own",
    "everyone may write",
    "for want of",
    "goes away while",
    "has no end",
    "holds no",
    "if there is no such",
    "in its place where",
    "in no order",
    "in the midst",
    "is kept beside",
    "is known of",
    "is let through",
    "is looked at for",
    "is of a person's own",
    "is on, and there is no prompt",
    "is then as it was",
    "is told with",
    "it is that the",
    "kept beside it",
    "kept for every directory",
    "known by its text",
    "leave nothing over",
    "Let the ignore rules hold",
    "made anew",
    "may not say",
    "means nothing\"",
    "more than once over",
    "never a word of them",
    "no entry is kept to be searched",
    "nobody's word",
    "Nothing needs trust here that does not have it",
    "nothing was printed; without --strict",
    "of its own accord",
    "of what is printed",
    "opens a turn",
    "Print the current contents of everything that is kept",
    "puts the files back as they were",
    "says so itself",
    "Show what is kept",
    "so many bytes",
    "so many characters",
    "so many tokens",
    "something else than",
    "Take the last summary back",
    "takes it along",
    "takes them along",
    "that are none",
    "that is none",
    "the like of",
    "the most of its",
    "the person's own",
    "the pinned and named files alone make",
    "the settings that hold",
    "those of changing",
    "those of reading",
    "Took back the summary",
    "was changed meanwhile",
    "was given out",
    "was never finished and is cut off",
    "was never finished and is left out",
    "what became of",
    "what becomes of",
    "what came of",
    "what comes of",
    "what git says",
    "what is let through",
    "what is said of",
    "what is shown of",
    "what it comes to",
    "what it says of",
    "what needs trust here has another digest",
    "what stands after",
    "what stands before",
    "what stands behind",
    "what stands between",
    "what the cache knows",
    "what the journal says",
    "what the system says",
    "what they come to",
    "whatever stands",
    "where it has none",
    "where it is as usual",
    "where no document imitates them",
    "where none is",
    "where nothing is",
    "where one is",
    "where that is not",
    "where the system has",
    "where there are none",
    "where there is one",
    "which counts from 0",
    "whose files are looked for only when",
];

/// What may follow `is no`, as in "is no longer"; anything else should be "isn't a".
const AFTER_NO: [&str; 3] = ["longer", "more", "wider"];

#[test]
fn phrases_that_were_rewritten_do_not_come_back() {
    let mut found = Vec::new();
    for_each_text(|path, text| {
        found.extend(
            GONE.iter().filter(|phrase| text.contains(**phrase)).map(|phrase| (path.to_owned(), *phrase)),
        );
    });
    assert!(found.is_empty(), "{found:#?}");
}

/// "isn't a file" rather than "is no file".
#[test]
fn texts_say_is_not_a_rather_than_is_no() {
    let mut found = Vec::new();
    for_each_text(|path, text| {
        for verb in [" is no ", " are no ", " was no ", " were no "] {
            for (at, _) in text.match_indices(verb) {
                let before = text[..at].rsplit(|char: char| !char.is_alphabetic()).next().unwrap_or_default();
                let after = &text[at + verb.len()..];
                if !before.eq_ignore_ascii_case("there")
                    && !AFTER_NO.iter().any(|word| after.starts_with(word))
                {
                    let line = text[..at].matches('\n').count() + 1;
                    found.push(format!("{}:{line}: {before}{verb}", path.display()));
                }
            }
        }
    });
    assert!(found.is_empty(), "{found:#?}");
}

fn for_each_text(mut look: impl FnMut(&Path, &str)) {
    for place in READ {
        let place = root().join(place);
        let files = if place.is_dir() { files_below(&place) } else { vec![place] };
        for path in files {
            // Tables and pictures aren't text.
            let Ok(text) = fs::read_to_string(&path) else { continue };
            look(&path, &text);
        }
    }
}

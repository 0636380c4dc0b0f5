//! Phrases that were rewritten once and must not come back: nobody who writes English every day would say them.

use std::fs;

use super::files_below;
use crate::support::root;

const GONE: [&str; 23] = [
    "adding --dry-run lists all",
    "as the JSON that they are",
    "asked for all the same",
    "comes to the user's own",
    "is no digest",
    "is no entry",
    "is no revision",
    "is on, and there is no prompt",
    "kept for every directory",
    "leave nothing over",
    "Let the ignore rules hold",
    "means nothing\"",
    "never a word of them",
    "no entry is kept to be searched",
    "Nothing needs trust here that does not have it",
    "nothing was printed; without --strict",
    "Print the current contents of everything that is kept",
    "Show what is kept",
    "Take the last summary back",
    "the pinned and named files alone make",
    "was never finished and is left out",
    "where no document imitates them",
    "whose files are looked for only when",
];

#[test]
fn phrases_that_were_rewritten_do_not_come_back() {
    let mut found = Vec::new();
    for directory in ["src", "crates/ctx-core/src", "docs", "man"] {
        for path in files_below(&root().join(directory)) {
            let Ok(text) = fs::read_to_string(&path) else { continue };
            found.extend(
                GONE.iter().filter(|phrase| text.contains(**phrase)).map(|phrase| (path.clone(), *phrase)),
            );
        }
    }
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    found.extend(
        GONE.iter().filter(|phrase| readme.contains(**phrase)).map(|phrase| ("README.md".into(), *phrase)),
    );
    assert!(found.is_empty(), "{found:#?}");
}

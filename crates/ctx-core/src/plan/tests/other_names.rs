//! One file under several names: the data cached under one name does not affect the others.

use std::fs;

use super::{Place, block, plan};
use crate::budget::Budget;
use crate::entry::{Entry, LevelOfDetail, ScopedEntry};
use crate::plan::{Detail, ReadOptions, Request};

/// A file's outline as printed, with its token count: first with the cache, then without it.
fn outlined(place: &Place, name: &str) -> [String; 2] {
    [Some(place.cache.path().to_owned()), None].map(|cache| {
        let request = Request {
            cache,
            entries: vec![ScopedEntry::typed(Entry::new(name))],
            reading: ReadOptions { level: LevelOfDetail::Outline, ..ReadOptions::default() },
            ..place.request(Budget::default(), Detail::Counts)
        };
        let plan = plan(&request, &place.world()).unwrap();
        format!("{:?}\n{}", plan.account().tokens, block(&plan))
    })
}

#[test]
fn cached_outline_is_not_used_for_another_language() {
    let place = Place::with_many();
    let text: String =
        (0..40).map(|at| format!("# Part {at}\ndef f{at}():\n    return {at} + 1\n\n")).collect();
    place.write("notes.py", text);
    fs::hard_link(place.files.path().join("notes.py"), place.files.path().join("notes.md")).unwrap();
    for name in ["notes.py", "notes.md", "notes.py"] {
        let [cached, fresh] = outlined(&place, name);
        assert_eq!(cached, fresh, "{name}");
    }
}

#[test]
fn cached_notebook_is_not_used_for_another_extension() {
    let place = Place::with_many();
    let cell = r#"{"cell_type": "markdown", "metadata": {}, "source": ["short"]}"#;
    place.write(
        "n.ipynb",
        format!(r#"{{"cells": [{cell}], "metadata": {{}}, "nbformat": 4, "nbformat_minor": 5}}"#),
    );
    fs::hard_link(place.files.path().join("n.ipynb"), place.files.path().join("n.json")).unwrap();
    for name in ["n.json", "n.ipynb", "n.json"] {
        let [cached, fresh] = outlined(&place, name);
        assert_eq!(cached, fresh, "{name}");
    }
}

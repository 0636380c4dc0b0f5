use proptest::prelude::*;

use super::*;
use crate::store::document;
use crate::store::{ByPath, is_same_path};

fn list(paths: &[&str]) -> List {
    List { paths: paths.iter().copied().map(Entry::new).collect(), ..List::default() }
}

fn paths(list: &List) -> Vec<&str> {
    list.paths.iter().map(|entry| entry.path.as_str()).collect()
}

#[test]
fn two_spellings_of_a_path_are_one_entry() {
    let same = [("a", "./a"), ("a/", "a"), ("././a//", "a"), (".", "./"), ("!./a/", "!a"), ("/", "//")];
    for (one, other) in same {
        assert_eq!(list(&[one]).position(other), Some(0), "{one} {other}");
        assert_eq!(list(&[other]).position(one), Some(0), "{one} {other}");
    }
    for (one, other) in [("a", "!a"), ("a", "b"), (".//a", "/a"), (".", "/"), (".a", "a"), ("../a", "a")] {
        assert_eq!(list(&[one]).position(other), None, "{one} {other}");
    }
}

#[test]
fn an_entry_is_added_only_once() {
    let mut some = list(&["a"]);
    some.add(Entry::new("b")).unwrap();
    let error = some.add(Entry::new("./a/")).unwrap_err();
    assert_eq!(error.to_string(), "Path './a/' already exists in the context");
    assert_eq!(paths(&some), ["a", "b"]);
}

#[test]
fn removing_an_entry_removes_every_spelling() {
    let mut some = list(&["a", "b", "./a/"]);
    let removed = some.remove_all(&[vec!["a".to_owned()], vec!["c".to_owned()]]);
    assert_eq!(removed.iter().map(Vec::len).collect::<Vec<_>>(), [2, 0]);
    assert_eq!(paths(&some), ["b"]);
}

#[test]
fn entries_are_placed_in_the_order_they_are_named() {
    let placed = |named: &[usize], place: MoveTo| {
        let mut some = list(&["a", "b", "c", "d"]);
        let is_moved = some.move_to(named, place);
        is_moved
            .map(|is_moved| (paths(&some).concat(), is_moved))
            .map_err(|error| (error.to_string(), paths(&some).concat()))
    };
    let order = |order: &str, is_moved: bool| Ok((order.to_owned(), is_moved));
    assert_eq!(placed(&[3, 1], MoveTo::First), order("dbac", true));
    assert_eq!(placed(&[0], MoveTo::Last), order("bcda", true));
    assert_eq!(placed(&[0, 3], MoveTo::Before(2)), order("badc", true));
    assert_eq!(placed(&[0], MoveTo::After(3)), order("bcda", true));
    assert_eq!(placed(&[0, 0], MoveTo::Last), order("bcda", true));
    assert_eq!(placed(&[1], MoveTo::After(0)), order("abcd", false));
    let beside_itself = "Path 'a' cannot be placed before or after itself".to_owned();
    assert_eq!(placed(&[0], MoveTo::After(0)), Err((beside_itself, "abcd".to_owned())));
}

#[test]
fn a_new_list_is_written_in_a_readable_form() {
    let mut some = list(&["a"]);
    some.defaults.set(Setting::Budget, Some("60k".to_owned()));
    some.defaults.set(Setting::Description, Some("d".to_owned()));
    let text = document::render(&some).unwrap();
    assert_eq!(
        text,
        "{\n  \"paths\": [\n    \"a\"\n  ],\n  \"description\": \"d\",\n  \"budget\": \"60k\"\n}\n"
    );
}

#[test]
fn keys_keep_their_order() {
    let text = r#"{"x":{"b":1,"a":2},"trim":"fail","y":[1.5,null],"paths":["a"],"z":0}"#;
    let mut some: List = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&some).unwrap(), text);
    some.defaults.set(Setting::Trim, None);
    some.defaults.set(Setting::Model, Some("m".to_owned()));
    some.paths.clear();
    assert_eq!(
        serde_json::to_string(&some).unwrap(),
        r#"{"x":{"b":1,"a":2},"y":[1.5,null],"paths":[],"z":0,"model":"m"}"#
    );
}

#[test]
fn numbers_keep_every_digit() {
    for number in ["1.10", "-0", "-0.0", "1e+400", "10e-07", "123456789012345678901234567890.5"] {
        let text = format!(r#"{{"a":{number},"paths":[{{"path":"b","c":[{number}]}}]}}"#);
        let list: List = document::parse(std::path::Path::new("x"), text.as_bytes()).unwrap();
        assert_eq!(serde_json::to_string(&list).unwrap(), text);
    }
}

#[test]
fn wrong_types_are_refused() {
    for text in [
        "[]",
        "null",
        "\"a\"",
        r#"{"paths":null}"#,
        r#"{"paths":"a"}"#,
        r#"{"paths":[1]}"#,
        r#"{"paths":[null]}"#,
        r#"{"paths":[["a"]]}"#,
        r#"{"paths":[{}]}"#,
        r#"{"paths":[{"path":1}]}"#,
        r#"{"paths":[{"path":"a","tags":"t"}]}"#,
        r#"{"paths":[{"path":"a","pin":"yes"}]}"#,
        r#"{"paths":["a\u0000b"]}"#,
        r#"{"model":1}"#,
        r#"{"budget":60000}"#,
        r#"{"description":null}"#,
    ] {
        assert!(serde_json::from_str::<List>(text).is_err(), "{text}");
    }
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        prop::num::f64::NORMAL.prop_map(Value::from),
        "-?(0|[1-9][0-9]{0,40})([.][0-9]{1,40})?([eE][+-]?[0-9]{1,4})?"
            .prop_map(|number| serde_json::from_str(&number).unwrap()),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((".{0,6}", inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn a_round_trip_keeps_unknown_keys(
        before in prop::collection::vec(("[a-z]{1,6}", json()), 0..4),
        after in prop::collection::vec(("[A-Z]{1,6}", json()), 0..4),
        names in prop::collection::vec("[^\0]{0,12}", 0..4),
        of_entry in prop::collection::vec(("[A-Z]{1,6}", json()), 0..4),
    ) {
        let mut document: Map<String, Value> = before.into_iter().filter(|(key, _)| !is_known(key)).collect();
        let mut entries: Vec<Value> = names.into_iter().map(Value::from).collect();
        let mut detailed = Map::from_iter([("path".to_owned(), Value::from("p")), ("pin".to_owned(), true.into())]);
        detailed.extend(of_entry);
        entries.push(detailed.into());
        document.insert(PATHS.to_owned(), entries.into());
        document.extend(after);
        let text = document::render(&document).unwrap();
        let list: List = document::parse(std::path::Path::new("x"), text.as_bytes()).unwrap();
        prop_assert_eq!(document::render(&list).unwrap(), text);
    }
}

#[test]
fn an_empty_path_is_not_a_directory_and_a_tilde_after_a_slash_is_not_home() {
    for (one, other, same) in [
        ("", ".", false),
        ("", "./", false),
        (".", "./", true),
        ("~/x", "./~/x", false),
        ("~", "./~", false),
        ("././~/x", "./~/x", true),
        ("./a~", "a~", true),
        ("src//a", "src/a", true),
        ("src/./a", "./src/a/", true),
        ("src/.", "src", true),
        ("!src//*.rs", "!src/*.rs", true),
        ("src//a:3-4", "src/a:3-4", true),
        ("/tmp//x/.", "/tmp/x", true),
        ("//", "/", true),
        ("~//x", "~/x", true),
        ("src/..", "src", false),
        ("src/.a", "src/a", false),
        ("a//b", "/a/b", false),
        ("cmd:echo a//b", "cmd:echo a/b", false),
    ] {
        assert_eq!(is_same_path(one, other), same, "{one:?} {other:?}");
    }
}

#[test]
fn entries_are_looked_up_by_any_spelling() {
    let entries = ["a", "./b/", "!a"].map(Entry::new);
    let mut known = ByPath::of(&entries);
    assert_eq!(known.get(&Entry::new("./a/")), Some(&entries[0]));
    assert_eq!(known.get(&Entry::new("b")), Some(&entries[1]));
    assert_eq!(known.get(&Entry::new("c")), None);
    let (same, new) = (Entry::new("b/"), Entry::new("c"));
    assert!(!known.insert(&same) && known.insert(&new));
}

#[test]
fn many_entries_are_added_and_removed_in_one_pass() {
    let entries = |paths: &[&str]| paths.iter().map(|path| Entry::new(*path)).collect::<Vec<_>>();
    let mut list = List { paths: entries(&["a", "b/**", "./c"]), ..List::default() };
    for twice in [["d", "./a"], ["d", "d/"]] {
        assert!(matches!(list.add_all(&entries(&twice)), Err(StoreError::Duplicate { .. })));
    }
    assert_eq!(list.paths, entries(&["a", "b/**", "./c"]));
    list.add_all(&entries(&["d", "e"])).unwrap();
    let names = [vec!["c".to_owned()], vec!["b".to_owned(), "b/**".to_owned()], vec!["x".to_owned()]];
    assert_eq!(list.remove_all(&names), [entries(&["./c"]), entries(&["b/**"]), Vec::new()]);
    assert_eq!(list.paths, entries(&["a", "d", "e"]));
}

#[test]
fn settings_of_a_project_apply_always_once_trusted_or_never() {
    let bounds = |value: &str, bound: Bound| -> Vec<&str> {
        Setting::ALL.into_iter().filter(|one| one.bound(value) == bound).map(Setting::name).collect()
    };
    assert_eq!(bounds("x", Bound::Always), ["description"]);
    assert_eq!(bounds("x", Bound::OnceTrusted), ["instruction", "model", "budget", "trim", "format"]);
    assert_eq!(bounds("none", Bound::OnceTrusted), ["instruction", "model", "trim", "format"]);
}

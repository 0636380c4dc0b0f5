use super::*;
use glob::MatchOptions;
use proptest::prelude::*;

const LITERAL: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: true };

fn one(text: &str) -> Glob {
    let mut all = globs(text).unwrap();
    assert_eq!(all.len(), 1);
    all.remove(0)
}

fn whole(text: &str, path: &str) -> bool {
    globs(text).unwrap().iter().any(|glob| {
        let below = match glob.directory.as_str() {
            "" => Some(path),
            directory => path.strip_prefix(directory).and_then(|rest| rest.strip_prefix('/')),
        };
        below.is_some_and(|below| glob.matches(below.as_bytes()))
    })
}

#[test]
fn a_pattern_starts_in_its_literal_directories() {
    assert_eq!(one("src/app/**/*.rs").directory, "src/app");
    assert_eq!(one("./src//x?").directory, "src");
    assert_eq!(one("~/notes/**").directory, "~/notes");
    assert_eq!(one("/etc/*.conf").directory, "/etc");
    assert_eq!(one("/*.md").directory, "/");
    assert_eq!(one("../../a/*").directory, "../../a");
    assert_eq!(one("**").directory, "");
}

#[test]
fn texts_that_are_not_entries_are_refused_with_the_reason() {
    let cases = [
        ("", TargetError::Empty),
        ("!", TargetError::Empty),
        ("a\0b", TargetError::Nul),
        ("~root/x", TargetError::OtherHome),
        ("!~root", TargetError::OtherHome),
        ("a{b", TargetError::UnclosedBrace),
        ("a[b", TargetError::UnclosedBracket),
        ("[]", TargetError::UnclosedBracket),
        ("a**/b", TargetError::PartialRecursion),
        ("**b", TargetError::PartialRecursion),
        ("***", TargetError::TooManyStars),
        ("*/../x", TargetError::ParentAfterWildcard),
    ];
    for (text, error) in cases {
        assert_eq!(parse(text), Err(error), "{text}");
    }
    assert_eq!(parse(&"a".repeat(4097)), Err(TargetError::TooLong));
    assert_eq!(parse(&"{".repeat(4000)), Err(TargetError::NestedTooDeep));
    assert_eq!(parse(&"*/".repeat(200)), Err(TargetError::TooManyComponents));
    assert_eq!(parse("~"), Ok(Target::Literal("~".into())));
    assert!(matches!(parse("!docs"), Ok(Target::Exclusion(_))));
}

#[test]
fn stars_stop_at_slashes_and_double_stars_cross_them() {
    assert!(whole("src/*.rs", "src/a.rs") && !whole("src/*.rs", "src/b/a.rs"));
    assert!(whole("src/**/*.rs", "src/a.rs") && whole("src/**/*.rs", "src/b/c/a.rs"));
    assert!(whole("dir/**", "dir/a") && whole("dir/**", "dir/a/b") && !whole("dir/**", "dir"));
    assert!(whole("{src,docs}/*.{rs,md}", "docs/a.md") && !whole("{src,docs}/*.{rs,md}", "x/a.md"));
    assert!(whole("a/*/", "a/b/c") && !whole("a/*/", "a/b/c/d"));
    assert!(whole("[a/b]", "a") && whole("日?", "日本") && !whole("?", "日本"));
}

#[test]
fn an_alternative_that_makes_the_pattern_empty_matches_nothing() {
    for text in ["{a,}", "{,a}", "{.,a}", "{{},a}"] {
        assert!(whole(text, "a"), "{text}");
        assert!(!whole(text, "b/c") && !whole(text, ""), "{text}");
    }
    assert!(whole("a{,.rs}", "a") && whole("a{,.rs}", "a.rs"));
}

#[test]
fn a_leading_dot_must_be_written_explicitly() {
    assert!(!whole("**", ".env") && !whole("*.rs", ".rs") && !whole("[.]a", ".a") && !whole("**/*", ".a/b"));
    assert!(whole(".*", ".env") && whole(".github/**", ".github/a") && whole("**/.x/*", "a/.x/b"));
}

#[test]
fn a_class_of_one_character_is_that_character() {
    assert_eq!(one("a[{]b[}]/**").directory, "a{b}");
    assert_eq!(one("[~]/x?").directory, "./~");
    assert_eq!(one("[[]x[]]/../*").directory, "[x]/..");
    assert_eq!(one("[.]x/*").directory, "");
    assert_eq!(one("[é]/*").directory, "é");
    assert!(!whole("[/]", "/") && whole("[*]", "*") && !whole("[*]", "a"));
}

#[test]
fn names_that_are_not_utf8_are_matched_byte_by_byte() {
    assert!(one("a*").matches(b"a\xff\xfe") && one("a?c").matches(b"a\xffc") && one("[!a]").matches(b"\xff"));
}

#[test]
fn hostile_patterns_are_matched_in_linear_time() {
    let path = "a/".repeat(1000) + &"a".repeat(250);
    assert!(!one(&("**/*a".to_owned() + &"/**/*a".repeat(50) + "/b")).matches(path.as_bytes()));
    assert!(!one(&("*a".repeat(1000) + "b")).matches("a".repeat(4000).as_bytes()));
    assert_eq!(one("**/**/**/**").components.len(), 1);
}

fn component_text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[ab.é?*]{0,3}[abé?*]",
        2 => Just("**".to_owned()),
        1 => "[ab*]{0,2}\\[!?[a-cé.-]{1,3}\\][ab?]{0,2}",
    ]
}

fn is_sane(pattern: &str, path: &str) -> bool {
    // In `glob`, a literal dot after an empty `*` matches a leading dot; here it does not.
    let dotted = path.split('/').any(|name| name.starts_with('.'));
    !(dotted && pattern.contains("*."))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn patterns_match_the_same_paths_as_in_the_glob_crate(
        parts in prop::collection::vec(component_text(), 1..5),
        names in prop::collection::vec("[ab.é]{0,3}[abé]", 1..5),
    ) {
        let (pattern, path) = (parts.join("/"), names.join("/"));
        prop_assume!(is_sane(&pattern, &path));
        match glob::Pattern::new(&pattern) {
            Ok(theirs) => prop_assert_eq!(whole(&pattern, &path), theirs.matches_with(&path, LITERAL)),
            Err(_) => prop_assert!(globs(&pattern).is_err()),
        }
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,40}", path in "\\PC{0,20}") {
        if let Ok(all) = globs(&text) {
            prop_assert!(all.iter().filter(|glob| glob.matches(path.as_bytes())).count() <= all.len());
        }
        drop(parse(&text));
    }

    #[test]
    fn no_pattern_like_text_panics(text in "[!\\[\\]{},*?/.a~-]{0,30}") {
        drop(parse(&text));
    }
}

fn name() -> impl Strategy<Value = String> {
    let name = prop_oneof!["[a.,!~*?\\[\\]{}-]{1,8}", "[^/\\\\\\x00]{1,12}"];
    name.prop_filter("a name of its own", |name| !matches!(name.as_str(), "." | ".."))
}

#[test]
fn characters_without_special_meaning_are_not_escaped() {
    assert_eq!(escape("../~a/.b, c!d-e"), "../~a/.b, c!d-e");
    assert_eq!(below("app/[id]/"), "app/[[]id[]]/**");
    assert_eq!(below("/"), "/**");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn an_escaped_name_matches_only_that_name(name in name(), other in name()) {
        prop_assume!(!name.starts_with('~'));
        let glob = one(&escape(&name));
        prop_assert_eq!(&glob.directory, "");
        prop_assert!(glob.matches(name.as_bytes()));
        prop_assert_eq!(glob.matches(other.as_bytes()), name == other);
    }

    #[test]
    fn an_escaped_path_is_a_literal_path(names in prop::collection::vec(name(), 1..4)) {
        let path = names.join("/");
        prop_assume!(!path.starts_with('~'));
        prop_assert_eq!(one(&escape(&path)), Glob::literal(&path));
        let everything = one(&below(&path));
        prop_assert_eq!(&everything.directory, &path);
        prop_assert!(everything.matches(b"x") && everything.matches(b"x/y") && !everything.matches(b".x"));
    }
}

#[test]
fn alternatives_are_examined_until_there_are_too_many() {
    let mut left = 1500;
    let many = "{a,b}".repeat(10);
    assert_eq!(flaw("a**b", &mut left), Some(TargetError::PartialRecursion));
    assert_eq!((flaw(&format!("d/{many}"), &mut left), left), (None, 476));
    assert_eq!((flaw(&format!("!d/{many}"), &mut left), left), (None, 0));
    assert_eq!(flaw("a**b", &mut left), None);
    assert_eq!(flaw("~root", &mut left), Some(TargetError::OtherHome));
}

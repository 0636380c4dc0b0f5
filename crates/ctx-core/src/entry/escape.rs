//! Paths as patterns: the way back from what exists to the pattern language.

/// The pattern that matches this one path, whatever its characters.
#[must_use]
pub fn escape(path: &str) -> String {
    let mut pattern = String::with_capacity(path.len());
    for char in path.chars() {
        match char {
            '*' | '?' | '[' | ']' | '{' | '}' => pattern.extend(['[', char, ']']),
            plain => pattern.push(plain),
        }
    }
    pattern
}

/// The pattern of everything below a directory.
#[must_use]
pub fn below(directory: &str) -> String {
    format!("{}/**", escape(directory.trim_end_matches(std::path::is_separator)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::pattern::{Glob, globs};
    use proptest::prelude::*;

    fn name() -> impl Strategy<Value = String> {
        let name = prop_oneof!["[a.,!~*?\\[\\]{}-]{1,8}", "[^/\\\\\\x00]{1,12}"];
        name.prop_filter("a name of its own", |name| !matches!(name.as_str(), "." | ".."))
    }

    fn one(pattern: &str) -> Glob {
        let mut all = globs(pattern).unwrap();
        assert_eq!(all.len(), 1, "{pattern}");
        all.remove(0)
    }

    #[test]
    fn what_stands_for_itself_stays_as_it_is() {
        assert_eq!(escape("../~a/.b, c!d-e"), "../~a/.b, c!d-e");
        assert_eq!(below("app/[id]/"), "app/[[]id[]]/**");
        assert_eq!(below("/"), "/**");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn an_escaped_name_matches_that_name_alone(name in name(), other in name()) {
            prop_assume!(!name.starts_with('~'));
            let glob = one(&escape(&name));
            prop_assert_eq!(&glob.directory, "");
            prop_assert!(glob.matches(name.as_bytes()));
            prop_assert_eq!(glob.matches(other.as_bytes()), name == other);
        }

        #[test]
        fn an_escaped_path_is_that_path(names in prop::collection::vec(name(), 1..4)) {
            let path = names.join("/");
            prop_assume!(!path.starts_with('~'));
            prop_assert_eq!(one(&escape(&path)), Glob::literal(&path));
            let everything = one(&below(&path));
            prop_assert_eq!(&everything.directory, &path);
            prop_assert!(everything.matches(b"x") && everything.matches(b"x/y") && !everything.matches(b".x"));
        }
    }
}

//! What the front matter of a rule says about when the rule holds.
//!
//! Front matter is YAML in name only: rules in the wild hold values such as `globs: *.ts`, which no
//! YAML parser takes. So the few keys that matter are read line by line, as the tools themselves do.

/// Keys that name files: with a value, the rule holds for those alone.
const FILES: [&str; 3] = ["globs", "applyTo", "paths"];

/// What makes a rule conditional, such as `globs: **/*.ts`; `None` if nothing does.
pub(super) fn condition(text: &str) -> Option<String> {
    let fields = fields(text)?;
    let value = |key: &str| fields.iter().find(|field| field.key == key).map(|field| field.value.as_str());
    let told = |key: &str, value: &str| Some(format!("{key}: {value}"));
    for key in FILES {
        if let Some(files) = value(key).filter(|value| !value.is_empty()) {
            return told(key, files);
        }
    }
    match (value("inclusion"), value("alwaysApply")) {
        (Some(inclusion), _) if !matches!(inclusion, "" | "always") => told("inclusion", inclusion),
        (_, Some("false")) => told("alwaysApply", "false"),
        (_, _) => None,
    }
}

struct Field {
    key: String,
    value: String,
}

/// The fields of the front matter, if there is one: between a first line `---` and the next.
fn fields(text: &str) -> Option<Vec<Field>> {
    let mut lines = text.lines();
    if lines.next()?.trim_end() != "---" {
        return None;
    }
    let mut fields: Vec<Field> = Vec::new();
    for line in lines {
        let line = line.trim_end();
        if matches!(line, "---" | "...") {
            return Some(fields);
        }
        let continued = line.starts_with([' ', '\t', '-']);
        match (line.split_once(':'), fields.last_mut()) {
            (_, Some(last)) if continued => append(&mut last.value, item(line)),
            (Some((key, value)), _) if !continued && !line.starts_with('#') => {
                fields.push(Field { key: bare(key).to_owned(), value: inline(value) });
            }
            (Some(_) | None, _) => {}
        }
    }
    None
}

/// The value that stands on the line of its key; a list in brackets without them.
fn inline(value: &str) -> String {
    let value = without_comment(value);
    if matches!(value, "~" | "null" | "|" | ">" | "|-" | ">-") {
        return String::new();
    }
    let Some(list) = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
        return bare(value).to_owned();
    };
    let mut joined = String::new();
    list.split(',').for_each(|item| append(&mut joined, bare(item)));
    joined
}

/// The value that stands on a line of its own below the key.
fn item(line: &str) -> &str {
    let line = without_comment(line);
    bare(line.strip_prefix('-').unwrap_or(line))
}

fn append(list: &mut String, item: &str) {
    if !list.is_empty() && !item.is_empty() {
        list.push_str(", ");
    }
    list.push_str(item);
}

/// A comment begins the value or follows a blank; in quotes a `#` is one like any other.
fn without_comment(value: &str) -> &str {
    let value = value.trim();
    if value.starts_with('#') {
        return "";
    }
    match value.find(" #") {
        Some(at) if !value.starts_with(['"', '\'']) => value[..at].trim_end(),
        Some(_) | None => value,
    }
}

fn bare(text: &str) -> &str {
    let text = text.trim();
    let unquoted = |quote: char| text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    unquoted('"').or_else(|| unquoted('\'')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::condition;
    use proptest::prelude::*;

    #[test]
    fn keys_that_name_files_make_a_rule_conditional() {
        for (front, told) in [
            ("globs: **/*.ts", "globs: **/*.ts"),
            ("description: x\nglobs: *.ts,*.tsx\nalwaysApply: false", "globs: *.ts,*.tsx"),
            ("applyTo: \"**/*.py\"", "applyTo: **/*.py"),
            ("'applyTo': 'src/#a'  ", "applyTo: src/#a"),
            ("paths:\n  - src/**\n  - \"lib/**\" ", "paths: src/**, lib/**"),
            ("paths:\n- src/**\nother: 1", "paths: src/**"),
            ("paths: ['a', \"b\"]", "paths: a, b"),
            ("globs: >\n  *.rs", "globs: *.rs"),
            ("inclusion: fileMatch\nfileMatchPattern: '*.ts'", "inclusion: fileMatch"),
            ("inclusion: \"manual\"", "inclusion: manual"),
            ("inclusion: auto # when it fits", "inclusion: auto"),
            ("alwaysApply: false", "alwaysApply: false"),
        ] {
            for text in
                [format!("---\n{front}\n---\nText.\n"), format!("---\n{front}\n---\n").replace('\n', "\r\n")]
            {
                assert_eq!(condition(&text).as_deref(), Some(told), "{text:?}");
            }
        }
    }

    #[test]
    fn everything_else_is_unconditional() {
        for text in [
            "",
            "---",
            "# Title\n---\nglobs: x\n---\n",
            "---\nglobs: *.ts\nnever closed\n",
            "---\n---\nglobs: *.ts\n---\n",
            "---\nglobs:\nalwaysApply: true\n---\n",
            "---\nglobs: []\napplyTo: \"\"\npaths: ~\n---\n",
            "---\nglobs: # none\n---\n",
            "---\n# globs: *.ts\n---\n",
            "---\nnested:\n  globs: *.ts\n---\n",
            "---\ninclusion: always\n---\n",
            "---\ninclusion:\n---\n",
        ] {
            assert_eq!(condition(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "(---\n)?([-a-z:#\"'\\[\\], é]{0,9}\n){0,6}(---)?") {
            condition(&text);
        }
    }
}

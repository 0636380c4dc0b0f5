//! JSON as people write it by hand: with comments and trailing commas.

/// The same text as plain JSON: comments and trailing commas become spaces, so that every other character keeps
/// its line and column. Strings are left alone.
pub(super) fn plain(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut comma = None;
    let mut after_value = false;
    let mut at = 0;
    while at < bytes.len() {
        let end = match (bytes[at], bytes.get(at + 1)) {
            (b'"', _) => string_end(&bytes, at),
            (b'/', Some(b'/')) => blank(&mut bytes, at, |rest| rest.iter().position(|byte| *byte == b'\n')),
            (b'/', Some(b'*')) => blank(&mut bytes, at, block_length),
            _ => at + 1,
        };
        match bytes[at] {
            b' ' | b'\t' | b'\r' | b'\n' => {}
            b',' => {
                comma = after_value.then_some(at);
                after_value = false;
            }
            b'}' | b']' => {
                if let Some(comma) = comma.take() {
                    bytes[comma] = b' ';
                }
                after_value = true;
            }
            other => {
                comma = None;
                after_value = !matches!(other, b'{' | b'[' | b':');
            }
        }
        at = end;
    }
    // Only whole characters were replaced.
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The end of the string that begins at `start`.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Overwrites a comment with spaces and returns its end. An unclosed comment stays, so that it is reported.
fn blank(bytes: &mut [u8], start: usize, length: impl Fn(&[u8]) -> Option<usize>) -> usize {
    let is_block = bytes[start + 1] == b'*';
    let end = match length(&bytes[start..]) {
        Some(length) => start + length,
        None if is_block => return start + 1,
        None => bytes.len(),
    };
    for byte in &mut bytes[start..end] {
        if *byte != b'\n' && *byte != b'\r' {
            *byte = b' ';
        }
    }
    end
}

fn block_length(rest: &[u8]) -> Option<usize> {
    memchr::memmem::find(&rest[2..], b"*/").map(|inner| inner + 4)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    #[test]
    fn comments_and_trailing_commas_become_spaces() {
        for (text, expected) in [
            ("{\"a\": 1, // one\n}", "{\"a\": 1        \n}"),
            ("[1, /* , ] */ 2, /* x\ny */ ]", "[1,           2      \n     ]"),
            ("[\"// no\", \"/* no */\", \"\\\",]\"]", "[\"// no\", \"/* no */\", \"\\\",]\"]"),
            ("{\"a\": \"http://x\",}", "{\"a\": \"http://x\" }"),
            ("// ü\r\n1", "     \r\n1"),
            ("[,]", "[,]"),
            ("[1,,]", "[1,,]"),
            ("[[1,],{},]", "[[1 ],{} ]"),
            ("/* open", "/* open"),
            ("1 //", "1   "),
            ("/", "/"),
            ("\"\\", "\"\\"),
        ] {
            assert_eq!(plain(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn valid_json_is_unchanged(text in "[a-z/*\",\\\\ \n]{0,20}") {
            let json = serde_json::to_string_pretty(&serde_json::json!({ "k": [text, 1], "l": {} })).unwrap();
            prop_assert_eq!(plain(&json), json);
        }

        #[test]
        fn any_text_keeps_its_length(text in "[\\[\\]{},:\"\\\\/*\n ü1]{0,40}") {
            let plain = plain(&text);
            prop_assert_eq!(plain.len(), text.len());
            prop_assert_eq!(plain.matches('\n').count(), text.matches('\n').count());
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                prop_assert_eq!(serde_json::from_str::<Value>(&plain).unwrap(), value);
            }
        }
    }
}

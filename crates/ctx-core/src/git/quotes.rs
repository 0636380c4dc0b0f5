//! Names in quotes, as git writes those with quotes, control characters or, by default, letters beyond ASCII.

/// A name without git's quotes and escapes; `None` if it is not in quotes.
#[must_use]
pub fn unquoted(name: &[u8]) -> Option<Vec<u8>> {
    let inner = name.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let mut plain = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter().copied();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            plain.push(byte);
            continue;
        }
        plain.push(match bytes.next() {
            Some(b'a') => 7,
            Some(b'b') => 8,
            Some(b't') => b'\t',
            Some(b'n') => b'\n',
            Some(b'v') => 11,
            Some(b'f') => 12,
            Some(b'r') => b'\r',
            Some(digit @ b'0'..=b'3') => {
                let mut low = || bytes.next().map_or(0, |digit| digit.wrapping_sub(b'0') & 7);
                ((digit - b'0') << 6) | (low() << 3) | low()
            }
            Some(other) => other,
            None => b'\\',
        });
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_name_is_read_as_git_reads_it() {
        for (quoted, name) in [
            (r#""caf\303\251.md""#, Some("café.md")),
            (r#""q\"uote\\ \t.md""#, Some("q\"uote\\ \t.md")),
            ("plain", None),
            ("\"", None),
        ] {
            assert_eq!(unquoted(quoted.as_bytes()), name.map(|name| name.as_bytes().to_vec()), "{quoted}");
        }
    }
}

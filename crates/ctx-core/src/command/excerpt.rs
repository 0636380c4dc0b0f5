//! The part of a long output that is used: its beginning and end.

use crate::process::Captured;
use crate::words;

/// An output, or its two ends with a line between them that shows how much was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The text, as the program wrote it.
    pub text: Vec<u8>,
    /// How many bytes were left out; 0 if the text is the complete output.
    pub omitted: u64,
}

impl Excerpt {
    /// The excerpt of a captured output. It is cut at newlines if there are any, otherwise between words, so
    /// that no secret is cut in two and then missed. If the tail begins inside a private key, the rest of the
    /// key is cut off too.
    #[must_use]
    pub fn of(captured: Captured) -> Self {
        let Captured { mut head, omitted, tail } = captured;
        if omitted == 0 {
            return Self { text: head, omitted };
        }
        let captured_length = head.len() + tail.len();
        if let Some(end) = memchr::memrchr(b'\n', &head) {
            head.truncate(end + 1);
        } else {
            head.truncate(end_of_head(&head));
            head.push(b'\n');
        }
        let tail = &tail[start_of_tail(&tail)..];
        let omitted = omitted + (captured_length.saturating_sub(head.len() + tail.len())) as u64;
        head.extend_from_slice(format!("{}\n", words::omitted(omitted, "byte")).as_bytes());
        head.extend_from_slice(tail);
        Self { text: head, omitted }
    }

    /// Adds what a program that failed wrote to standard error, below a line that says so.
    pub(super) fn add_errors(&mut self, errors: &Self) {
        if !self.text.is_empty() && !self.text.ends_with(b"\n") {
            self.text.push(b'\n');
        }
        self.text.extend_from_slice(b"--- standard error ---\n");
        self.text.extend_from_slice(&errors.text);
        self.omitted += errors.omitted;
    }

    /// Whether it contains only white space.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.iter().all(u8::is_ascii_whitespace)
    }
}

/// Where the tail can begin: after the first newline, and after the end of a key whose beginning is missing.
fn start_of_tail(tail: &[u8]) -> usize {
    const BEGIN: &[u8] = b"-----BEGIN ";
    const END: &[u8] = b"-----END ";
    let after_line = |from: usize| memchr::memchr(b'\n', &tail[from..]).map(|end| from + end + 1);
    let start =
        after_line(0).filter(|start| *start < tail.len()).unwrap_or_else(|| start_between_words(tail));
    let end_of_key = memchr::memmem::find(&tail[start..], END).map(|end| start + end);
    let begin_of_key = memchr::memmem::find(&tail[start..], BEGIN).map(|begin| start + begin);
    match (end_of_key, begin_of_key) {
        (Some(end), begin) if begin.is_none_or(|begin| begin > end) => after_line(end).unwrap_or(tail.len()),
        (Some(_) | None, _) => start,
    }
}

/// Where the head of a single line ends: before a word that would be cut.
fn end_of_head(head: &[u8]) -> usize {
    head.iter().rposition(|byte| is_between_words(*byte)).map_or(0, |last| last + 1)
}

/// Where the tail of a single line begins: after a word that is cut and the next one, which may be a secret
/// that the cut word names.
fn start_between_words(tail: &[u8]) -> usize {
    let after_word = |from: usize| {
        let begin = tail[from..].iter().position(|byte| !is_between_words(*byte))? + from;
        let end = tail[begin..].iter().position(|byte| is_between_words(*byte))?;
        Some(begin + end)
    };
    after_word(0).and_then(after_word).unwrap_or(tail.len())
}

fn is_between_words(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b"\"'`,;:=&|<>(){}[]".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(head: &str, omitted: u64, tail: &str) -> String {
        let captured = Captured { head: head.into(), omitted, tail: tail.into() };
        String::from_utf8(Excerpt::of(captured).text).unwrap()
    }

    #[test]
    fn complete_output_is_unchanged() {
        assert_eq!(excerpt("a\nb", 0, ""), "a\nb");
    }

    #[test]
    fn long_output_is_cut_at_line_ends() {
        assert_eq!(excerpt("one\ntwo", 1_000, "ree\nfour\n"), "one\n[… 1,007 bytes omitted …]\nfour\n");
    }

    #[test]
    fn output_of_one_line_is_cut_between_words() {
        let captured =
            Captured {
                head: "one tö".as_bytes()[..6].to_vec(), omitted: 5, tail: b"\xb6 k=v last".to_vec()
            };
        let text = String::from_utf8(Excerpt::of(captured).text).unwrap();
        assert_eq!(text, "one \n[… 9 bytes omitted …]\n=v last");
    }

    #[test]
    fn cut_word_is_removed_completely() {
        let secret = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
        for at in 1..secret.len() {
            let head = format!("{{\"more\":\"x\",\"token\":\"{}", &secret[..at]);
            assert_eq!(excerpt(&head, 9, "").lines().next(), Some(r#"{"more":"x","token":""#));
            let tail = format!("{}\",\"last\":\"x\"}}", &secret[at..]);
            assert!(excerpt("", 9, &tail).ends_with("]\n\":\"x\"}"), "{at}");
        }
        assert!(excerpt("", 9, "en\": \"value of it\", \"last\": 1}").ends_with("]\n of it\", \"last\": 1}"));
    }

    #[test]
    fn end_of_a_key_is_removed_if_its_beginning_was_left_out() {
        let tail = "x\nMIIE\nAAAA\n-----END RSA PRIVATE KEY-----\ndone\n";
        assert_eq!(excerpt("a\n", 10, tail), "a\n[… 52 bytes omitted …]\ndone\n");
        let whole = "x\n-----BEGIN KEY-----\nAAAA\n-----END KEY-----\n";
        assert!(excerpt("a\n", 10, whole).ends_with(&whole[2..]));
    }
}

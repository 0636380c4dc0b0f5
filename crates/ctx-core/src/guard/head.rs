//! The certain beginning of a long text after cleaning, without reading the text to its end.

use super::hidden::hidden_characters;
use super::secrets;
use crate::entry::{Allowance, Allowed};

/// The first lines of `text`, at most `most` bytes; `None` if the first line is longer.
#[must_use]
pub fn head(text: &str, most: usize) -> Option<&str> {
    let end = memchr::memrchr(b'\n', &text.as_bytes()[..most.min(text.len())])? + 1;
    Some(&text[..end])
}

/// Whether [`super::clean`] leaves these [first lines](head) of a text unchanged, whatever follows.
///
/// Only private keys extend over a line end, and no secret begins before its anchor's line, except for a key
/// without its beginning and a value whose name is on the next line.
#[must_use]
pub fn is_untouched(head: &str, allowed: Allowed) -> bool {
    let (allows_hidden, allows_secrets) = (allowed.has(Allowance::Hidden), allowed.has(Allowance::Secrets));
    // Hidden characters may be inside a secret.
    (allows_hidden && allows_secrets || hidden_characters(head).next().is_none())
        && (allows_secrets || secrets::has_none(head))
}

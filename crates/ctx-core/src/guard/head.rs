//! What a long text certainly begins with once it is cleaned, known without reading it to its end.

use super::hidden::hidden_characters;
use super::secrets;
use crate::entry::{Allowance, Allowed};

/// Some first lines of `text`, at most `most` bytes; `None` if the first line is longer.
#[must_use]
pub fn head(text: &str, most: usize) -> Option<&str> {
    let end = memchr::memrchr(b'\n', &text.as_bytes()[..most.min(text.len())])? + 1;
    Some(&text[..end])
}

/// Whether [`super::clean`] leaves these [first lines](head) of a text as they are, whatever follows.
///
/// No secret but a private key reaches over a line end, and none begins before its anchor's line but a key without its
/// beginning and a value whose name is on the next line.
#[must_use]
pub fn is_untouched(head: &str, allowed: Allowed) -> bool {
    let (allows_hidden, allows_secrets) = (allowed.has(Allowance::Hidden), allowed.has(Allowance::Secrets));
    // Hidden characters may stand inside of a secret.
    (allows_hidden && allows_secrets || hidden_characters(head).next().is_none())
        && (allows_secrets || secrets::has_none(head))
}

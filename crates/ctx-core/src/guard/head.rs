//! What a long text certainly begins with once it is cleaned, known without reading it to its end.

use super::hidden::hidden_characters;
use super::{HiddenPolicy, Policies, SecretPolicy, secrets};

/// Some first lines of `text`, at most `most` bytes, with which [`super::clean`] gives back the text
/// under these policies, whatever follows; `None` if there is something in them or there is no line end.
///
/// No secret but a private key block reaches over a line end, and none begins before its anchor's line.
#[must_use]
pub fn untouched_head(text: &str, most: usize, policies: Policies) -> Option<&str> {
    let end = memchr::memrchr(b'\n', &text.as_bytes()[..most.min(text.len())])? + 1;
    let head = &text[..end];
    let is_clean = match policies.hidden {
        HiddenPolicy::Allow => true,
        HiddenPolicy::Show | HiddenPolicy::Fail => hidden_characters(head).next().is_none(),
    };
    let is_safe = match policies.secrets {
        SecretPolicy::Allow => true,
        SecretPolicy::Redact | SecretPolicy::Skip | SecretPolicy::Fail => {
            // Hidden characters may stand inside of a secret.
            hidden_characters(head).next().is_none()
                && secrets::anchors_of_blocks().all(|anchor| !head.contains(anchor))
                && secrets::redact(head).is_none()
        }
    };
    (is_clean && is_safe).then_some(head)
}

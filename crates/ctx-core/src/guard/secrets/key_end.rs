//! A private key without its beginning: lines of base 64, and `-----END … PRIVATE KEY-----`.

use super::boundary::{dashes_before, is_private, label};
use super::bytes::{Alphabet, Quality};
use super::private_key::{LINE, is_random};
use super::rules::{Secret, Site};

/// The end of a key whose beginning is missing, with the lines before it.
pub(super) fn tail(site: &Site<'_>) -> Option<Secret> {
    let label = label(site.after()).filter(|label| is_private(label))?;
    let before = site.before();
    let dashes = dashes_before(before);
    (dashes > 0).then_some(())?;
    let length = lines_before(&before[..before.len() - dashes])?;
    let start = site.start - dashes - length;
    Some(site.secret(start..site.end + label.len()))
}

/// The length of the base 64 lines at the end of `before`; the last one may be short.
pub(super) fn lines_before(before: &[u8]) -> Option<usize> {
    let mut start = before.len();
    let mut whole = 0;
    loop {
        let gap = gap_before(&before[..start]);
        let end = start - gap;
        let run = Alphabet::BASE64.run_back(&before[..end], end);
        let line = &before[end - run..end];
        let is_whole = run >= LINE && Quality::Mixed.accepts(line);
        let is_last = start == before.len() && run > 0;
        if gap == 0 || !is_whole && !is_last {
            break;
        }
        whole += usize::from(is_whole && is_random(line));
        start = end - run;
    }
    (whole > 0).then_some(before.len() - start)
}

/// The length of the text between two lines, at the end of `before`.
fn gap_before(before: &[u8]) -> usize {
    let mut start = before.len();
    loop {
        start -= match before[..start] {
            [.., b'\\', b'n' | b'r' | b't'] => 2,
            [
                ..,
                b'\r' | b'\n' | b'\t' | b' ' | b'\\' | b'"' | b'\'' | b',' | b'#' | b'*' | b'>' | b'|' | b';',
            ] => 1,
            [.., b'+'] if matches!(before.get(start), Some(b' ' | b'\r' | b'\n')) => 1,
            [.., b'%', b'0', b'A' | b'D' | b'a' | b'd'] => 3,
            // The `%` of `%0A`, whose digits look like base 64.
            [.., b'%'] => 1,
            [..] => return before.len() - start,
        };
    }
}

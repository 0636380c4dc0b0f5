//! A private key in a hunk of a diff that does not show the key's beginning.

use std::ops::Range;

use super::boundary::{BEGIN, END, is_private, label, opening_dashes};
use super::bytes::{Alphabet, Quality};
use super::private_key::{LINE, gap, is_header, is_random};
use super::rules::{Secret, Site};

/// How wide programs write the lines of a key: OpenSSL and GnuPG, and OpenSSH. Other base 64, such as an image in
/// an email, has other widths.
const WIDTHS: [usize; 2] = [64, 70];

/// The fewest lines that are a key, unless git repeats one of them next to `@@`.
const FEWEST: usize = 2;

/// The lines of a key at the start of a hunk, with the changes between them, up to the last line or the key's end.
///
/// The anchor is in the first line of the hunk, `@@ -10,7 +10,7 @@`. After the second `@@`, git repeats a line from
/// further up, which may be one of the key.
pub(super) fn lines(site: &Site<'_>) -> Option<Secret> {
    let text = site.after();
    let hunk = lines_of_hunk(site)?;
    let boundary = hunk.iter().position(|line| is_boundary(&text[line.clone()])).unwrap_or(hunk.len());
    let end = hunk.get(boundary).and_then(|line| Some((line.start, after(&text[line.clone()], END)?)));
    if end.is_some_and(|(_, (_, label))| !is_private(label)) {
        return None;
    }
    let base64: Vec<Range<usize>> = hunk[..boundary].iter().map(|line| base64(text, line)).collect();
    let heading = base64.first()?;
    let is_wide = |line: &Range<usize>| WIDTHS.contains(&line.len());
    let below = 1 + hunk.iter().skip(1).take_while(|line| is_header(&text[(*line).clone()])).count();
    let is_below = base64.get(below).is_some_and(is_wide);
    (is_below || is_wide(heading)).then_some(())?;
    // In the diff of a merge, git cuts the heading short.
    let first = if is_wide(heading) || heading.len() >= LINE { 0 } else { below };
    let whole = base64.iter().rposition(|line| line.len() >= LINE)?;
    let random = base64[first..=whole].iter().filter(|line| is_random(&text[(*line).clone()])).count();
    (random >= FEWEST || is_wide(heading) && random > 0).then_some(())?;
    // The last line of a key is shorter.
    let is_short = |line: &&Range<usize>| Quality::Mixed.accepts(&text[(*line).clone()]);
    let last = whole + base64[whole + 1..].iter().take_while(is_short).count();
    let to = match end {
        Some((start, (length, label))) if !base64[boundary - 1].is_empty() => start + length + label.len(),
        Some(_) | None => base64[last].end,
    };
    Some(site.behind_anchor(base64[first].start, to - base64[first].start))
}

/// The lines of a hunk, without the signs that say what changed. The first one is the text after the second `@@`.
fn lines_of_hunk(site: &Site<'_>) -> Option<Vec<Range<usize>>> {
    /// In the diff of a merge, there is one more `@` for each further parent, and one more sign before each line.
    const MOST_PARENTS: usize = 64;
    const AT_SIGN: Alphabet = Alphabet::of(b"@");
    let more = AT_SIGN.run_back(site.before(), MOST_PARENTS);
    let before = &site.before()[..site.before().len() - more];
    (before.is_empty() || before.ends_with(b"\n")).then_some(())?;
    let text = site.after();
    let second = memchr::memchr2(b'@', b'\n', text).filter(|at| text[*at] == b'@')?;
    let mut start = second + AT_SIGN.run(&text[second..], MOST_PARENTS);
    let mut lines = Vec::new();
    for line in text[start..].split_inclusive(|byte| *byte == b'\n') {
        let is_in_hunk = lines.is_empty() || matches!(line[0], b' ' | b'+' | b'-' | b'\\' | b'\r' | b'\n');
        if !is_in_hunk {
            break;
        }
        let signs = if lines.is_empty() { 0 } else { line.len().min(1 + more) };
        lines.push(start + signs..start + line.len());
        start += line.len();
    }
    Some(lines)
}

/// The base 64 in a line that contains nothing else, except for quotes, escapes and indentation; otherwise empty.
fn base64(text: &[u8], line: &Range<usize>) -> Range<usize> {
    let start = line.start + gap(&text[line.clone()]);
    let end = start + Alphabet::BASE64.run(&text[start..line.end], line.end - start);
    if end + gap(&text[end..line.end]) == line.end { start..end } else { start..start }
}

fn is_boundary(line: &[u8]) -> bool {
    after(line, BEGIN).or_else(|| after(line, END)).is_some()
}

/// What a line contains after the `BEGIN` or `END` of a block: where that is, and the label.
fn after<'t>(line: &'t [u8], word: &[u8]) -> Option<(usize, &'t [u8])> {
    let at = memchr::memmem::find(line, word).filter(|at| opening_dashes(&line[..*at]) > 0)? + word.len();
    Some((at, label(&line[at..])?))
}

//! Long texts without their middle.

use std::borrow::Cow;

use crate::models::Counter;

use crate::words::omitted;

/// A text of at most `limit` tokens: as it is, or its beginning and its end with a line between them that
/// says how much is missing.
#[must_use]
pub fn head_and_tail<'t>(text: &'t str, limit: u64, counter: &Counter) -> Cow<'t, str> {
    let most = counter.unscaled(limit);
    if counter.tokenizer.at_most(text, most).is_some() {
        return Cow::Borrowed(text);
    }
    // The line between, generously.
    let room = limit.saturating_sub(24);
    let mut half = room / 2;
    loop {
        let head = beginning(text, half, counter);
        let tail = end(&text[head..], half, counter);
        let missing = &text[head..text.len() - tail];
        let shortened =
            format!("{}{}{}", &text[..head], omission(text, head, missing), &text[text.len() - tail..]);
        if half == 0 || counter.tokens(&shortened) <= limit {
            return Cow::Owned(shortened);
        }
        // Rounding and the tokens across the seams: rarely more than once.
        half -= half.div_ceil(50);
    }
}

fn omission(text: &str, head: usize, missing: &str) -> String {
    let lines = missing.matches('\n').count();
    let before = if head == 0 || text[..head].ends_with('\n') { "" } else { "\n" };
    let line = match lines {
        0 => omitted(missing.chars().count() as u64, "character"),
        lines => omitted(lines as u64, "line"),
    };
    format!("{before}{line}\n")
}

/// The length of a beginning of at most so many tokens; it ends with a line where that costs little.
fn beginning(text: &str, tokens: u64, counter: &Counter) -> usize {
    let most = counter.tokenizer.prefix_within(text, counter.unscaled(tokens));
    match text[..most].rfind('\n') {
        Some(at) if at + 1 >= most / 2 => at + 1,
        Some(_) | None => most,
    }
}

/// The length of an end of at most so many tokens; it begins with a line where that costs little.
fn end(text: &str, tokens: u64, counter: &Counter) -> usize {
    let fits = |length: usize| counter.tokens(&text[text.len() - length..]) <= tokens;
    let at_boundary = |length: usize| {
        let mut start = text.len() - length;
        while !text.is_char_boundary(start) {
            start += 1;
        }
        text.len() - start
    };
    let most_bytes = usize::try_from(tokens.saturating_mul(128)).unwrap_or(usize::MAX);
    let (mut most, mut too_many) = (0, text.len().min(most_bytes) + 1);
    while too_many - most > 1 {
        let middle = most + (too_many - most) / 2;
        let length = at_boundary(middle.min(text.len()));
        if fits(length) {
            most = middle;
        } else {
            too_many = middle;
        }
    }
    let most = at_boundary(most);
    let start = text.len() - most;
    match text[start..].find('\n') {
        Some(at) if at < most / 2 => most - at - 1,
        Some(_) | None => most,
    }
}

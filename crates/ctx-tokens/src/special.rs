//! Tokens that stand for no text: where a document ends, and the like, as tiktoken's `openai_public.py` has them.

/// A token that stands for no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Special {
    /// How it is written out.
    pub(super) text: &'static str,
    /// The number that a model is given.
    pub(super) number: u32,
}

const fn special(text: &'static str, number: u32) -> Special {
    Special { text, number }
}

/// Those of `o200k_base`.
#[cfg(feature = "o200k")]
pub(super) const O200K: &[Special] =
    &[special("<|endoftext|>", 199_999), special("<|endofprompt|>", 200_018)];

/// Those of `cl100k_base`.
#[cfg(feature = "cl100k")]
pub(super) const CL100K: &[Special] = &[
    special("<|endoftext|>", 100_257),
    special("<|fim_prefix|>", 100_258),
    special("<|fim_middle|>", 100_259),
    special("<|fim_suffix|>", 100_260),
    special("<|endofprompt|>", 100_276),
];

/// The token of a number.
pub(super) fn of_number(all: &[Special], number: u32) -> Option<Special> {
    all.iter().copied().find(|special| special.number == number)
}

/// The first special token that is written out in a text, and the text before it.
pub(super) fn next<'t>(all: &[Special], text: &'t str) -> Option<(&'t str, Special)> {
    let starts = memchr::memmem::find_iter(text.as_bytes(), b"<|");
    let at = |at: usize| {
        let found = all.iter().copied().find(|special| text[at..].starts_with(special.text))?;
        Some((&text[..at], found))
    };
    starts.into_iter().find_map(at)
}

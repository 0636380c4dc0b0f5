//! Compares the speed of counting and encoding with the crates `bpe-openai` and `tiktoken-rs`, in one thread:
//! `cargo bench -p ctx-tokens [-- FILTER]`.
//!
//! The corpus consists of the sources in the cargo registry, up to 30 MB, or of those below `$CORPUS`,
//! followed by 1 MiB each of several kinds of text that is hard to merge.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use ctx_tokens::Tokenizer;
use divan::counter::BytesCount;
use divan::{Bencher, black_box};

const CORPUS: usize = 30_000_000;
const HARD: usize = 1 << 20;

static SOURCES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let directory = std::env::var_os("CORPUS").map_or_else(registry_sources, PathBuf::from);
    corpus(&directory)
});
static TEXTS: LazyLock<Vec<(&'static str, String)>> = LazyLock::new(hard);

fn main() {
    divan::main();
}

/// Measures `work` on all sources.
fn sources(bencher: Bencher, work: impl Fn(&str) -> usize + Sync) {
    let bytes: usize = SOURCES.iter().map(String::len).sum();
    bencher
        .counter(BytesCount::new(bytes))
        .bench(|| SOURCES.iter().map(|text| work(black_box(text))).sum::<usize>());
}

#[divan::bench_group(min_time = 2, max_time = 10, sample_size = 1)]
mod o200k {
    use super::{Bencher, Tokenizer, sources};

    #[divan::bench]
    fn count(bencher: Bencher) {
        sources(bencher, |text| Tokenizer::O200k.count(text) as usize);
    }

    #[divan::bench]
    fn count_bpe_openai(bencher: Bencher) {
        let peer = bpe_openai::o200k_base();
        sources(bencher, |text| peer.count(text));
    }

    #[divan::bench]
    fn encode(bencher: Bencher) {
        sources(bencher, |text| Tokenizer::O200k.encode(text).len());
    }

    #[divan::bench]
    fn encode_bpe_openai(bencher: Bencher) {
        let peer = bpe_openai::o200k_base();
        sources(bencher, |text| peer.encode(text).len());
    }

    #[divan::bench]
    fn encode_tiktoken_rs(bencher: Bencher) {
        let peer = tiktoken_rs::o200k_base_singleton();
        sources(bencher, |text| peer.encode_ordinary(text).len());
    }

    #[divan::bench]
    fn split(bencher: Bencher) {
        sources(bencher, |text| Tokenizer::O200k.count_pieces(text) as usize);
    }
}

#[divan::bench_group(min_time = 2, max_time = 10, sample_size = 1)]
mod cl100k {
    use super::{Bencher, Tokenizer, sources};

    #[divan::bench]
    fn count(bencher: Bencher) {
        sources(bencher, |text| Tokenizer::Cl100k.count(text) as usize);
    }

    #[divan::bench]
    fn count_bpe_openai(bencher: Bencher) {
        let peer = bpe_openai::cl100k_base();
        sources(bencher, |text| peer.count(text));
    }

    #[divan::bench]
    fn encode(bencher: Bencher) {
        sources(bencher, |text| Tokenizer::Cl100k.encode(text).len());
    }

    #[divan::bench]
    fn encode_bpe_openai(bencher: Bencher) {
        let peer = bpe_openai::cl100k_base();
        sources(bencher, |text| peer.encode(text).len());
    }

    #[divan::bench]
    fn encode_tiktoken_rs(bencher: Bencher) {
        let peer = tiktoken_rs::cl100k_base_singleton();
        sources(bencher, |text| peer.encode_ordinary(text).len());
    }
}

/// Counts the tokens of the hard text with this name.
#[divan::bench(args = TEXTS.iter().map(|(name, _)| *name), max_time = 1)]
fn hard_count(bencher: Bencher, name: &str) {
    let Some((_, text)) = TEXTS.iter().find(|(known, _)| *known == name) else { return };
    bencher.counter(BytesCount::new(text.len())).bench(|| Tokenizer::O200k.count(black_box(text)));
}

fn registry_sources() -> PathBuf {
    let home = dirs::home_dir().unwrap_or_default();
    std::env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from).join("registry/src")
}

fn corpus(directory: &Path) -> Vec<String> {
    let files = ignore::WalkBuilder::new(directory).sort_by_file_path(Path::cmp).build();
    let mut rest = CORPUS;
    let texts = files.filter_map(|entry| std::fs::read_to_string(entry.ok()?.path()).ok());
    // Vocabularies and similar files would outweigh the sources.
    let sources = texts.filter(|text| text.len() < 500_000).step_by(3);
    sources.take_while(|text| rest.checked_sub(text.len()).map(|left| rest = left).is_some()).collect()
}

/// Strings of 1 MiB, by name, in which few pieces are tokens.
fn hard() -> Vec<(&'static str, String)> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: u32| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 32) as u32) % below
    };
    let mut of = |alphabet: &str| {
        let alphabet: Vec<char> = alphabet.chars().collect();
        let mut text = String::new();
        while text.len() < HARD {
            text.push(alphabet[random(alphabet.len() as u32) as usize]);
        }
        text
    };
    let range = |from: char, to: char| (from..=to).collect::<String>();
    let letters = range('a', 'z');
    let base64 = format!("{letters}{}0123456789+/", range('A', 'Z'));
    let mut texts: Vec<(&'static str, String)> = [
        ("letters a", "a"),
        ("spaces", " "),
        ("newlines", "\n"),
        ("CRLF", "\r\n"),
        ("equals signs", "="),
        ("é", "é"),
        ("one ideograph", "中"),
        ("one emoji", "😀"),
        ("ab", "ab"),
        ("a b", "a "),
        ("tab and newline", "\t\n"),
        ("space and newline", " \n"),
        ("don't", "don't "),
    ]
    .map(|(name, unit)| (name, unit.repeat(HARD / unit.len())))
    .into();
    texts.extend([
        ("random letters", of(&letters)),
        ("random a and b", of("ab")),
        ("random large and small letters", of(&format!("{letters}{}", range('A', 'Z')))),
        ("random base64", of(&base64)),
        ("random hexadecimal", of("0123456789abcdef")),
        ("random digits", of("0123456789")),
        ("random ideographs", of(&range('一', '龥'))),
        ("random kana", of(&range('ぁ', 'ん'))),
        ("random Hangul", of(&range('가', '힣'))),
        ("random Cyrillic", of(&range('а', 'я'))),
        ("random Arabic", of(&range('ا', 'ي'))),
        ("random emoji", of(&range('😀', '🙏'))),
        ("random marks", of(&range('\u{300}', '\u{36f}'))),
        ("random white space", of(" \t\n\r\u{a0}\u{3000}")),
        ("random spaces and tabs", of(" \t")),
        ("random punctuation", of("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")),
        ("random ASCII", of(&range(' ', '~'))),
        ("random characters", of(&range('\u{80}', '\u{ffff}'))),
    ]);
    texts
}

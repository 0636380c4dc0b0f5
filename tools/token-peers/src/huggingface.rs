//! `o200k_base` for the crate `tokenizers`, which wants merges where OpenAI publishes ranks.

use std::collections::HashMap;

use ahash::AHashMap;
use ctx_tokens::Tokenizer as Ours;
use tokenizers::models::bpe::BPE;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::{PreTokenizerWrapper, SplitDelimiterBehavior, Tokenizer};

/// The pattern of `o200k_base`, as in tiktoken.
const PATTERN: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
);
const RANKS: u32 = 199_998;

pub fn o200k() -> Tokenizer {
    let tokens: Vec<Vec<u8>> = (0..RANKS).map(|rank| Ours::O200k.decode(&[rank]).unwrap()).collect();
    let ranks: HashMap<&[u8], u32> = tokens.iter().zip(0..).map(|(token, rank)| (token.as_slice(), rank)).collect();
    let vocabulary: AHashMap<String, u32> = tokens.iter().zip(0..).map(|(token, rank)| (written(token), rank)).collect();
    let merges = tokens.iter().flat_map(|token| merges(token, &ranks)).collect();
    let model = BPE::builder().vocab_and_merges(vocabulary, merges).ignore_merges(true).build();
    let mut tokenizer = Tokenizer::new(model.unwrap());
    let split = Split::new(SplitPattern::Regex(PATTERN.into()), SplitDelimiterBehavior::Isolated, false).unwrap();
    tokenizer.with_pre_tokenizer(Some(PreTokenizerWrapper::Sequence(Sequence::new(vec![
        PreTokenizerWrapper::Split(split),
        PreTokenizerWrapper::ByteLevel(ByteLevel::new(false, true, false)),
    ]))));
    tokenizer
}

/// The pairs of tokens that merge into this one, those with the lowest ranks first.
fn merges(token: &[u8], ranks: &HashMap<&[u8], u32>) -> Vec<(String, String)> {
    let mut pairs: Vec<(u32, u32, usize)> = (1..token.len())
        .filter_map(|at| Some((*ranks.get(&token[..at])?, *ranks.get(&token[at..])?, at)))
        .collect();
    pairs.sort_unstable();
    pairs.iter().map(|&(_, _, at)| (written(&token[..at]), written(&token[at..]))).collect()
}

/// The bytes as GPT-2 writes them: printable ones as themselves, and the others as the characters from U+0100
/// onwards, in order.
fn written(bytes: &[u8]) -> String {
    let prints = |byte: &u8| matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
    let others: Vec<u8> = (0..=255).filter(|byte| !prints(byte)).collect();
    let character = |byte: &u8| match others.iter().position(|other| other == byte) {
        Some(at) => char::from_u32(0x100 + at as u32).unwrap(),
        None => char::from(*byte),
    };
    bytes.iter().map(character).collect()
}

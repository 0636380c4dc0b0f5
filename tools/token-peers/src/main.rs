//! Counts and encodes sources with ctx-tokens and with each of its peers in turn, and prints a line for each:
//! name, version, MB/s of counting, MB/s of encoding, share of the sources with the same tokens.
//!
//!     token-peers DIRECTORY    # writes the corpus there as 0.txt, 1.txt, … and their tokens as tokens.bin

mod huggingface;

use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{env, fs};

use ctx_tokens::Tokenizer;

const CORPUS: usize = 30_000_000;
const ROUNDS: usize = 5;

type Encode = Box<dyn Fn(&str) -> Vec<u32>>;
type Count = Box<dyn Fn(&str) -> usize>;

struct Peer {
    name: &'static str,
    encode: Encode,
    /// `None` if the peer cannot count without making a list of the tokens.
    count: Option<Count>,
}

fn main() {
    let directory = PathBuf::from(env::args_os().nth(1).expect("the directory to write the corpus to"));
    let corpus = corpus(&registry_sources());
    let peers = peers();
    let (mut counting, mut encoding) = (vec![Vec::new(); peers.len()], vec![Vec::new(); peers.len()]);
    for _ in 0..ROUNDS {
        for (at, peer) in peers.iter().enumerate() {
            encoding[at].push(speed(&corpus, |text| (peer.encode)(text).len()));
            if let Some(count) = &peer.count {
                counting[at].push(speed(&corpus, count));
            }
        }
    }
    let expected: Vec<Vec<u32>> = corpus.iter().map(|text| Tokenizer::O200k.encode(text)).collect();
    for (at, peer) in peers.iter().enumerate() {
        let same = corpus.iter().zip(&expected).filter(|(text, tokens)| (peer.encode)(text) == **tokens).count();
        let share = 100.0 * same as f64 / corpus.len() as f64;
        let count = peer.count.is_some().then(|| format!("{:.0}", median(&mut counting[at])));
        println!("{}\t{}\t{:.0}\t{share:.2}", peer.name, count.as_deref().unwrap_or("-"), median(&mut encoding[at]));
    }
    write(&directory, &corpus, &expected);
}

fn peers() -> Vec<Peer> {
    let bpe = bpe_openai::o200k_base();
    let tiktoken = tiktoken_rs::o200k_base_singleton();
    let huggingface = huggingface::o200k();
    vec![
        Peer {
            name: "ctx-tokens",
            encode: Box::new(|text| Tokenizer::O200k.encode(text)),
            count: Some(Box::new(|text| Tokenizer::O200k.count(text) as usize)),
        },
        Peer {
            name: "bpe-openai",
            encode: Box::new(move |text| bpe.encode(text)),
            count: Some(Box::new(move |text| bpe.count(text))),
        },
        Peer { name: "tiktoken-rs", encode: Box::new(move |text| tiktoken.encode_ordinary(text)), count: None },
        Peer {
            name: "tokenizers",
            encode: Box::new(move |text| huggingface.encode_fast(text, false).unwrap().get_ids().to_vec()),
            count: None,
        },
    ]
}

/// Megabytes that `work` reads in a second.
fn speed(corpus: &[String], work: impl Fn(&str) -> usize) -> f64 {
    let start = Instant::now();
    let tokens: usize = corpus.iter().map(|text| work(text)).sum();
    let seconds = start.elapsed().as_secs_f64();
    assert!(tokens > 0);
    corpus.iter().map(String::len).sum::<usize>() as f64 / 1e6 / seconds
}

fn median(figures: &mut [f64]) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn registry_sources() -> PathBuf {
    let home = dirs::home_dir().unwrap_or_default();
    env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from).join("registry/src")
}

/// Every third source up to 30 MB, without the vocabularies among them.
fn corpus(directory: &Path) -> Vec<String> {
    let files = ignore::WalkBuilder::new(directory).sort_by_file_path(Path::cmp).build();
    let mut rest = CORPUS;
    let texts = files.filter_map(|entry| fs::read_to_string(entry.ok()?.path()).ok());
    let sources = texts.filter(|text| !text.is_empty() && text.len() < 500_000).step_by(3);
    sources.take_while(|text| rest.checked_sub(text.len()).map(|left| rest = left).is_some()).collect()
}

/// Writes what a peer that isn't a Rust crate needs: each source, and in `tokens.bin` the number of its
/// tokens followed by the tokens, as little-endian numbers.
fn write(directory: &Path, corpus: &[String], tokens: &[Vec<u32>]) {
    let mut numbers = Vec::new();
    for (at, (text, tokens)) in corpus.iter().zip(tokens).enumerate() {
        fs::write(directory.join(format!("{at}.txt")), text).unwrap();
        numbers.extend((tokens.len() as u32).to_le_bytes());
        numbers.extend(tokens.iter().flat_map(|token| token.to_le_bytes()));
    }
    fs::write(directory.join("tokens.bin"), numbers).unwrap();
}

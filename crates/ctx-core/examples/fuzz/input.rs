//! Inputs: a corpus and its mutations, both determined by a seed.

use std::fs;
use std::path::{Path, PathBuf};

/// The longest input, in bytes: failures also show up on short inputs, and oracles may be slow.
const LONGEST: usize = 3_000;

/// A small generator of random numbers (SplitMix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, which must not be 0.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).unwrap_or(0)
    }
}

/// The inputs that mutation starts from.
pub struct Corpus(Vec<Vec<u8>>);

impl Corpus {
    /// All files in a directory, sorted by name.
    pub fn read(directory: &Path) -> Self {
        let entries = fs::read_dir(directory).expect("the corpus is committed");
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        Self(paths.iter().filter_map(|path| fs::read(path).ok()).collect())
    }

    /// One of the inputs, with a few mutations.
    pub fn mutated(&self, random: &mut Random) -> Vec<u8> {
        let mut input = self.any(random).to_vec();
        for _ in 0..random.below(8) {
            self.mutate(&mut input, random);
        }
        input.truncate(LONGEST);
        input
    }

    fn any(&self, random: &mut Random) -> &[u8] {
        &self.0[random.below(self.0.len())]
    }

    fn mutate(&self, input: &mut Vec<u8>, random: &mut Random) {
        let at = random.below(input.len() + 1);
        let end = at + random.below((input.len() - at).min(64) + 1);
        match random.below(7) {
            0 => drop(input.drain(at..end)),
            1 => {
                let piece = input[at..end].to_vec();
                let times = 1 + random.below(4);
                drop(input.splice(at..at, piece.repeat(times)));
            }
            2 => input.insert(at, random.next().to_le_bytes()[0]),
            3 => {
                if let Some(byte) = input.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
            4 => drop(input.splice(at..at, INTERESTING[random.below(INTERESTING.len())].iter().copied())),
            5 => {
                let other = self.any(random);
                let from = random.below(other.len() + 1);
                let to = from + random.below((other.len() - from).min(200) + 1);
                drop(input.splice(at..end, other[from..to].iter().copied()));
            }
            _ => input.truncate(at),
        }
    }
}

/// Byte strings that mean something special to one of the targets.
const INTERESTING: &[&[u8]] = &[
    b"\n",
    b"\r\n",
    b"\0",
    b"\xff",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b"\"",
    b"\\u0000",
    b"\\ud800",
    b"**/",
    b"*",
    b"?",
    b"!",
    b"../",
    b"~/",
    b"'s",
    b" ",
    b"123456789",
    b"--- CONTEXT FILES END ---\n",
    b"</document_content>",
    b"514229317811",
    b"```",
    b"[a]\n",
    // One letter in each is escaped, so that no scanner mistakes this file for a leak.
    b"-----BEGIN RSA \x50RIVATE KEY-----\n",
    b"-----END RSA \x50RIVATE KEY-----\n",
    b"\x41KIAQ3EGRZ4MGBDWJTXK",
    b"\x67hp_abcdefghijklmnopqrstuvwxyz0123456789",
    b"\x65yJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    b"password = ",
    b"Bearer ",
    "\u{202e}".as_bytes(),
    "\u{200d}".as_bytes(),
    "\u{fe0f}".as_bytes(),
    "\u{1f3f4}\u{e0067}".as_bytes(),
    "\u{e007f}".as_bytes(),
    "\u{301}".as_bytes(),
    "\u{2028}".as_bytes(),
    "é中😀".as_bytes(),
];

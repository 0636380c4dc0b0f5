//! Builds the embedded tables: the vocabularies as perfect hash tables, and the character classes.

#[path = "../../src/layout.rs"]
mod layout;

use std::collections::HashMap;

use layout::{
    ByteRow, FILTER_BYTES, HEADER_BYTES, Header, MIDDLE_MAX, NO_RANK, SHORT_MAX, Shape, add_to_filter,
    long_hash, middle_hash, middle_key, pair_key, pair_slot, short_hash, short_key,
};
use regex_syntax::hir::{Class, HirKind};

/// One file of `src/tables`.
pub struct Table {
    /// Its file name.
    pub name: &'static str,
    /// Its expected contents.
    pub bytes: Vec<u8>,
}

/// All files of `src/tables`.
pub fn all() -> Vec<Table> {
    let [o200k, o200k_ranks] =
        vocabulary(["o200k.bin", "o200k-ranks.bin"], &tokens(bpe_openai::o200k_base()));
    let [cl100k, cl100k_ranks] =
        vocabulary(["cl100k.bin", "cl100k-ranks.bin"], &tokens(bpe_openai::cl100k_base()));
    vec![Table { name: "classes.bin", bytes: classes() }, o200k, o200k_ranks, cl100k, cl100k_ranks]
}

/// The tokens of a vocabulary in the order of their ranks.
fn tokens(tokenizer: &bpe_openai::Tokenizer) -> Vec<Vec<u8>> {
    let count = u32::try_from(tokenizer.bpe.num_tokens()).expect("a vocabulary fits 32 bits");
    (0..count).map(|rank| tokenizer.bpe.token_bytes(rank).to_vec()).collect()
}

/// The tables of a vocabulary, and the ranks of the tokens in their slots.
fn vocabulary(names: [&'static str; 2], tokens: &[Vec<u8>]) -> [Table; 2] {
    let ranks: HashMap<&[u8], usize> =
        tokens.iter().enumerate().map(|(rank, token)| (token.as_slice(), rank)).collect();
    let pairs: Vec<Option<u64>> = tokens.iter().map(|token| last_pair(token, &ranks)).collect();
    let pair = |rank: usize| pairs[rank].expect("only tokens with a pair are placed");
    let key = |rank: usize| short_key(padded(&tokens[rank]) as u64, tokens[rank].len());
    let wide = |rank: usize| middle_key(padded(&tokens[rank]), tokens[rank].len());

    let short = of_length(tokens, 1, SHORT_MAX);
    let short = Placed::new(&short, |rank| short_hash(key(rank)));
    let middle = of_length(tokens, SHORT_MAX + 1, MIDDLE_MAX);
    let middle = Placed::new(&middle, |rank| middle_hash(wide(rank)));
    let long = of_length(tokens, MIDDLE_MAX + 1, usize::MAX);
    let long = Placed::new(&long, |rank| long_hash(&tokens[rank]));
    let merged: Vec<usize> =
        of_length(tokens, 3, usize::MAX).into_iter().filter(|&rank| pairs[rank].is_some()).collect();
    let merged = Placed::new(&merged, |rank| short_hash(pair(rank)));
    let (byte_rows, byte_pairs) = byte_rows(&ranks);
    let text: Vec<u8> = long.ranks().flat_map(|rank| tokens[rank].iter().copied()).collect();

    let mut file = header_bytes(Header {
        short: short.shape,
        middle: middle.shape,
        long: long.shape,
        pairs: merged.shape,
        byte_pairs: size(byte_pairs.len()),
        text: size(text.len()),
        longest: size(tokens.iter().map(Vec::len).max().unwrap_or(0)),
    });
    file.extend((0..=u8::MAX).flat_map(|byte| rank_bytes(&ranks, &[byte])));
    file.extend(byte_rows.iter().flat_map(|row| row.written()));
    file.extend(byte_pairs.iter().flatten());
    for table in [&short, &middle, &long, &merged] {
        file.extend(table.pilots.iter().flat_map(|pilot| pilot.to_le_bytes()));
    }
    file.extend(short.slots.iter().flat_map(|slot| slot.map_or(0, key).to_le_bytes()));
    file.extend(middle.slots.iter().flat_map(|slot| slot.map_or(0, wide).to_le_bytes()));
    let mut offset = 0;
    for slot in &long.slots {
        let len = slot.map_or(0, |rank| tokens[rank].len());
        file.extend(size(offset).to_le_bytes());
        file.push(u8::try_from(len).expect("no token is longer than 255 bytes"));
        offset += len;
    }
    file.extend(merged.slots.iter().flat_map(|slot| pair_slot(slot.map(pair), size(slot.unwrap_or(0)))));
    let mut filter = [0; FILTER_BYTES];
    for rank in merged.ranks() {
        add_to_filter(&mut filter, short_hash(pair(rank)));
    }
    file.extend(filter);
    file.extend(text);
    let slots = [&short, &middle, &long].into_iter().flat_map(|table| &table.slots);
    let rank = |slot: &Option<usize>| size(slot.unwrap_or(NO_RANK as usize)).to_le_bytes();
    let column = slots.flat_map(|slot| rank(slot).into_iter().take(3)).collect();
    [Table { name: names[0], bytes: file }, Table { name: names[1], bytes: column }]
}

/// A token's rank as the file has it.
fn rank_bytes(ranks: &HashMap<&[u8], usize>, token: &[u8]) -> [u8; 3] {
    let [a, b, c, _] = ranks.get(token).map_or(NO_RANK, |&rank| size(rank)).to_le_bytes();
    [a, b, c]
}

/// The row of each byte, and the ranks in all rows.
fn byte_rows(ranks: &HashMap<&[u8], usize>) -> (Vec<ByteRow>, Vec<[u8; 3]>) {
    let mut pairs = Vec::new();
    let rows = (0..=u8::MAX).map(|byte| {
        let start = u16::try_from(pairs.len()).expect("the rows have few ranks");
        let mut following = (0..=u8::MAX).filter(|&next| ranks.contains_key([byte, next].as_slice()));
        let first = following.next();
        let last = following.next_back().or(first);
        let (first, last) = first.zip(last).unwrap_or((1, 0));
        pairs.extend((first..=last).map(|next| rank_bytes(ranks, &[byte, next])));
        ByteRow { start, first, last }
    });
    (rows.collect(), pairs)
}

/// The key of the last two parts that merge when the token's bytes are merged. `None` for a single byte, and
/// for a token that merging its bytes does not produce.
fn last_pair(token: &[u8], ranks: &HashMap<&[u8], usize>) -> Option<u64> {
    let mut ends: Vec<usize> = (0..=token.len()).collect();
    loop {
        if let &[start, middle, end] = ends.as_slice() {
            let rank = |from: usize, to: usize| size(ranks[&token[from..to]]);
            return Some(pair_key(rank(start, middle), rank(middle, end)));
        }
        let pairs = ends.windows(3).zip(1..);
        let known = pairs.filter_map(|(pair, at)| Some((ranks.get(&token[pair[0]..pair[2]])?, at)));
        let (_, at) = known.min()?;
        ends.remove(at);
    }
}

fn of_length(tokens: &[Vec<u8>], least: usize, most: usize) -> Vec<usize> {
    (0..tokens.len()).filter(|&rank| (least..=most).contains(&tokens[rank].len())).collect()
}

fn padded(token: &[u8]) -> u128 {
    let mut bytes = [0; 16];
    bytes[..token.len()].copy_from_slice(token);
    u128::from_le_bytes(bytes)
}

fn size(count: usize) -> u32 {
    u32::try_from(count).expect("a table fits 32 bits")
}

fn header_bytes(header: Header) -> Vec<u8> {
    let Header { short, middle, long, pairs, byte_pairs, text, longest } = header;
    let tables = [short, middle, long, pairs];
    let shapes = tables.iter().flat_map(|shape| [shape.buckets, shape.slots]);
    let bytes: Vec<u8> = shapes.chain([byte_pairs, text, longest]).flat_map(u32::to_le_bytes).collect();
    assert_eq!(bytes.len(), HEADER_BYTES);
    bytes
}

/// A perfect hash table: the slot of each token, and the pilots that lead there.
struct Placed {
    shape: Shape,
    pilots: Vec<u16>,
    slots: Vec<Option<usize>>,
}

impl Placed {
    /// Places the largest buckets first, each with the smallest pilot that leads all its tokens to free slots.
    fn new(ranks: &[usize], hash: impl Fn(usize) -> u64) -> Self {
        let shape = Shape { buckets: size(ranks.len() / 5 + 1), slots: size(ranks.len() * 101 / 100 + 1) };
        let mut buckets = vec![Vec::new(); shape.buckets as usize];
        for &rank in ranks {
            buckets[shape.bucket(hash(rank))].push(rank);
        }
        let mut order: Vec<usize> = (0..buckets.len()).collect();
        order.sort_by_key(|&bucket| std::cmp::Reverse(buckets[bucket].len()));
        let mut pilots = vec![0; buckets.len()];
        let mut slots = vec![None; shape.slots as usize];
        for bucket in order {
            let ranks = &buckets[bucket];
            let pilot = (0..=u16::MAX)
                .find(|&pilot| {
                    let mut wanted: Vec<usize> =
                        ranks.iter().map(|&rank| shape.slot(hash(rank), pilot)).collect();
                    wanted.sort_unstable();
                    wanted.windows(2).all(|pair| pair[0] != pair[1])
                        && wanted.iter().all(|&slot| slots[slot].is_none())
                })
                .expect("some pilot places every bucket");
            pilots[bucket] = pilot;
            for &rank in ranks {
                slots[shape.slot(hash(rank), pilot)] = Some(rank);
            }
        }
        Self { shape, pilots, slots }
    }

    fn ranks(&self) -> impl Iterator<Item = usize> {
        self.slots.iter().flatten().copied()
    }
}

/// The class of every character in two stages: the number of a block for each 128 code points, then the
/// distinct blocks, with one byte for each code point.
fn classes() -> Vec<u8> {
    const BLOCK: usize = 128;
    const PATTERNS: [&str; 7] =
        [r"[\p{Lu}\p{Lt}]", r"\p{Ll}", r"[\p{Lm}\p{Lo}]", r"\p{M}", r"\p{N}", r"[\s--\r\n]", r"[\r\n]"];
    let mut classes = vec![0_u8; 0x11_0000];
    for (class, pattern) in (1..).zip(PATTERNS) {
        let parsed = regex_syntax::parse(pattern).expect("the patterns above are valid");
        let HirKind::Class(Class::Unicode(ranges)) = parsed.kind() else {
            panic!("the patterns above are classes of characters");
        };
        for range in ranges.ranges() {
            for place in &mut classes[range.start() as usize..=range.end() as usize] {
                assert_eq!(*place, 0, "the classes do not overlap");
                *place = class;
            }
        }
    }
    let mut blocks: Vec<&[u8]> = Vec::new();
    let mut numbers = Vec::new();
    for block in classes.chunks(BLOCK) {
        let known = blocks.iter().position(|&known| known == block);
        let number = known.unwrap_or_else(|| {
            blocks.push(block);
            blocks.len() - 1
        });
        numbers.push(u8::try_from(number).expect("at most 256 blocks differ"));
    }
    numbers.extend(blocks.concat());
    numbers
}

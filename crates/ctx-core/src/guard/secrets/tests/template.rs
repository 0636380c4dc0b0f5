//! Secrets put together from the table's examples when the test runs, so that the source contains none.

use super::super::table::rows;
use super::{SecretKind, random};

/// Text with a secret in it.
#[derive(Debug, Clone)]
pub(super) struct Example {
    pub(super) kind: SecretKind,
    pub(super) before: String,
    pub(super) secret: String,
    pub(super) after: String,
}

impl Example {
    pub(super) fn text(&self) -> String {
        [&*self.before, &self.secret, &self.after].concat()
    }

    /// Whether the secret is recognised on its own.
    pub(super) fn stands_alone(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }
}

/// Every example of the table.
pub(super) fn examples() -> Vec<Example> {
    let templates = rows().flat_map(|row| row.examples.iter().map(|template| (row.kind, *template)));
    templates.enumerate().map(|(seed, (kind, template))| example_of(kind, template, seed)).collect()
}

/// An example made from a template and a seed.
pub(super) fn example_of(kind: SecretKind, template: &str, seed: usize) -> Example {
    let text = expand(template, seed);
    match text.split_once('«').and_then(|(before, rest)| Some((before, rest.split_once('»')?))) {
        Some((before, (secret, after))) => {
            Example { kind, before: before.into(), secret: secret.into(), after: after.into() }
        }
        None => Example { kind, before: String::new(), secret: text, after: String::new() },
    }
}

pub(super) fn expand(template: &str, seed: usize) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((plain, (hole, after))) =
        rest.split_once('{').and_then(|(plain, rest)| Some((plain, rest.split_once('}')?)))
    {
        match hole.split_once(' ') {
            Some((alphabet, length)) if plain.len() < rest.len() && is_hole(alphabet) => {
                text += plain;
                text += &filled(alphabet, length, seed + text.len());
                rest = after;
            }
            Some(_) | None => {
                text += plain;
                text.push('{');
                rest = &rest[plain.len() + 1..];
            }
        }
    }
    text + rest
}

const ALPHABETS: &[(&str, &str)] = &[
    ("alnum", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"),
    ("url", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
    ("b64", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"),
    ("hex", "0123456789abcdef"),
    ("upper", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
    ("capitals", "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"),
    ("lower", "abcdefghijklmnopqrstuvwxyz0123456789"),
    ("digits", "0123456789"),
    ("base58", "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"),
    ("bech", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"),
];

fn is_hole(alphabet: &str) -> bool {
    ["jwt", "key", "key64"].contains(&alphabet) || ALPHABETS.iter().any(|(name, _)| *name == alphabet)
}

fn filled(alphabet: &str, argument: &str, seed: usize) -> String {
    let length = argument.parse().unwrap_or(0);
    match alphabet {
        "key" => private_key(argument, "\n"),
        "key64" => base64(private_key(argument, "\n").as_bytes()),
        "jwt" => jwt(length, seed),
        _ => {
            let (_, alphabet) = ALPHABETS.iter().find(|(name, _)| *name == alphabet).unwrap();
            random(alphabet, length, seed)
        }
    }
}

pub(super) fn boundary(words: &str) -> String {
    format!("-----{words}-----")
}

pub(super) fn private_key(label: &str, line_end: &str) -> String {
    let mut block = boundary(&format!("BEGIN {label}")) + line_end;
    for line in 0..12 {
        block += &random(super::BASE64, 64, line);
        block += line_end;
    }
    block += &random(super::BASE64, 22, 99);
    block += "==";
    block + line_end + &boundary(&format!("END {label}"))
}

fn jwt(payload: usize, seed: usize) -> String {
    let header = ["eyJ", "hbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"].concat();
    let payload = ["eyJ", &random(super::URL_SAFE, payload, seed)].concat();
    format!("{header}.{payload}.{}", random(super::URL_SAFE, 43, seed))
}

pub(super) fn base64(bytes: &[u8]) -> String {
    let digits = super::BASE64.as_bytes();
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0_u32, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        for sextet in 0..4 {
            let digit = digits[(bits >> (18 - 6 * sextet) & 63) as usize];
            text.push(if sextet <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

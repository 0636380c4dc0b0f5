//! Discord bot tokens: the bot's number in base 64, the time, and a signature.

use super::bytes::{Alphabet, Quality, starts_alone};
use super::rules::{Body, Secret, Site, assignment};

/// The base 64 of the beginning of a number with at least three digits, the first not zero.
pub(super) const NUMBERS: &[&str] = &[
    "MTA", "MTE", "MTI", "MTM", "MTQ", "MTU", "MTY", "MTc", "MTg", "MTk", "MjA", "MjE", "MjI", "MjM", "MjQ",
    "MjU", "MjY", "Mjc", "Mjg", "Mjk", "MzA", "MzE", "MzI", "MzM", "MzQ", "MzU", "MzY", "Mzc", "Mzg", "Mzk",
    "NDA", "NDE", "NDI", "NDM", "NDQ", "NDU", "NDY", "NDc", "NDg", "NDk", "NTA", "NTE", "NTI", "NTM", "NTQ",
    "NTU", "NTY", "NTc", "NTg", "NTk", "NjA", "NjE", "NjI", "NjM", "NjQ", "NjU", "NjY", "Njc", "Njg", "Njk",
    "NzA", "NzE", "NzI", "NzM", "NzQ", "NzU", "NzY", "Nzc", "Nzg", "Nzk", "ODA", "ODE", "ODI", "ODM", "ODQ",
    "ODU", "ODY", "ODc", "ODg", "ODk", "OTA", "OTE", "OTI", "OTM", "OTQ", "OTU", "OTY", "OTc", "OTg", "OTk",
];

/// A token on its own, which must contain a valid number.
pub(super) fn token(site: &Site<'_>) -> Option<Secret> {
    starts_alone(site.before()).then_some(())?;
    let text = &site.text[site.start..];
    let length = length_at_start(text)?;
    let number = text.split(|byte| *byte == b'.').next()?;
    is_base64_of_digits(number).then(|| site.secret(site.start..site.start + length))
}

/// A token assigned to a name with `discord` or `bot` in it.
pub(super) fn assigned_token(site: &Site<'_>) -> Option<Secret> {
    let offset = assignment(site.after())?;
    let length = length_at_start(&site.after()[offset..])?;
    Some(site.behind_anchor(offset, length))
}

/// The length of the token at the start of `text`: three parts with dots between them.
fn length_at_start(text: &[u8]) -> Option<usize> {
    const SIGNATURE: Body = Body::from(27, Alphabet::URL_SAFE, Quality::Mixed);
    const TIME: usize = 6;
    let number = Alphabet::URL_SAFE.run(text, 32);
    let rest = &text[number..];
    let has_time =
        Alphabet::URL_SAFE.run(rest.get(1..)?, TIME + 1) == TIME && rest.get(TIME + 1) == Some(&b'.');
    let is_number = (23..=28).contains(&number) && matches!(text[0], b'M'..=b'O') && rest[0] == b'.';
    (is_number && has_time).then_some(())?;
    Some(number + TIME + 2 + SIGNATURE.length(&rest[TIME + 2..])?)
}

/// Whether `text` may be the base 64 of digits: each character must be possible at its position in a group of
/// four or in a shorter last group.
fn is_base64_of_digits(text: &[u8]) -> bool {
    const OF_THREE: [&[u8]; 4] = [b"MNO", b"TjzD", b"AEIMQUYcgk", b"wxyz012345"];
    const OF_ONE: [&[u8]; 4] = [b"MNO", b"AQgw", b"", b""];
    text.chunks(4).all(|group| {
        let may = if group.len() == 2 { OF_ONE } else { OF_THREE };
        group.iter().zip(may).all(|(byte, may)| may.contains(byte))
    })
}

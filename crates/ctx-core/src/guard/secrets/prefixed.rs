//! Tokens whose shape a prefix and an alphabet do not describe.

use super::bytes::{Alphabet, Quality, ends_word, starts_alone, starts_word};
use super::rules::{Body, Secret, Site, assignment};

/// `aws_secret_access_key = …` in its many spellings.
pub(super) fn aws_secret_access_key(site: &Site<'_>) -> Option<Secret> {
    const VALUE: Body = Body::from(40, Alphabet::BASE64, Quality::AllThree);
    let offset = assignment(site.after())?;
    let length = VALUE.length(&site.after()[offset..])?;
    Some(site.behind_anchor(offset, length))
}

/// `xoxb-…`, `xoxe.xoxp-…`.
pub(super) fn slack_token(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body::from(16, Alphabet::BASE64.or(Alphabet::of(b"-.")), Quality::Dense);
    let after = site.after();
    let flavour = matches!(after, [b'a'..=b's', b'-', ..] | [b'e', b'.', b'x', b'o', b'x', ..]);
    (flavour && starts_word(site.before())).then_some(())?;
    Some(site.with_anchor(2 + BODY.length(&after[2..])?))
}

/// Anthropic's keys: the `api03-` of the prefix must not count as part of the random body.
pub(super) fn anthropic_key(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body::from(20, Alphabet::URL_SAFE, Quality::Dense);
    let after = site.after();
    let word = Alphabet::LOWER.run(after, 8);
    let family = match after[word..] {
        [a, b, b'-', ..] if a.is_ascii_digit() && b.is_ascii_digit() => word + 3,
        [..] => 0,
    };
    starts_word(site.before()).then_some(())?;
    Some(site.with_anchor(family + BODY.length(&after[family..])?))
}

/// `dop_v1_…`, `doo_v1_…`, `dor_v1_…`.
pub(super) fn digitalocean_token(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body::of(64, Alphabet::HEX, Quality::Any);
    let before = site.before();
    let (word, prefix) = before.split_at_checked(before.len().checked_sub(3)?)?;
    (matches!(prefix, b"dop" | b"doo" | b"dor") && starts_word(word)).then_some(())?;
    let length = BODY.length(site.after())?;
    Some(site.secret(site.start - 3..site.end + length))
}

/// `EAAA`, 60 characters. So many zero bits are frequent in base 64, too.
pub(super) fn square_token(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body::from(60, Alphabet::URL_SAFE, Quality::AllThree);
    starts_outside_base64(site).then_some(())?;
    Some(site.with_anchor(BODY.length(site.after())?))
}

/// `EAA` and at least 100 characters, which are zero bits of base 64, too.
pub(super) fn facebook_token(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body::from(100, Alphabet::ALNUM, Quality::AllThree);
    starts_outside_base64(site).then_some(())?;
    Some(site.with_anchor(BODY.length(site.after())?))
}

fn starts_outside_base64(site: &Site<'_>) -> bool {
    const LONG: usize = 40;
    starts_word(site.before()) && Alphabet::BASE64.run_back(site.before(), LONG) < LONG
}

/// `re_`, 8 characters, `_`, 24 characters.
pub(super) fn resend_key(site: &Site<'_>) -> Option<Secret> {
    const ID: usize = 8;
    const BODY: Body = Body::of(24, Alphabet::ALNUM, Quality::Digits);
    let after = site.after();
    let has_id = Alphabet::ALNUM.run(after, ID) == ID && after.get(ID) == Some(&b'_');
    (has_id && starts_alone(site.before())).then_some(())?;
    Some(site.with_anchor(ID + 1 + BODY.length(&after[ID + 1..])?))
}

/// `pat.` or `sat.`, 22 characters of the account, 24 hexadecimal digits, 20 characters, with dots between them.
pub(super) fn harness_token(site: &Site<'_>) -> Option<Secret> {
    const ACCOUNT: usize = 22;
    const ID: usize = 24;
    const BODY: Body = Body::of(20, Alphabet::ALNUM, Quality::Mixed);
    let after = site.after();
    let has = |alphabet: Alphabet, at: usize, length: usize| {
        after
            .get(at..)
            .is_some_and(|text| alphabet.run(text, length) == length && text.get(length) == Some(&b'.'))
    };
    let has_ids = has(Alphabet::URL_SAFE, 0, ACCOUNT) && has(Alphabet::HEX, ACCOUNT + 1, ID);
    (has_ids && starts_word(site.before())).then_some(())?;
    let ids = ACCOUNT + ID + 2;
    Some(site.with_anchor(ids + BODY.length(&after[ids..])?))
}

/// 32 hexadecimal digits before `-us`, and the number of a data centre.
pub(super) fn mailchimp_key(site: &Site<'_>) -> Option<Secret> {
    const DIGITS: usize = 32;
    let before = site.before();
    let word = &before[..before.len().checked_sub(DIGITS)?];
    let digits = &before[word.len()..];
    let is_key = digits.iter().all(|&b| Alphabet::HEX.has(b)) && Quality::Mixed.accepts(digits);
    let number = Alphabet::DIGIT.run(site.after(), 1);
    (is_key && starts_word(word) && ends_word(&site.after()[number..]))
        .then(|| site.secret(site.start - DIGITS..site.end + number))
}

/// `SG.`, 22 characters, a dot, 43 characters.
pub(super) fn sendgrid_key(site: &Site<'_>) -> Option<Secret> {
    const ID: usize = 22;
    const BODY: Body = Body::from(43, Alphabet::URL_SAFE, Quality::Mixed);
    let after = site.after();
    (starts_word(site.before()) && Alphabet::URL_SAFE.run(after, ID) == ID && after.get(ID) == Some(&b'.'))
        .then_some(())?;
    Some(site.with_anchor(ID + 1 + BODY.length(&after[ID + 1..])?))
}

/// The bot's number, a colon, and 35 characters of which the first two are `AA`.
pub(super) fn telegram_bot_token(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body::from(33, Alphabet::URL_SAFE, Quality::Mixed);
    let before = site.before();
    let digits = Alphabet::DIGIT.run_back(before, 11);
    let word = &before[..before.len() - digits];
    ((8..=10).contains(&digits) && (starts_word(word) || word.ends_with(b"bot"))).then_some(())?;
    let length = BODY.length(site.after())?;
    Some(site.secret(site.start - digits..site.end + length))
}

/// The registration's 11 characters or more, `:APA91b`, and 134 more.
pub(super) fn firebase_token(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body::from(100, Alphabet::URL_SAFE, Quality::Mixed);
    let id = Alphabet::URL_SAFE.run_back(site.before(), site.before().len());
    (id >= 11).then_some(())?;
    let length = BODY.length(site.after())?;
    Some(site.secret(site.start - id..site.end + length))
}

/// Three characters, a digit, `Q~`, and 31 to 34 characters.
pub(super) fn entra_secret(site: &Site<'_>) -> Option<Secret> {
    const ALPHABET: Alphabet = Alphabet::URL_SAFE.or(Alphabet::of(b".~"));
    const BODY: Body = Body::from(31, ALPHABET, Quality::Mixed);
    let before = site.before();
    let word = &before[..before.len().checked_sub(3)?];
    (ALPHABET.run_back(before, 3) == 3 && starts_word(word)).then_some(())?;
    let length = BODY.length(site.after())?;
    Some(site.secret(site.start - 3..site.end + length))
}

/// 14 characters, `.atlasv1.`, and 60 or more.
pub(super) fn terraform_token(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body::from(50, Alphabet::URL_SAFE.or(Alphabet::of(b"=")), Quality::Mixed);
    const ID: usize = 14;
    let before = site.before();
    let word = &before[..before.len().checked_sub(ID)?];
    (Alphabet::ALNUM.run_back(before, ID) == ID && starts_word(word)).then_some(())?;
    let length = BODY.length(site.after())?;
    Some(site.secret(site.start - ID..site.end + length))
}

/// 36 hexadecimal digits before `NRAL`.
pub(super) fn new_relic_license(site: &Site<'_>) -> Option<Secret> {
    const DIGITS: usize = 36;
    let before = site.before();
    let word = &before[..before.len().checked_sub(DIGITS)?];
    let digits = &before[word.len()..];
    let is_key = digits.iter().all(|&b| Alphabet::HEX.has(b)) && Quality::Mixed.accepts(digits);
    (is_key && starts_word(word) && ends_word(site.after()))
        .then(|| site.secret(site.start - DIGITS..site.end))
}

/// `pat`, 14 characters, a dot and 64 hexadecimal digits.
pub(super) fn airtable_token(site: &Site<'_>) -> Option<Secret> {
    const ID: usize = 14;
    const BODY: Body = Body::of(64, Alphabet::HEX, Quality::Mixed);
    let after = site.after();
    let has_id = Alphabet::ALNUM.run(after, ID) == ID && after.get(ID) == Some(&b'.');
    (has_id && starts_word(site.before())).then_some(())?;
    Some(site.with_anchor(ID + 1 + BODY.length(&after[ID + 1..])?))
}

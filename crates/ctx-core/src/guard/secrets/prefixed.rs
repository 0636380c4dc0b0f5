//! Tokens whose shape is more than a prefix and an alphabet.

use super::bytes::{Alphabet, Quality, ends_word, is_placeholder, starts_alone, starts_word};
use super::escape::Escape;
use super::jwt;
use super::rules::{Body, Secret, Site, assignment, separator};

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

/// `EAAA`, 60 characters.
pub(super) fn square_token(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body::from(60, Alphabet::URL_SAFE, Quality::AllThree);
    outside_base64(site, |after| BODY.length(after))
}

/// `EAA` and at least 100 characters.
pub(super) fn facebook_token(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body::from(100, Alphabet::ALNUM, Quality::AllThree);
    outside_base64(site, |after| BODY.length(after))
}

/// A token whose prefix is base 64 for mostly zero bits, and is therefore also common inside other base 64.
fn outside_base64(site: &Site<'_>, length: fn(&[u8]) -> Option<usize>) -> Option<Secret> {
    const LONG: usize = 40;
    let is_outside = starts_word(site.before()) && Alphabet::BASE64.run_back(site.before(), LONG) < LONG;
    if is_outside { Some(site.with_anchor(length(site.after())?)) } else { None }
}

/// A token that consists of identifiers and a body. Each identifier is a fixed number of characters from a
/// set, followed by `sign`.
fn identified(site: &Site<'_>, ids: &[(Alphabet, usize)], sign: u8, body: Body) -> Option<Secret> {
    let after = site.after();
    let mut at = 0;
    for (alphabet, length) in ids {
        let rest = &after[at..];
        let is_there = alphabet.run(rest, *length) == *length && rest.get(*length) == Some(&sign);
        is_there.then_some(())?;
        at += length + 1;
    }
    starts_word(site.before()).then_some(())?;
    Some(site.with_anchor(at + body.length(&after[at..])?))
}

/// A token with the anchor inside it, after this many characters from a set.
fn behind_id(site: &Site<'_>, alphabet: Alphabet, count: usize, body: Body) -> Option<Secret> {
    let before = site.before();
    let word = &before[..before.len().checked_sub(count)?];
    (alphabet.run_back(before, count) == count && starts_word(word)).then_some(())?;
    let length = body.length(site.after())?;
    Some(site.secret(site.start - count..site.end + length))
}

/// A key of hexadecimal digits before the anchor, which ends `more` bytes after it.
fn digits_before(site: &Site<'_>, count: usize, more: usize) -> Option<Secret> {
    let before = site.before();
    let (word, digits) = before.split_at(before.len().checked_sub(count)?);
    let is_key = digits.iter().all(|&b| Alphabet::HEX.has(b)) && Quality::Mixed.accepts(digits);
    (is_key && starts_word(word) && ends_word(&site.after()[more..]))
        .then(|| site.secret(site.start - count..site.end + more))
}

/// `re_`, 8 characters, `_`, 24 characters.
pub(super) fn resend_key(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body::of(24, Alphabet::ALNUM, Quality::Digits);
    if starts_alone(site.before()) { identified(site, &[(Alphabet::ALNUM, 8)], b'_', BODY) } else { None }
}

/// `pat.` or `sat.`, 22 characters of the account, 24 hexadecimal digits, 20 characters, with dots between them.
pub(super) fn harness_token(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body::of(20, Alphabet::ALNUM, Quality::Mixed);
    identified(site, &[(Alphabet::URL_SAFE, 22), (Alphabet::HEX, 24)], b'.', BODY)
}

/// 32 hexadecimal digits before `-us`, and a data centre's number.
pub(super) fn mailchimp_key(site: &Site<'_>) -> Option<Secret> {
    digits_before(site, 32, Alphabet::DIGIT.run(site.after(), 1))
}

/// `SG.`, 22 characters, a dot, 43 characters.
pub(super) fn sendgrid_key(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body::from(43, Alphabet::URL_SAFE, Quality::Mixed);
    identified(site, &[(Alphabet::URL_SAFE, 22)], b'.', BODY)
}

/// The bot's number, a colon, and `AA` with 33 more characters.
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
    behind_id(site, ALPHABET, 3, Body::from(31, ALPHABET, Quality::Mixed))
}

/// 14 characters, `.atlasv1.`, and 60 or more.
pub(super) fn terraform_token(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body::from(50, Alphabet::URL_SAFE.or(Alphabet::of(b"=")), Quality::Mixed);
    behind_id(site, Alphabet::ALNUM, 14, BODY)
}

/// 36 hexadecimal digits before `NRAL`.
pub(super) fn new_relic_license(site: &Site<'_>) -> Option<Secret> {
    digits_before(site, 36, 0)
}

/// `pat`, 14 characters, a dot and 64 hexadecimal digits.
pub(super) fn airtable_token(site: &Site<'_>) -> Option<Secret> {
    identified(site, &[(Alphabet::ALNUM, 14)], b'.', Body::of(64, Alphabet::HEX, Quality::Mixed))
}

/// Azure's recognisable keys: this many characters of base 64, a signature, this many more.
pub(super) fn azure_key(site: &Site<'_>) -> Option<Secret> {
    const KEY: Alphabet = Alphabet::ALNUM.or(Alphabet::of(b"+/"));
    /// Signatures with this many letters follow a `+`.
    const SIGNED: usize = 3;
    let (before, after, padding) = match &site.text[site.start..site.end] {
        b"AZDO" => (76, 4, 0),
        b"ACDb" | b"APIM" => (76, 6, 2),
        b"ASt" | b"ABa" | b"AMC" => (77, 6, 2),
        b"AzFu" => (44, 6, 2),
        b"AzSe" => (42, 6, 0),
        b"ACR" => (43, 6, 0),
        b"ASb" | b"AEh" | b"ARm" => (34, 6, 1),
        _ => (33, 6, 1),
    };
    if site.end - site.start == SIGNED {
        units_back(site.before(), Alphabet::of(b"+"), 1)?;
    }
    let start = site.before().len() - units_back(site.before(), KEY, before)?;
    let mut end = units(site.after(), KEY, after)?;
    end += units(&site.after()[end..], Alphabet::of(b"="), padding)?;
    let (word, key) = site.before().split_at(start);
    let is_whole = starts_word(word) && (padding > 0 || ends_word(&site.after()[end..]));
    (is_whole && Quality::AllThree.accepts(key)).then(|| site.secret(site.floor + start..site.end + end))
}

/// The length of this many bytes of a set at the start of `bytes`, which may be escaped.
fn units(bytes: &[u8], set: Alphabet, count: usize) -> Option<usize> {
    let mut at = 0;
    for _ in 0..count {
        at += match *bytes.get(at)? {
            byte if set.has(byte) => 1,
            _ => Escape::at_start(&bytes[at..]).filter(|escape| set.has(escape.byte))?.length,
        };
    }
    Some(at)
}

/// The length of this many bytes of a set at the end of `before`, which may be escaped.
fn units_back(before: &[u8], set: Alphabet, count: usize) -> Option<usize> {
    const LONGEST: usize = 6;
    let mut end = before.len();
    for _ in 0..count {
        let escaped = (2..=LONGEST.min(end)).find(|length| {
            let escape = Escape::at_start(&before[end - length..end]);
            escape.is_some_and(|escape| escape.length == *length && set.has(escape.byte))
        });
        let plain = before[..end].last().filter(|byte| set.has(**byte)).map(|_| 1);
        end -= escaped.or(plain)?;
    }
    Some(before.len() - end)
}

/// The length of a sign at the start of `bytes`, which may be escaped.
fn sign(bytes: &[u8], sign: u8) -> Option<usize> {
    match bytes {
        [first, ..] if *first == sign => Some(1),
        _ => Escape::at_start(bytes).filter(|escape| escape.byte == sign).map(|escape| escape.length),
    }
}

/// `AAAA`, 16 to 26 more of them, and 70 to 160 letters, digits and escapes.
pub(super) fn twitter_token(site: &Site<'_>) -> Option<Secret> {
    const ESCAPED: Alphabet = Alphabet::ALNUM.or(Alphabet::of(b"%"));
    outside_base64(site, |after| {
        let zeros = Alphabet::of(b"A").run(after, 27);
        let length = ESCAPED.run(&after[zeros..], 161);
        let body = &after[zeros..zeros + length];
        let is_token = (16..27).contains(&zeros) && (70..=160).contains(&length);
        // The program's number before it also has many zeros, and may contain escapes.
        let random = body.get(memchr::memrchr(b'%', body)?..)?;
        (is_token && Quality::AllThree.accepts(random)).then_some(zeros + length)
    })
}

/// `AAAA`, 7 characters, a colon, and 140 more.
pub(super) fn firebase_server_key(site: &Site<'_>) -> Option<Secret> {
    const ID: usize = 7;
    const BODY: Body = Body::from(100, Alphabet::URL_SAFE, Quality::AllThree);
    outside_base64(site, |after| {
        let colon = sign(after.get(ID..)?, b':')?;
        let is_id = Alphabet::URL_SAFE.run(after, ID) == ID;
        Some(ID + colon + BODY.length(&after[ID + colon..]).filter(|_| is_id)?)
    })
}

/// `2/`, the user's number, a slash, the token's number, a colon, and 32 hexadecimal digits.
pub(super) fn asana_token(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body::of(32, Alphabet::HEX, Quality::Mixed);
    starts_word(site.before()).then_some(())?;
    let after = site.after();
    let mut at = 0;
    for sign in [b'/', b':'] {
        let digits = Alphabet::DIGIT.run(&after[at..], 20);
        (digits >= 10).then_some(())?;
        at += digits;
        at += self::sign(after.get(at..)?, sign)?;
    }
    Some(site.with_anchor(at + BODY.length(&after[at..])?))
}

/// `--token` or `token:`, 6 characters, a dot, 16 characters.
pub(super) fn kubeadm_token(site: &Site<'_>) -> Option<Secret> {
    const LOWER: Alphabet = Alphabet::LOWER.or(Alphabet::DIGIT);
    const ID: usize = 6;
    const LENGTH: usize = 23;
    let offset = separator(site.after());
    let token = site.after().get(offset..offset + LENGTH)?;
    let is_token =
        LOWER.run(token, LENGTH) == ID && token[ID] == b'.' && LOWER.run(&token[ID + 1..], LENGTH) == 16;
    let quality =
        if site.text[site.start..site.end].starts_with(b"--") { Quality::Any } else { Quality::Digits };
    (is_token && quality.accepts(token) && ends_word(&site.after()[offset + LENGTH..]))
        .then(|| site.behind_anchor(offset, LENGTH))
}

/// A line of `.pgpass`, found by its port: host, port, database, user, password.
pub(super) fn pgpass_password(site: &Site<'_>) -> Option<Secret> {
    const NAME: Alphabet = Alphabet::ALNUM.or(Alphabet::of(b"_-.*"));
    const SHORTEST: usize = 4;
    const LONGEST: usize = 256;
    let after = site.after();
    let before = site.before();
    let host = before.iter().rev().take_while(|byte| NAME.has(**byte)).count();
    // Without a port, the anchor is found in many names that consist of fields, such as Amazon's.
    let is_first =
        !site.text[site.start..site.end].contains(&b'*') || !before[..before.len() - host].ends_with(b":");
    let mut at = 0;
    for _ in 0..2 {
        let name = NAME.escaped_run(&after[at..after.len().min(at + 64)]);
        (name > 0).then_some(())?;
        at += name;
        at += sign(after.get(at..)?, b':')?;
    }
    let password = &after[at..];
    let is_end =
        |byte: &u8| byte.is_ascii_whitespace() || !byte.is_ascii() || b"\"'`<>,;|&{}()[]\\".contains(byte);
    let length = password.iter().take(LONGEST).position(is_end).unwrap_or(password.len().min(LONGEST));
    let password = &password[..length];
    let is_made_up = password.starts_with(b"$")
        || password.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_')
        || password.iter().all(|byte| matches!(byte, b'*' | b':'))
        || password.eq_ignore_ascii_case(b"password")
        || password.eq_ignore_ascii_case(b"secret");
    (host > 0 && is_first && length >= SHORTEST && !is_made_up).then(|| site.behind_anchor(at, length))
}

/// `SCW` and 17 capitals and digits, unless the letters could be those of words.
pub(super) fn scaleway_key(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body::of(17, Alphabet::UPPER_ALNUM, Quality::Any);
    const VOWELS: Alphabet = Alphabet::of(b"AEIOUY");
    const MOST_CONSONANTS: usize = 3;
    let length = BODY.length(site.after()).filter(|_| starts_word(site.before()))?;
    let body = &site.after()[..length];
    let consonants = body.split(|&byte| VOWELS.has(byte)).map(<[u8]>::len).max();
    let is_random = Quality::Digits.accepts(body) || consonants > Some(MOST_CONSONANTS);
    is_random.then(|| site.with_anchor(length))
}

/// A Vault token of before version 1.10, by its name or the command that takes it: `s.`, `b.` or `r.` and 24 characters.
pub(super) fn old_vault_token(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body::of(24, Alphabet::ALNUM, Quality::AllThree);
    let offset = if site.after().starts_with(b" ") { 1 } else { assignment(site.after())? };
    match site.after()[offset..] {
        [b's' | b'b' | b'r', b'.', ref body @ ..] => Some(site.behind_anchor(offset, 2 + BODY.length(body)?)),
        [..] => None,
    }
}

/// The token of a `user:` in a kubeconfig. A token with a known shape keeps its own kind.
pub(super) fn kubeconfig_token(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body::from(24, Alphabet::TOKEN68, Quality::Random);
    const NEAR: usize = 96;
    const USER: &[u8] = b"user";
    let near = &site.before()[site.before().len().saturating_sub(NEAR)..];
    let user = memchr::memmem::rfind(near, USER)?;
    let is_field = starts_word(&near[..user]) && opens_block(&near[user + USER.len()..]);
    let offset = separator(site.after());
    let text = &site.after()[offset..];
    (is_field && (offset > 0 || site.text[..site.end].ends_with(b":"))).then_some(())?;
    let secret = (site.known)(text)
        .or_else(|| jwt::signed_at_start(text))
        .or_else(|| Some(site.secret(0..BODY.length(text)?)))?;
    Some(Secret { kind: secret.kind, ..site.behind_anchor(offset, secret.range.end) })
}

/// Whether there is only a colon, and what may stand before the first field of a block, in YAML or JSON.
fn opens_block(bytes: &[u8]) -> bool {
    const BETWEEN: Alphabet = Alphabet::of(b" \t\r\n\"'\\:{+-#/;>*");
    let mut at = 0;
    let mut has_colon = false;
    while at < bytes.len() {
        let (byte, length) = match bytes[at..] {
            [b'\\', b'n' | b'r' | b't', ..] => (b' ', 2),
            [byte, ..] => {
                Escape::at_start(&bytes[at..]).map_or((byte, 1), |escape| (escape.byte, escape.length))
            }
            [] => break,
        };
        if !BETWEEN.has(byte) {
            return false;
        }
        has_colon |= byte == b':';
        at += length;
    }
    has_colon
}

/// `prod:` or the like, the name of a deployment, a bar, and base 64.
pub(super) fn convex_key(site: &Site<'_>) -> Option<Secret> {
    const NAME: Alphabet = Alphabet::LOWER.or(Alphabet::of(b"0123456789-_"));
    const BODY: Body = Body::from(40, Alphabet::BASE64.or(Alphabet::of(b"-_")), Quality::AllThree);
    const MOST_NAMES: usize = 3;
    starts_word(site.before()).then_some(())?;
    let after = site.after();
    let mut at = 0;
    for _ in 0..MOST_NAMES {
        at += NAME.run(&after[at..], 64);
        match sign(&after[at..], b':') {
            Some(length) => at += length,
            None => break,
        }
    }
    at += sign(&after[at..], b'|')?;
    Some(site.with_anchor(at + BODY.length(&after[at..])?))
}

/// The lengths of the parts of a UUID, which hyphens join.
const UUID: [usize; 5] = [8, 4, 4, 4, 12];
/// The length of a UUID.
const UUID_LENGTH: usize = 36;

/// Whether these bytes are a random UUID.
fn is_uuid(bytes: &[u8]) -> bool {
    let is_part = |part: &[u8]| part.iter().all(|&byte| Alphabet::HEX.has(byte));
    bytes.split(|byte| *byte == b'-').map(<[u8]>::len).eq(UUID)
        && bytes.split(|byte| *byte == b'-').all(is_part)
        && !is_placeholder(bytes)
}

/// `api-` or `sdk-`, and a UUID.
pub(super) fn launchdarkly_key(site: &Site<'_>) -> Option<Secret> {
    let id = site.after().get(..UUID_LENGTH)?;
    let is_alone = starts_alone(site.before()) && ends_word(&site.after()[UUID_LENGTH..]);
    (is_alone && is_uuid(id)).then(|| site.with_anchor(UUID_LENGTH))
}

/// A UUID before `:fx`.
pub(super) fn deepl_key(site: &Site<'_>) -> Option<Secret> {
    let before = site.before();
    let (word, id) = before.split_at_checked(before.len().checked_sub(UUID_LENGTH)?)?;
    let is_alone = starts_word(word) && ends_word(site.after());
    (is_alone && is_uuid(id)).then(|| site.secret(site.start - UUID_LENGTH..site.end))
}

/// `django-insecure-` and 50 letters, digits and signs, up to the end of the string.
pub(super) fn django_key(site: &Site<'_>) -> Option<Secret> {
    const SHORTEST: usize = 32;
    const LONGEST: usize = 256;
    const PLAIN: Alphabet = Alphabet::ALNUM.or(Alphabet::of(b"!@#$%^&*(-_=+);"));
    let after = &site.after()[..site.after().len().min(LONGEST)];
    let mut length = 0;
    loop {
        length += match Escape::at_start(&after[length..]) {
            Some(escape) if PLAIN.has(escape.byte) => escape.length,
            Some(_) => break,
            None if after.get(length).is_some_and(|&byte| PLAIN.has(byte)) => 1,
            None => break,
        };
    }
    let body = &after[..length];
    (length >= SHORTEST && Quality::Mixed.accepts(body)).then(|| site.with_anchor(length))
}

/// The base 64 of 32 bytes, by the name of a key.
pub(super) fn wireguard_key(site: &Site<'_>) -> Option<Secret> {
    const KEY: Alphabet = Alphabet::ALNUM.or(Alphabet::of(b"+/"));
    let offset = assignment(site.after())?;
    let text = &site.after()[offset..];
    let key = units(text, KEY, 43)?;
    let end = key + sign(&text[key..], b'=')?;
    (ends_word(&text[end..]) && Quality::AllThree.accepts(&text[..key]))
        .then(|| site.behind_anchor(offset, end))
}

/// `0x` and 64 hexadecimal digits, by the name of a key.
pub(super) fn ethereum_key(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body::of(64, Alphabet::HEX, Quality::Mixed);
    let offset = assignment(site.after())?;
    let digits = site.after()[offset..].strip_prefix(b"0x")?;
    Some(site.behind_anchor(offset, 2 + BODY.length(digits)?))
}

/// `K` or `L` and 51 characters, or `5` and 50, by the name of a key.
pub(super) fn wallet_import_format(site: &Site<'_>) -> Option<Secret> {
    const LONG: Body = Body::of(51, Alphabet::ALNUM, Quality::AllThree);
    const SHORT: Body = Body::of(50, Alphabet::ALNUM, Quality::AllThree);
    const LEFT_OUT: Alphabet = Alphabet::of(b"0OIl");
    let offset = assignment(site.after())?;
    let (first, text) = site.after()[offset..].split_first()?;
    let length = match first {
        b'K' | b'L' => LONG.length(text)?,
        b'5' => SHORT.length(text)?,
        _ => return None,
    };
    let is_base_58 = !text[..length].iter().any(|&byte| LEFT_OUT.has(byte));
    is_base_58.then(|| site.behind_anchor(offset, 1 + length))
}

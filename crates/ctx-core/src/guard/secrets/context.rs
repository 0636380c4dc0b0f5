//! Secrets that are known by what stands around them.

use super::blocks::jwt_at_start;
use super::bytes::{Alphabet, Quality, starts_word};
use super::kind::Kind;
use super::rules::{Body, Secret, Site, token_at_start};

/// `aws_secret_access_key = …` in its many spellings.
pub(super) fn aws_secret_access_key(site: &Site<'_>) -> Option<Secret> {
    const NAME: Alphabet = Alphabet::ALNUM.or(Alphabet::of(b"_-"));
    const BETWEEN: Alphabet = Alphabet::of(b" \t\"'`\\:=>(),[");
    const VALUE: Body = Body { alphabet: Alphabet::BASE64, min: 40, max: 64, quality: Quality::Digits };
    let after = site.after();
    let name = NAME.run(after, 24);
    let between = BETWEEN.run(&after[name..], 16);
    let value = name + between;
    let head = after.get(value..value + VALUE.min)?;
    let has = |set: Alphabet| head.iter().any(|&b| set.has(b));
    (between > 0 && has(Alphabet::UPPER) && has(Alphabet::LOWER)).then_some(())?;
    let length = VALUE.length(&after[value..])?;
    let start = site.end + value;
    Some(Secret { kind: Kind::AwsSecretAccessKey, range: start..start + length })
}

/// `xoxb-…`, `xoxe.xoxp-…`.
pub(super) fn slack_token(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body {
        alphabet: Alphabet::ALNUM.or(Alphabet::of(b"-.")),
        min: 16,
        max: 400,
        quality: Quality::Dense,
    };
    let after = site.after();
    let flavour = matches!(after, [b'a'..=b's', b'-', ..] | [b'e', b'.', b'x', b'o', b'x', ..]);
    (flavour && starts_word(site.before())).then_some(())?;
    Some(site.with_anchor(Kind::SlackToken, 2 + BODY.length(&after[2..])?))
}

/// The keys that start with `sk-`: Anthropic's, OpenRouter's, OpenAI's and its likes'.
pub(super) fn sk_key(site: &Site<'_>) -> Option<Secret> {
    const WORD: Body = Body { alphabet: Alphabet::URL_SAFE, min: 20, max: 400, quality: Quality::Dense };
    const HEX: Body = Body { alphabet: Alphabet::HEX, min: 40, max: 128, quality: Quality::Any };
    const PLAIN: Body = Body { alphabet: Alphabet::ALNUM, min: 32, max: 255, quality: Quality::Digits };
    starts_word(site.before()).then_some(())?;
    let after = site.after();
    let family = |prefix: &str, kind: Kind, body: Body| {
        let rest = after.strip_prefix(prefix.as_bytes())?;
        let rest = if kind == Kind::AnthropicApiKey { without_type(rest) } else { rest };
        Some(site.with_anchor(kind, after.len() - rest.len() + body.length(rest)?))
    };
    family("ant-", Kind::AnthropicApiKey, WORD)
        .or_else(|| family("or-v1-", Kind::OpenrouterApiKey, HEX))
        .or_else(|| family("proj-", Kind::OpenaiApiKey, WORD))
        .or_else(|| family("svcacct-", Kind::OpenaiApiKey, WORD))
        .or_else(|| family("admin-", Kind::OpenaiApiKey, WORD))
        .or_else(|| family("None-", Kind::OpenaiApiKey, WORD))
        .or_else(|| family("", Kind::OpenaiApiKey, PLAIN))
}

/// What follows the `api03-` of an Anthropic key: it must not count as part of the random body.
fn without_type(key: &[u8]) -> &[u8] {
    let word = Alphabet::LOWER.run(key, 8);
    match key[word..] {
        [a, b, b'-', ..] if a.is_ascii_digit() && b.is_ascii_digit() => &key[word + 3..],
        [..] => key,
    }
}

/// `sk_live_…`, `rk_test_…`; publishable keys (`pk_…`) are no secret.
pub(super) fn stripe_key(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body { alphabet: Alphabet::ALNUM, min: 16, max: 255, quality: Quality::Mixed };
    let (flavour, before) = site.before().split_last()?;
    (matches!(flavour, b's' | b'r') && starts_word(before)).then_some(())?;
    let length = BODY.length(site.after())?;
    Some(Secret { kind: Kind::StripeKey, range: site.start - 1..site.end + length })
}

/// `dop_v1_…`, `doo_v1_…`, `dor_v1_…`.
pub(super) fn digitalocean_token(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body { alphabet: Alphabet::HEX, min: 64, max: 64, quality: Quality::Any };
    let before = site.before();
    let (word, prefix) = before.split_at_checked(before.len().checked_sub(3)?)?;
    (matches!(prefix, b"dop" | b"doo" | b"dor") && starts_word(word)).then_some(())?;
    let length = BODY.length(site.after())?;
    Some(Secret { kind: Kind::DigitaloceanToken, range: site.start - 3..site.end + length })
}

/// `SG.`, 22 characters, a dot, 43 characters.
pub(super) fn sendgrid_key(site: &Site<'_>) -> Option<Secret> {
    const ID: usize = 22;
    const BODY: Body = Body { alphabet: Alphabet::URL_SAFE, min: 43, max: 64, quality: Quality::Mixed };
    let after = site.after();
    (starts_word(site.before()) && Alphabet::URL_SAFE.run(after, ID) == ID && after.get(ID) == Some(&b'.'))
        .then_some(())?;
    Some(site.with_anchor(Kind::SendgridKey, ID + 1 + BODY.length(&after[ID + 1..])?))
}

/// The bot's number, a colon, and 35 characters of which the first two are `AA`.
pub(super) fn telegram_bot_token(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body { alphabet: Alphabet::URL_SAFE, min: 33, max: 64, quality: Quality::Mixed };
    let before = site.before();
    let digits = Alphabet::DIGIT.run_back(before, 11);
    let word = &before[..before.len() - digits];
    ((8..=10).contains(&digits) && (starts_word(word) || word.ends_with(b"/bot"))).then_some(())?;
    let length = BODY.length(site.after())?;
    Some(Secret { kind: Kind::TelegramBotToken, range: site.start - digits..site.end + length })
}

/// `Bearer …`. A token that is known by its own shape keeps its own kind.
pub(super) fn bearer(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body { alphabet: Alphabet::TOKEN68, min: 20, max: 4096, quality: Quality::Digits };
    matches!(site.before().last(), Some(b'B' | b'b')).then_some(())?;
    let secret = token_at_start(site.after()).or_else(|| jwt_at_start(site.after())).or_else(|| {
        let range = 0..BODY.length(site.after())?;
        Some(Secret { kind: Kind::HttpCredentials, range })
    })?;
    Some(Secret { range: site.end..site.end + secret.range.end, ..secret })
}

/// `Authorization: Basic …`.
pub(super) fn basic(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body { alphabet: Alphabet::BASE64, min: 16, max: 1024, quality: Quality::Mixed };
    let (flavour, before) = site.before().split_last()?;
    let near = &before[before.len().saturating_sub(24)..];
    (matches!(flavour, b'B' | b'b') && memchr::memmem::find(near, b"uthorization").is_some()).then_some(())?;
    let length = BODY.length(site.after())?;
    Some(Secret { kind: Kind::HttpCredentials, range: site.end..site.end + length })
}

/// The password of `scheme://user:password@host`; the rest of the address stays.
pub(super) fn url_password(site: &Site<'_>) -> Option<Secret> {
    const MAX_AUTHORITY: usize = 512;
    site.before().last().filter(|b| b.is_ascii_alphanumeric())?;
    let after = &site.after()[..site.after().len().min(MAX_AUTHORITY)];
    let end = after.iter().position(|&b| ends_authority(b)).unwrap_or(after.len());
    let at = memchr::memrchr(b'@', &after[..end])?;
    let colon = memchr::memchr(b':', &after[..at])?;
    let (user, password) = (&after[..colon], &after[colon + 1..at]);
    (!is_placeholder_password(user, password))
        .then(|| Secret { kind: Kind::UrlPassword, range: site.end + colon + 1..site.end + at })
}

fn ends_authority(byte: u8) -> bool {
    byte <= b' ' || matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | 0x7f)
}

/// What documentation and templates write where a password would stand.
fn is_placeholder_password(user: &[u8], password: &[u8]) -> bool {
    const SHORTEST: usize = 4;
    const WORDS: &[&str] = &[
        "admin",
        "apikey",
        "api_key",
        "changeme",
        "change-me",
        "example",
        "guest",
        "hidden",
        "mypass",
        "mypassword",
        "none",
        "null",
        "pass",
        "passphrase",
        "passwd",
        "password",
        "placeholder",
        "redacted",
        "root",
        "secret",
        "test",
        "token",
        "undefined",
        "user",
        "username",
        "your-password",
        "your_password",
        "yourpassword",
    ];
    let is_name = |b: &u8| b.is_ascii_uppercase() || *b == b'_';
    password.len() < SHORTEST
        || password == user
        || password.iter().all(|b| *b == password[0])
        || password.iter().all(is_name)
        || WORDS.iter().any(|word| password.eq_ignore_ascii_case(word.as_bytes()))
        || is_template(password)
}

fn is_template(password: &[u8]) -> bool {
    let has = |mark: &str| memchr::memmem::find(password, mark.as_bytes()).is_some();
    matches!(password, [b'$', ..] | [b'{', ..] | [b'%', b'(' | b'{', ..] | [b':', ..] | [.., b']'])
        || has("${")
        || has("{{")
        || has("[REDACTED:")
        || has("...")
        || has("***")
}

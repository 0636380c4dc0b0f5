//! Tokens whose shape a prefix and an alphabet do not describe.

use super::bytes::{Alphabet, Quality, ends_word, starts_word};
use super::kind::Kind;
use super::rules::{Body, Secret, Site, assignment};

/// `aws_secret_access_key = …` in its many spellings.
pub(super) fn aws_secret_access_key(site: &Site<'_>) -> Option<Secret> {
    const VALUE: Body = Body::from(40, Alphabet::BASE64, Quality::AllThree);
    let offset = assignment(site.after())?;
    let length = VALUE.length(&site.after()[offset..])?;
    Some(site.behind_anchor(Kind::AwsSecretAccessKey, offset, length))
}

/// `xoxb-…`, `xoxe.xoxp-…`.
pub(super) fn slack_token(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body::from(16, Alphabet::BASE64.or(Alphabet::of(b"-.")), Quality::Dense);
    let after = site.after();
    let flavour = matches!(after, [b'a'..=b's', b'-', ..] | [b'e', b'.', b'x', b'o', b'x', ..]);
    (flavour && starts_word(site.before())).then_some(())?;
    Some(site.with_anchor(Kind::SlackToken, 2 + BODY.length(&after[2..])?))
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
    Some(site.with_anchor(Kind::AnthropicApiKey, family + BODY.length(&after[family..])?))
}

/// `sk_live_…`, `rk_test_…`; publishable keys (`pk_…`) are no secret.
pub(super) fn stripe_key(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body::from(16, Alphabet::ALNUM, Quality::Mixed);
    let (flavour, before) = site.before().split_last()?;
    (matches!(flavour, b's' | b'r') && starts_word(before)).then_some(())?;
    let length = BODY.length(site.after())?;
    Some(Secret { kind: Kind::StripeKey, range: site.start - 1..site.end + length })
}

/// `dop_v1_…`, `doo_v1_…`, `dor_v1_…`.
pub(super) fn digitalocean_token(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body::of(64, Alphabet::HEX, Quality::Any);
    let before = site.before();
    let (word, prefix) = before.split_at_checked(before.len().checked_sub(3)?)?;
    (matches!(prefix, b"dop" | b"doo" | b"dor") && starts_word(word)).then_some(())?;
    let length = BODY.length(site.after())?;
    Some(Secret { kind: Kind::DigitaloceanToken, range: site.start - 3..site.end + length })
}

/// `EAAA`, 60 characters. So many zero bits are frequent in base 64, too.
pub(super) fn square_token(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body::from(60, Alphabet::URL_SAFE, Quality::AllThree);
    const LONG: usize = 40;
    let is_within_base64 = Alphabet::BASE64.run_back(site.before(), LONG) == LONG;
    (starts_word(site.before()) && !is_within_base64).then_some(())?;
    Some(site.with_anchor(Kind::SquareToken, BODY.length(site.after())?))
}

/// `SG.`, 22 characters, a dot, 43 characters.
pub(super) fn sendgrid_key(site: &Site<'_>) -> Option<Secret> {
    const ID: usize = 22;
    const BODY: Body = Body::from(43, Alphabet::URL_SAFE, Quality::Mixed);
    let after = site.after();
    (starts_word(site.before()) && Alphabet::URL_SAFE.run(after, ID) == ID && after.get(ID) == Some(&b'.'))
        .then_some(())?;
    Some(site.with_anchor(Kind::SendgridKey, ID + 1 + BODY.length(&after[ID + 1..])?))
}

/// The bot's number, a colon, and 35 characters of which the first two are `AA`.
pub(super) fn telegram_bot_token(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body::from(33, Alphabet::URL_SAFE, Quality::Mixed);
    let before = site.before();
    let digits = Alphabet::DIGIT.run_back(before, 11);
    let word = &before[..before.len() - digits];
    ((8..=10).contains(&digits) && (starts_word(word) || word.ends_with(b"bot"))).then_some(())?;
    let length = BODY.length(site.after())?;
    Some(Secret { kind: Kind::TelegramBotToken, range: site.start - digits..site.end + length })
}

/// The registration's 11 characters or more, `:APA91b`, and 134 more.
pub(super) fn firebase_token(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body::from(100, Alphabet::URL_SAFE, Quality::Mixed);
    let id = Alphabet::URL_SAFE.run_back(site.before(), site.before().len());
    (id >= 11).then_some(())?;
    let length = BODY.length(site.after())?;
    Some(Secret { kind: Kind::FirebaseToken, range: site.start - id..site.end + length })
}

/// Three characters, a digit, `Q~`, and 31 to 34 characters.
pub(super) fn entra_secret(site: &Site<'_>) -> Option<Secret> {
    const ALPHABET: Alphabet = Alphabet::URL_SAFE.or(Alphabet::of(b".~"));
    const BODY: Body = Body::from(31, ALPHABET, Quality::Mixed);
    let before = site.before();
    let word = &before[..before.len().checked_sub(3)?];
    (ALPHABET.run_back(before, 3) == 3 && starts_word(word)).then_some(())?;
    let length = BODY.length(site.after())?;
    Some(Secret { kind: Kind::AzureClientSecret, range: site.start - 3..site.end + length })
}

/// A bot's number in base 64, the time, and a signature, assigned to a name with `discord` or `bot` in it.
pub(super) fn discord_bot_token(site: &Site<'_>) -> Option<Secret> {
    const SIGNATURE: Body = Body::from(27, Alphabet::URL_SAFE, Quality::Mixed);
    const TIME: usize = 6;
    let offset = assignment(site.after())?;
    let text = &site.after()[offset..];
    let number = Alphabet::URL_SAFE.run(text, 32);
    let rest = &text[number..];
    let has_time =
        Alphabet::URL_SAFE.run(rest.get(1..)?, TIME + 1) == TIME && rest.get(TIME + 1) == Some(&b'.');
    let is_number = (23..=28).contains(&number) && matches!(text[0], b'M'..=b'O') && rest[0] == b'.';
    (is_number && has_time).then_some(())?;
    let length = SIGNATURE.length(&rest[TIME + 2..])?;
    Some(site.behind_anchor(Kind::DiscordBotToken, offset, number + TIME + 2 + length))
}

/// 14 characters, `.atlasv1.`, and 60 or more.
pub(super) fn terraform_token(site: &Site<'_>) -> Option<Secret> {
    const BODY: Body = Body::from(50, Alphabet::URL_SAFE.or(Alphabet::of(b"=")), Quality::Mixed);
    const ID: usize = 14;
    let before = site.before();
    let word = &before[..before.len().checked_sub(ID)?];
    (Alphabet::ALNUM.run_back(before, ID) == ID && starts_word(word)).then_some(())?;
    let length = BODY.length(site.after())?;
    Some(Secret { kind: Kind::TerraformToken, range: site.start - ID..site.end + length })
}

/// 36 hexadecimal digits before `NRAL`.
pub(super) fn new_relic_license(site: &Site<'_>) -> Option<Secret> {
    const DIGITS: usize = 36;
    let before = site.before();
    let word = &before[..before.len().checked_sub(DIGITS)?];
    let digits = &before[word.len()..];
    let is_key = digits.iter().all(|&b| Alphabet::HEX.has(b)) && Quality::Mixed.accepts(digits);
    (is_key && starts_word(word) && ends_word(site.after()))
        .then(|| Secret { kind: Kind::NewRelicKey, range: site.start - DIGITS..site.end })
}

/// `pat`, 14 characters, a dot and 64 hexadecimal digits, assigned to a name with `airtable` in it.
pub(super) fn airtable_token(site: &Site<'_>) -> Option<Secret> {
    const ID: usize = 14;
    const BODY: Body = Body::from(64, Alphabet::HEX, Quality::Mixed);
    let offset = assignment(site.after())?;
    let text = site.after()[offset..].strip_prefix(b"pat")?;
    (Alphabet::ALNUM.run(text, ID) == ID && text.get(ID) == Some(&b'.')).then_some(())?;
    let length = BODY.length(&text[ID + 1..])?;
    Some(site.behind_anchor(Kind::AirtableToken, offset, 3 + ID + 1 + length))
}

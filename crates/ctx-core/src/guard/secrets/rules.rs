//! The table of anchors: what to look for, and how to judge what stands there.
//!
//! Every rule decides on its anchor, what stands before it, and the *fewest* bytes that its body
//! needs; what follows of the body is only taken along. A secret that is replaced further right can
//! therefore never turn a refused candidate into an accepted one, which makes one pass enough.

use std::ops::Range;

use super::bytes::{Alphabet, Quality, ends_word, starts_word};
use super::kind::Kind;
use super::{blocks, context};

/// The longest secret that is replaced, in bytes, except for private key blocks.
pub const MAX_TOKEN: usize = 8 * 1024;

/// An anchor found in a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Site<'t> {
    pub(super) text: &'t [u8],
    /// Where the last secret ended: nothing before this may be looked at.
    pub(super) floor: usize,
    /// The anchor.
    pub(super) start: usize,
    pub(super) end: usize,
}

impl<'t> Site<'t> {
    pub(super) fn before(&self) -> &'t [u8] {
        &self.text[self.floor..self.start]
    }

    pub(super) fn after(&self) -> &'t [u8] {
        &self.text[self.end..]
    }

    /// A secret from the anchor's start to `length` bytes after its end.
    pub(super) fn with_anchor(&self, kind: Kind, length: usize) -> Secret {
        Secret { kind, range: self.start..self.end + length }
    }
}

/// A secret found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::guard) struct Secret {
    pub(super) kind: Kind,
    pub(in crate::guard) range: Range<usize>,
}

/// What follows an anchor.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// The anchor is the prefix of a token.
    Token(Body),
    /// The anchor names what stands behind it.
    Value(Body),
    /// Anything else.
    Custom(fn(&Site<'_>) -> Option<Secret>),
}

/// The part of a token behind its prefix. Of equal bounds, it must end where a word ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Body {
    pub(super) alphabet: Alphabet,
    pub(super) min: usize,
    pub(super) max: usize,
    pub(super) quality: Quality,
}

impl Body {
    /// The length of the body at the start of `bytes`, if there is one.
    pub(super) fn length(&self, bytes: &[u8]) -> Option<usize> {
        let head = bytes.get(..self.min)?;
        let exact = self.min == self.max;
        (head.iter().all(|&b| self.alphabet.has(b))
            && self.quality.accepts(head)
            && (!exact || ends_word(&bytes[self.min..])))
        .then(|| self.alphabet.run(bytes, self.max))
    }
}

/// One anchor.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    pub(super) anchor: &'static str,
    pub(super) kind: Kind,
    pub(super) shape: Shape,
}

impl Rule {
    pub(super) fn check(&self, site: &Site<'_>) -> Option<Secret> {
        match self.shape {
            Shape::Token(body) if starts_word(site.before()) => {
                Some(site.with_anchor(self.kind, body.length(site.after())?))
            }
            Shape::Token(_) => None,
            Shape::Value(body) => {
                let length = body.length(site.after())?;
                Some(Secret { kind: self.kind, range: site.end..site.end + length })
            }
            Shape::Custom(check) => check(site),
        }
    }
}

/// The token at the very start of `text`, if one of the prefixes fits.
pub(super) fn token_at_start(text: &[u8]) -> Option<Secret> {
    RULES.iter().filter(|rule| text.starts_with(rule.anchor.as_bytes())).find_map(|rule| {
        let site = Site { text, floor: 0, start: 0, end: rule.anchor.len() };
        rule.check(&site).filter(|secret| secret.range.start == 0)
    })
}

const fn body(alphabet: Alphabet, min: usize, max: usize, quality: Quality) -> Body {
    Body { alphabet, min, max, quality }
}

const fn token(anchor: &'static str, kind: Kind, body: Body) -> Rule {
    Rule { anchor, kind, shape: Shape::Token(body) }
}

const fn value(anchor: &'static str, kind: Kind, body: Body) -> Rule {
    Rule { anchor, kind, shape: Shape::Value(body) }
}

const fn custom(anchor: &'static str, kind: Kind, check: fn(&Site<'_>) -> Option<Secret>) -> Rule {
    Rule { anchor, kind, shape: Shape::Custom(check) }
}

const AWS_ID: Body = body(Alphabet::UPPER_ALNUM, 16, 16, Quality::Any);
const GITHUB: Body = body(Alphabet::ALNUM, 36, 255, Quality::Any);
const GITLAB: Body = body(Alphabet::URL_SAFE.or(Alphabet::of(b".")), 20, 300, Quality::Dense);
const AZURE: Body = body(Alphabet::BASE64, 43, 128, Quality::Mixed);
const VAULT: Body = body(Alphabet::URL_SAFE, 24, 300, Quality::Dense);
const SHOPIFY: Body = body(Alphabet::HEX, 32, 32, Quality::Any);
const GRAFANA: Body = body(Alphabet::URL_SAFE.or(Alphabet::BASE64), 32, 400, Quality::Mixed);

/// No anchor is a prefix of another one, and none occurs in a marker.
pub(super) const RULES: &[Rule] = &[
    token("AKIA", Kind::AwsAccessKeyId, AWS_ID),
    token("ASIA", Kind::AwsAccessKeyId, AWS_ID),
    token("ABIA", Kind::AwsAccessKeyId, AWS_ID),
    token("ACCA", Kind::AwsAccessKeyId, AWS_ID),
    custom("ecret_access", Kind::AwsSecretAccessKey, context::aws_secret_access_key),
    custom("ECRET_ACCESS", Kind::AwsSecretAccessKey, context::aws_secret_access_key),
    custom("ecretAccess", Kind::AwsSecretAccessKey, context::aws_secret_access_key),
    custom("aws_secret", Kind::AwsSecretAccessKey, context::aws_secret_access_key),
    custom("AWS_SECRET", Kind::AwsSecretAccessKey, context::aws_secret_access_key),
    custom("awsSecret", Kind::AwsSecretAccessKey, context::aws_secret_access_key),
    token("ghp_", Kind::GithubToken, GITHUB),
    token("gho_", Kind::GithubToken, GITHUB),
    token("ghu_", Kind::GithubToken, GITHUB),
    token("ghs_", Kind::GithubToken, GITHUB),
    token("ghr_", Kind::GithubToken, GITHUB),
    token("github_pat_", Kind::GithubToken, body(Alphabet::URL_SAFE, 40, 255, Quality::Digits)),
    token("glpat-", Kind::GitlabToken, GITLAB),
    token("gldt-", Kind::GitlabToken, GITLAB),
    token("glrt-", Kind::GitlabToken, GITLAB),
    token("glrtr-", Kind::GitlabToken, GITLAB),
    token("glcbt-", Kind::GitlabToken, GITLAB),
    token("glptt-", Kind::GitlabToken, GITLAB),
    token("glft-", Kind::GitlabToken, GITLAB),
    token("glimt-", Kind::GitlabToken, GITLAB),
    token("glagent-", Kind::GitlabToken, GITLAB),
    token("gloas-", Kind::GitlabToken, GITLAB),
    token("glsoat-", Kind::GitlabToken, GITLAB),
    token("glffct-", Kind::GitlabToken, GITLAB),
    token("GR1348941", Kind::GitlabToken, GITLAB),
    custom("xox", Kind::SlackToken, context::slack_token),
    token("xapp-", Kind::SlackToken, body(Alphabet::ALNUM.or(Alphabet::of(b"-")), 20, 255, Quality::Dense)),
    value(
        "hooks.slack.com/services/",
        Kind::SlackWebhook,
        body(Alphabet::ALNUM.or(Alphabet::of(b"/")), 30, 120, Quality::Mixed),
    ),
    value(
        "/api/webhooks/",
        Kind::DiscordWebhook,
        body(Alphabet::URL_SAFE.or(Alphabet::of(b"/")), 64, 200, Quality::Digits),
    ),
    custom("sk-", Kind::OpenaiApiKey, context::sk_key),
    custom("k_live_", Kind::StripeKey, context::stripe_key),
    custom("k_test_", Kind::StripeKey, context::stripe_key),
    token("whsec_", Kind::StripeKey, body(Alphabet::BASE64, 32, 255, Quality::Mixed)),
    token("AIza", Kind::GoogleApiKey, body(Alphabet::URL_SAFE, 35, 64, Quality::Dense)),
    token("GOCSPX-", Kind::GoogleOauthSecret, body(Alphabet::URL_SAFE, 28, 64, Quality::Dense)),
    token("ya29.", Kind::GoogleOauthSecret, body(Alphabet::TOKEN68, 30, 2048, Quality::Mixed)),
    token("hf_", Kind::HuggingFaceToken, body(Alphabet::ALNUM, 34, 64, Quality::Any)),
    token("npm_", Kind::NpmToken, body(Alphabet::ALNUM, 36, 36, Quality::Any)),
    token("pypi-AgE", Kind::PypiToken, body(Alphabet::URL_SAFE, 48, 1024, Quality::Mixed)),
    token("cio", Kind::CratesIoToken, body(Alphabet::ALNUM, 32, 32, Quality::Digits)),
    token("rubygems_", Kind::RubygemsToken, body(Alphabet::HEX, 48, 48, Quality::Any)),
    token("dckr_pat_", Kind::DockerHubToken, body(Alphabet::URL_SAFE, 27, 64, Quality::Dense)),
    custom("_v1_", Kind::DigitaloceanToken, context::digitalocean_token),
    custom("SG.", Kind::SendgridKey, context::sendgrid_key),
    custom(":AA", Kind::TelegramBotToken, context::telegram_bot_token),
    value("AccountKey=", Kind::AzureKey, AZURE),
    value("SharedAccessKey=", Kind::AzureKey, AZURE),
    token("gsk_", Kind::GroqApiKey, body(Alphabet::ALNUM, 40, 128, Quality::Any)),
    token("xai-", Kind::XaiApiKey, body(Alphabet::ALNUM, 60, 128, Quality::Any)),
    token("pplx-", Kind::PerplexityApiKey, body(Alphabet::ALNUM, 40, 128, Quality::Any)),
    token("r8_", Kind::ReplicateToken, body(Alphabet::ALNUM, 37, 37, Quality::Any)),
    token("dapi", Kind::DatabricksToken, body(Alphabet::HEX, 32, 32, Quality::Mixed)),
    token("hvs.", Kind::VaultToken, VAULT),
    token("hvb.", Kind::VaultToken, VAULT),
    token("ATATT3", Kind::AtlassianToken, body(Alphabet::TOKEN68, 60, 400, Quality::Mixed)),
    token("lin_api_", Kind::LinearApiKey, body(Alphabet::ALNUM, 32, 128, Quality::Any)),
    token("PMAK-", Kind::PostmanApiKey, body(Alphabet::HEX.or(Alphabet::of(b"-")), 59, 64, Quality::Mixed)),
    token("glsa_", Kind::GrafanaToken, GRAFANA),
    token("glc_eyJ", Kind::GrafanaToken, GRAFANA),
    token("shpat_", Kind::ShopifyToken, SHOPIFY),
    token("shpca_", Kind::ShopifyToken, SHOPIFY),
    token("shppa_", Kind::ShopifyToken, SHOPIFY),
    token("shpss_", Kind::ShopifyToken, SHOPIFY),
    token("AGE-SECRET-KEY-1", Kind::AgeSecretKey, body(Alphabet::UPPER_ALNUM, 58, 58, Quality::Mixed)),
    custom(".eyJ", Kind::Jwt, blocks::jwt),
    custom("-BEGIN ", Kind::PrivateKey, blocks::private_key),
    custom("://", Kind::UrlPassword, context::url_password),
    custom("earer ", Kind::HttpCredentials, context::bearer),
    custom("asic ", Kind::HttpCredentials, context::basic),
];

//! The kinds of secrets that are known by their shape.

use std::fmt;

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident => $name:literal,)+) => {
        /// What a secret is for, as far as its shape tells.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind {
            $($(#[$doc])* $variant,)+
        }

        impl Kind {
            /// Every kind, in the order in which they are declared.
            #[cfg(test)]
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The stable name, in kebab case, as it stands in `[REDACTED:<name>]`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// The text that takes the place of a secret of this kind.
            #[must_use]
            pub const fn marker(self) -> &'static str {
                match self {
                    $(Self::$variant => concat!("[REDACTED:", $name, "]"),)+
                }
            }
        }
    };
}

kinds! {
    /// An AWS access key id.
    AwsAccessKeyId => "aws-access-key-id",
    /// An AWS secret access key, known by the name that it is assigned to.
    AwsSecretAccessKey => "aws-secret-access-key",
    /// A GitHub personal, OAuth, app or refresh token.
    GithubToken => "github-token",
    /// A GitLab personal, deploy, runner, trigger or agent token.
    GitlabToken => "gitlab-token",
    /// A Slack bot, user, app or configuration token.
    SlackToken => "slack-token",
    /// The secret part of a Slack webhook's address.
    SlackWebhook => "slack-webhook",
    /// The secret part of a Discord webhook's address.
    DiscordWebhook => "discord-webhook",
    /// An OpenAI API key, or one of a service that took over its shape.
    OpenaiApiKey => "openai-api-key",
    /// An Anthropic API key or session token.
    AnthropicApiKey => "anthropic-api-key",
    /// An OpenRouter API key.
    OpenrouterApiKey => "openrouter-api-key",
    /// A Groq API key.
    GroqApiKey => "groq-api-key",
    /// An xAI API key.
    XaiApiKey => "xai-api-key",
    /// A Perplexity API key.
    PerplexityApiKey => "perplexity-api-key",
    /// A Replicate API token.
    ReplicateToken => "replicate-token",
    /// A Hugging Face token.
    HuggingFaceToken => "hugging-face-token",
    /// A Google API key.
    GoogleApiKey => "google-api-key",
    /// A Google OAuth client secret or access token.
    GoogleOauthSecret => "google-oauth-secret",
    /// The key of an Azure storage account or service bus.
    AzureKey => "azure-key",
    /// A Stripe secret, restricted or webhook key, live or test.
    StripeKey => "stripe-key",
    /// An npm access token.
    NpmToken => "npm-token",
    /// A `PyPI` upload token.
    PypiToken => "pypi-token",
    /// A crates.io API token.
    CratesIoToken => "crates-io-token",
    /// A RubyGems.org API key.
    RubygemsToken => "rubygems-token",
    /// A Docker Hub access token.
    DockerHubToken => "docker-hub-token",
    /// A `DigitalOcean` token.
    DigitaloceanToken => "digitalocean-token",
    /// A `SendGrid` API key.
    SendgridKey => "sendgrid-key",
    /// A Telegram bot's token.
    TelegramBotToken => "telegram-bot-token",
    /// A Databricks personal access token.
    DatabricksToken => "databricks-token",
    /// A `HashiCorp` Vault service or batch token.
    VaultToken => "vault-token",
    /// An Atlassian API token.
    AtlassianToken => "atlassian-token",
    /// A Linear API key.
    LinearApiKey => "linear-api-key",
    /// A Postman API key.
    PostmanApiKey => "postman-api-key",
    /// A Grafana service account token.
    GrafanaToken => "grafana-token",
    /// A Shopify access token or shared secret.
    ShopifyToken => "shopify-token",
    /// An age identity.
    AgeSecretKey => "age-secret-key",
    /// A signed JSON web token.
    Jwt => "jwt",
    /// A PEM or OpenPGP private key block.
    PrivateKey => "private-key",
    /// The password in an address, `scheme://user:password@host`.
    UrlPassword => "url-password",
    /// The credentials of an HTTP `Bearer` or `Basic` header.
    HttpCredentials => "http-credentials",
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

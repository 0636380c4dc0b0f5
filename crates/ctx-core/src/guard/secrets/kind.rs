//! The kinds of secrets that are known by their shape.

use std::fmt;

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident => $name:literal,)+) => {
        /// What a secret is for, as far as its shape tells.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum SecretKind {
            $($(#[$doc])* $variant,)+
        }

        impl SecretKind {
            /// Every kind, in the order in which they are declared.
            #[cfg(test)]
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The stable name, in kebab case, as it is in `[REDACTED:<name>]`.
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
    /// An AWS session token.
    AwsSessionToken => "aws-session-token",
    /// An API key of Amazon Bedrock.
    AwsBedrockKey => "aws-bedrock-key",
    /// A Google API key.
    GoogleApiKey => "google-api-key",
    /// A Google OAuth client secret, access token or refresh token.
    GoogleOauthSecret => "google-oauth-secret",
    /// A server key or registration token of Firebase Cloud Messaging.
    FirebaseToken => "firebase-token",
    /// The key of an Azure storage account, a service bus or a cache.
    AzureKey => "azure-key",
    /// The signature of an Azure shared access signature.
    AzureSas => "azure-sas",
    /// A client secret of Microsoft Entra.
    AzureClientSecret => "azure-client-secret",
    /// An Alibaba Cloud access key id.
    AlibabaKeyId => "alibaba-key-id",
    /// A `DigitalOcean` token.
    DigitaloceanToken => "digitalocean-token",
    /// A Cloudflare origin CA key or API token.
    CloudflareKey => "cloudflare-key",
    /// A Fly.io token.
    FlyToken => "fly-token",
    /// A Heroku API key.
    HerokuKey => "heroku-key",
    /// A Netlify token.
    NetlifyToken => "netlify-token",
    /// A Pulumi access token.
    PulumiToken => "pulumi-token",
    /// An HCP Terraform token.
    TerraformToken => "terraform-token",
    /// A `HashiCorp` Vault service, batch or recovery token.
    VaultToken => "vault-token",
    /// A Tailscale key.
    TailscaleKey => "tailscale-key",
    /// A Databricks personal access token.
    DatabricksToken => "databricks-token",
    /// A `PlanetScale` token or password.
    PlanetscaleToken => "planetscale-token",
    /// A Supabase secret key or access token.
    SupabaseKey => "supabase-key",
    /// A Dynatrace token.
    DynatraceToken => "dynatrace-token",
    /// A Scaleway access key, or a secret key by its name.
    ScalewayKey => "scaleway-key",
    /// A Vercel token, or the key of a blob store.
    VercelToken => "vercel-token",
    /// A Neon API key.
    NeonApiKey => "neon-api-key",
    /// An ngrok token, known by the name that it is assigned to.
    NgrokToken => "ngrok-token",
    /// An `OpenShift` login token.
    OpenshiftToken => "openshift-token",
    /// A Render API key.
    RenderApiKey => "render-api-key",
    /// A GitHub personal, OAuth, app or refresh token.
    GithubToken => "github-token",
    /// A GitLab personal, deploy, runner, trigger or agent token.
    GitlabToken => "gitlab-token",
    /// A Bitbucket app password or access token.
    BitbucketToken => "bitbucket-token",
    /// An Atlassian API token.
    AtlassianToken => "atlassian-token",
    /// An npm access token, or another registry's in `.npmrc`.
    NpmToken => "npm-token",
    /// A `PyPI` upload token.
    PypiToken => "pypi-token",
    /// A crates.io API token.
    CratesIoToken => "crates-io-token",
    /// A RubyGems.org API key.
    RubygemsToken => "rubygems-token",
    /// A Clojars deploy token.
    ClojarsToken => "clojars-token",
    /// A Docker Hub access token, or the login of a registry.
    DockerHubToken => "docker-hub-token",
    /// An Artifactory API key or reference token.
    ArtifactoryToken => "artifactory-token",
    /// A `CircleCI` token.
    CircleciToken => "circleci-token",
    /// A token of `SonarQube`.
    SonarToken => "sonar-token",
    /// A Sentry token.
    SentryToken => "sentry-token",
    /// A Doppler token.
    DopplerToken => "doppler-token",
    /// A `1Password` service account token.
    OnePasswordToken => "one-password-token",
    /// An age identity.
    AgeSecretKey => "age-secret-key",
    /// A Buildkite user, job or agent token.
    BuildkiteToken => "buildkite-token",
    /// A `NuGet` API key.
    NugetApiKey => "nuget-api-key",
    /// A Sourcegraph access token.
    SourcegraphToken => "sourcegraph-token",
    /// A Harness personal or service account token.
    HarnessToken => "harness-token",
    /// An Infracost API key.
    InfracostKey => "infracost-key",
    /// An OpenAI API key, or one of a service that took over its shape.
    OpenaiApiKey => "openai-api-key",
    /// An Anthropic API key or session token.
    AnthropicApiKey => "anthropic-api-key",
    /// An OpenRouter API key.
    OpenrouterApiKey => "openrouter-api-key",
    /// A Langfuse secret key.
    LangfuseKey => "langfuse-key",
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
    /// An NVIDIA API key.
    NvidiaApiKey => "nvidia-api-key",
    /// A Cerebras API key.
    CerebrasApiKey => "cerebras-api-key",
    /// A Pinecone API key.
    PineconeApiKey => "pinecone-api-key",
    /// A Tavily API key.
    TavilyApiKey => "tavily-api-key",
    /// A LangSmith key.
    LangsmithKey => "langsmith-key",
    /// A Firecrawl API key.
    FirecrawlApiKey => "firecrawl-api-key",
    /// A Jina API key.
    JinaApiKey => "jina-api-key",
    /// A `LlamaCloud` key.
    LlamaCloudKey => "llama-cloud-key",
    /// A Weights & Biases API key; an old one is known by the name that it is assigned to.
    WeightsAndBiasesKey => "weights-and-biases-key",
    /// An `ElevenLabs` API key.
    ElevenlabsApiKey => "elevenlabs-api-key",
    /// A Voyage AI API key.
    VoyageApiKey => "voyage-api-key",
    /// A Fireworks AI API key.
    FireworksApiKey => "fireworks-api-key",
    /// A Together AI API key.
    TogetherApiKey => "together-api-key",
    /// The id or the secret of a Modal token.
    ModalToken => "modal-token",
    /// A `RunPod` API key.
    RunpodApiKey => "runpod-api-key",
    /// An E2B API key.
    E2bApiKey => "e2b-api-key",
    /// A Slack bot, user, app, session or configuration token.
    SlackToken => "slack-token",
    /// The secret part of the address of a Slack webhook or workflow.
    SlackWebhook => "slack-webhook",
    /// The secret part of a Discord webhook's address.
    DiscordWebhook => "discord-webhook",
    /// A Discord bot's token.
    DiscordBotToken => "discord-bot-token",
    /// A Telegram bot's token.
    TelegramBotToken => "telegram-bot-token",
    /// A Twilio API key, or an auth token by its name.
    TwilioKey => "twilio-key",
    /// A `SendGrid` API key.
    SendgridKey => "sendgrid-key",
    /// A Mailgun API key; one without a prefix is known by the name that it is assigned to.
    MailgunKey => "mailgun-key",
    /// A Brevo API key.
    BrevoKey => "brevo-key",
    /// A Stripe secret, restricted or webhook key, live or test.
    StripeKey => "stripe-key",
    /// A Square token or application secret.
    SquareToken => "square-token",
    /// A Shopify access token or shared secret.
    ShopifyToken => "shopify-token",
    /// A token of Braintree or `PayPal`.
    PaypalSecret => "paypal-secret",
    /// A Linear API key.
    LinearApiKey => "linear-api-key",
    /// A Notion token.
    NotionToken => "notion-token",
    /// A Figma token.
    FigmaToken => "figma-token",
    /// An Airtable personal access token.
    AirtableToken => "airtable-token",
    /// A Contentful personal access token.
    ContentfulToken => "contentful-token",
    /// A Postman API key.
    PostmanApiKey => "postman-api-key",
    /// A Grafana service account or cloud token.
    GrafanaToken => "grafana-token",
    /// A New Relic user, ingest or license key.
    NewRelicKey => "new-relic-key",
    /// A Datadog key, known by the name that it is assigned to.
    DatadogKey => "datadog-key",
    /// A Typeform token.
    TypeformToken => "typeform-token",
    /// A Prefect Cloud API key.
    PrefectToken => "prefect-token",
    /// A ReadMe API key.
    ReadmeToken => "readme-token",
    /// A `HubSpot` private app token.
    HubspotToken => "hubspot-token",
    /// A `PostHog` personal or feature flag key; a project's (`phc_`) is public.
    PosthogKey => "posthog-key",
    /// A Resend API key.
    ResendApiKey => "resend-api-key",
    /// A secret or temporary Mapbox token; a public one (`pk.`) is no secret.
    MapboxToken => "mapbox-token",
    /// A Facebook access token.
    FacebookToken => "facebook-token",
    /// A Dropbox access token.
    DropboxToken => "dropbox-token",
    /// An Adafruit IO key.
    AdafruitKey => "adafruit-key",
    /// A Duffel token.
    DuffelToken => "duffel-token",
    /// An `EasyPost` API key.
    EasypostKey => "easypost-key",
    /// A Flutterwave secret key.
    FlutterwaveKey => "flutterwave-key",
    /// A Plaid access token.
    PlaidToken => "plaid-token",
    /// A Mailchimp API key.
    MailchimpKey => "mailchimp-key",
    /// A Shippo API token.
    ShippoToken => "shippo-token",
    /// An Apify API token.
    ApifyToken => "apify-token",
    /// A `Frame.io` developer token.
    FrameIoToken => "frame-io-token",
    /// An Adobe client secret.
    AdobeSecret => "adobe-secret",
    /// A Riot Games API key.
    RiotApiKey => "riot-api-key",
    /// A signed or encrypted JSON web token.
    Jwt => "jwt",
    /// A PEM, OpenPGP, SSH or `PuTTY` private key, or its base 64.
    PrivateKey => "private-key",
    /// The password or token in an address, `scheme://user:password@host`.
    UrlPassword => "url-password",
    /// The credentials of an HTTP `Authorization` header.
    HttpCredentials => "http-credentials",
    /// The password of a login in the form of `.netrc`.
    NetrcPassword => "netrc-password",
}

impl fmt::Display for SecretKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

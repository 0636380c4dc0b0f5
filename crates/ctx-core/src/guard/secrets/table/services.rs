//! Messages, payments and other services.

use super::super::bytes::{Alphabet, Quality};
use super::super::rules::Body;
use super::super::{prefixed, url};
use super::{Kind, Row, assigned, custom, row, tokens, values};

/// Messages, payments and other services.
pub(super) const ROWS: &[Row] = &[
    row!(
        SlackToken,
        source: "https://api.slack.com/concepts/token-types",
        rules: [custom(&["xox"], prefixed::slack_token), tokens(&["xapp-"], Body::from(20, Alphabet::ALNUM.or(Alphabet::of(b"-")), Quality::Dense))],
        examples: ["xoxb-2345678901-2345678901234-{alnum 24}", "xoxp-2345678901-2345678901-23456789012-{hex 32}", "xoxe.xoxp-1-{alnum 160}", "xoxd-{b64 120}", "xapp-1-A012BC34DEF-1234567890123-{hex 64}"],
        harmless: ["xoxb-your-token-here xoxb-not-a-real-token-this-will-not-work xoxp-xxxxxxxxxxxx-xxxxxxxxxxxx"],
    ),
    row!(
        SlackWebhook,
        source: "https://api.slack.com/messaging/webhooks",
        rules: [custom(&["hooks.slack.com", "hooks.slack-gov.com"], url::slack_webhook)],
        examples: ["https://hooks.slack.com/services/«T0{upper 8}/B0{upper 8}/{alnum 24}»", "https://hooks.slack.com/workflows/«T0{upper 8}/A0{upper 8}/{digits 18}/{alnum 24}»", "https://hooks.slack.com/triggers/«T0{upper 8}/{digits 13}/{hex 32}»"],
        harmless: ["https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"],
    ),
    row!(
        DiscordWebhook,
        source: "https://discord.com/developers/docs/resources/webhook",
        rules: [values(&["/api/webhooks/", "\\/api\\/webhooks\\/", "%2Fapi%2Fwebhooks%2F"], Body::from(64, Alphabet::URL_SAFE.or(Alphabet::of(b"/")), Quality::Digits))],
        examples: ["https://discord.com/api/webhooks/«123456789012345678/{url 68}»"],
        harmless: ["/api/webhooks/github/events"],
    ),
    row!(
        DiscordBotToken,
        source: "https://discord.com/developers/docs/reference#authentication",
        rules: [custom(&["iscord", "ISCORD", "BOT_TOKEN", "bot_token", "otToken", ".login", "bot.run", "client.run"], prefixed::discord_bot_token)],
        examples: ["DISCORD_TOKEN=«MTA{alnum 23}.G{alnum 5}.{url 38}»", "client.login(\"«OTk{alnum 23}.X{alnum 5}.{url 27}»\")", "\"discordBotToken\": \"«Nzk{alnum 21}.Y{alnum 5}.{url 27}»\""],
        harmless: ["discord_token = os.environ[\"TOKEN\"] discord.gg/abc"],
    ),
    row!(
        TelegramBotToken,
        source: "https://core.telegram.org/bots/api#authorizing-your-bot",
        rules: [custom(&[":AA", "%3AAA"], prefixed::telegram_bot_token)],
        examples: ["123456789:AA{url 33}", "https://api.telegram.org/bot«1234567890:AA{url 33}»/getMe"],
        harmless: ["00:1A:AA:BB:CC:DD 2001:db8::AA:1 12345678:AAAA 123456789:AAxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"],
    ),
    row!(
        TwilioKey,
        source: "https://www.twilio.com/docs/iam/api-keys",
        rules: [tokens(&["SK0", "SK1", "SK2", "SK3", "SK4", "SK5", "SK6", "SK7", "SK8", "SK9", "SKa", "SKb", "SKc", "SKd", "SKe", "SKf"], Body::of(31, Alphabet::HEX, Quality::Mixed)), assigned(&["TWILIO_AUTH_TOKEN", "wilioAuthToken", "twilio_auth_token"], Body::of(32, Alphabet::HEX, Quality::Mixed))],
        examples: ["SK{hex 32}", "TWILIO_AUTH_TOKEN=«{hex 32}»"],
        harmless: ["SK0 TASK0 SKeleton"],
    ),
    row!(
        SendgridKey,
        source: "https://www.twilio.com/docs/sendgrid/ui/account-and-settings/api-keys",
        rules: [custom(&["SG."], prefixed::sendgrid_key)],
        examples: ["SG.{url 22}.{url 43}"],
        harmless: ["SG.SomeClass.someMethod msg.SG.x"],
    ),
    row!(
        MailgunKey,
        source: "https://documentation.mailgun.com/docs/mailgun/api-reference/mg-auth",
        rules: [tokens(&["key-"], Body::of(32, Alphabet::HEX, Quality::Mixed))],
        examples: ["key-{hex 32}"],
        harmless: ["key-value key-down"],
    ),
    row!(
        BrevoKey,
        source: "https://developers.brevo.com/docs/getting-started",
        rules: [tokens(&["xkeysib-", "xsmtpsib-"], Body::from(64, Alphabet::ALNUM.or(Alphabet::of(b"-")), Quality::Random))],
        examples: ["xkeysib-{hex 64}-{alnum 16}"],
        harmless: ["xkeysib-..."],
    ),
    row!(
        StripeKey,
        source: "https://docs.stripe.com/keys",
        rules: [custom(&["k_live_", "k_test_"], prefixed::stripe_key), tokens(&["whsec_"], Body::from(32, Alphabet::BASE64, Quality::Mixed))],
        examples: ["sk_live_{alnum 24}", "sk_test_{alnum 99}", "rk_live_{alnum 24}", "whsec_{alnum 32}"],
        harmless: ["pk_live_51H8xYz2eZvKYlo2CqPMlXkVnWmT sk_live_... sk_test_xxxxxxxxxxxxxxxxxxxxxxxx task_test_something_long1"],
    ),
    row!(
        SquareToken,
        source: "https://developer.squareup.com/docs/build-basics/access-tokens",
        rules: [custom(&["EAAA"], prefixed::square_token), tokens(&["sq0atp-", "sq0csp-"], Body::from(22, Alphabet::URL_SAFE, Quality::Dense))],
        examples: ["EAAA{alnum 60}", "sq0atp-{url 22}", "sq0csp-{url 43}"],
        harmless: [
            "EAAA sq0idp-public",
            // WebAssembly in base 64.
            "AGFzbQEAAAABJwdgAX8Bf2ADf39/AX9gAX8AYAJ/fwBgBH9f38B/EAAABwBB3AgLii1JbnZhbGlkIGNoYXIgaW4gdXJsIHF1ZXJ5AFNwYW4gY2FsbGJhY2sgZXJyb3IgaW4gb25fYm9keQBQYXVzZQ",
        ],
    ),
    row!(
        ShopifyToken,
        source: "https://shopify.dev/docs/apps/build/authentication-authorization",
        rules: [tokens(&["shpat_", "shpca_", "shppa_", "shpss_", "shpua_"], Body::of(32, Alphabet::HEX, Quality::Any))],
        examples: ["shpat_{hex 32}", "shpss_{hex 32}"],
        harmless: ["shpat_token"],
    ),
    row!(
        PaypalSecret,
        source: "https://developer.paypal.com/braintree/articles/control-panel/important-gateway-credentials",
        rules: [tokens(&["access_token$", "access_token%24"], Body::from(40, Alphabet::ALNUM.or(Alphabet::of(b"$")), Quality::Random))],
        examples: ["access_token$production${lower 16}${hex 32}"],
        harmless: ["access_token$x"],
    ),
    row!(
        LinearApiKey,
        source: "https://linear.app/developers/graphql",
        rules: [tokens(&["lin_api_", "lin_oauth_"], Body::from(32, Alphabet::ALNUM, Quality::Any))],
        examples: ["lin_api_{alnum 40}"],
        harmless: ["lin_api_key"],
    ),
    row!(
        NotionToken,
        source: "https://developers.notion.com/docs/authorization",
        rules: [tokens(&["ntn_"], Body::from(40, Alphabet::ALNUM, Quality::AllThree)), tokens(&["secret_"], Body::of(43, Alphabet::ALNUM, Quality::AllThree))],
        examples: ["ntn_{digits 11}{alnum 35}", "secret_{alnum 43}"],
        harmless: ["ntn_token secret_access secret_key_base"],
    ),
    row!(
        FigmaToken,
        source: "https://www.figma.com/developers/api#access-tokens",
        rules: [tokens(&["figd_", "figu_", "figo_"], Body::from(40, Alphabet::URL_SAFE, Quality::AllThree))],
        examples: ["figd_{url 40}"],
        harmless: ["figd_token"],
    ),
    row!(
        AirtableToken,
        source: "https://airtable.com/developers/web/guides/personal-access-tokens",
        rules: [custom(&["AIRTABLE", "irtable"], prefixed::airtable_token)],
        examples: ["AIRTABLE_API_KEY=«pat{alnum 14}.{hex 64}»"],
        harmless: ["airtable_base = app123"],
    ),
    row!(
        ContentfulToken,
        source: "https://www.contentful.com/help/token-management/personal-access-tokens/",
        rules: [tokens(&["CFPAT-"], Body::from(40, Alphabet::URL_SAFE, Quality::AllThree))],
        examples: ["CFPAT-{url 43}"],
        harmless: ["CFPAT-token"],
    ),
    row!(
        PostmanApiKey,
        source: "https://learning.postman.com/docs/developer/postman-api/authentication/",
        rules: [tokens(&["PMAK-"], Body::from(59, Alphabet::HEX.or(Alphabet::of(b"-")), Quality::Mixed))],
        examples: ["PMAK-{hex 24}-{hex 34}"],
        harmless: ["PMAK-key"],
    ),
    row!(
        GrafanaToken,
        source: "https://grafana.com/docs/grafana/latest/administration/service-accounts/",
        rules: [tokens(&["glsa_", "glc_eyJ"], Body::from(32, Alphabet::URL_SAFE.or(Alphabet::BASE64), Quality::AllThree))],
        examples: ["glsa_{alnum 32}_{hex 8}", "glc_eyJ{b64 100}"],
        harmless: ["glsa_token glc_depth", "x.py,sha256=R9-glc_Q2vQ7hXoXi5HQjY55dIGhavSKcluOT7U0BHg,23452"],
    ),
    row!(
        NewRelicKey,
        source: "https://docs.newrelic.com/docs/apis/intro-apis/new-relic-api-keys/",
        rules: [tokens(&["NRAK-", "NRII-", "NRIQ-", "NRRA-"], Body::from(27, Alphabet::URL_SAFE, Quality::Random)), custom(&["NRAL"], prefixed::new_relic_license)],
        examples: ["NRAK-{upper 27}", "NRII-{url 32}", "{hex 36}NRAL"],
        harmless: ["NRAK-KEY NRAL"],
    ),
    row!(
        DatadogKey,
        source: "https://docs.datadoghq.com/account_management/api-app-keys/",
        rules: [assigned(&["DD_API_KEY", "DD_APP_KEY", "DATADOG_API_KEY", "DATADOG_APP_KEY", "dd_api_key"], Body::from(32, Alphabet::HEX, Quality::Mixed))],
        examples: ["DD_API_KEY=«{hex 32}»", "DD_APP_KEY: \"«{hex 40}»\""],
        harmless: ["DD_API_KEY=<key>"],
    ),
    row!(
        TypeformToken,
        source: "https://www.typeform.com/developers/get-started/personal-access-token/",
        rules: [tokens(&["tfp_"], Body::from(40, Alphabet::URL_SAFE.or(Alphabet::of(b".=")), Quality::AllThree))],
        examples: ["tfp_{url 59}"],
        harmless: ["tfp_x"],
    ),
    row!(
        PrefectToken,
        source: "https://docs.prefect.io/v3/manage/cloud/manage-users/api-keys",
        rules: [tokens(&["pnu_", "pnb_"], Body::of(36, Alphabet::ALNUM, Quality::AllThree))],
        examples: ["pnu_{alnum 36}"],
        harmless: ["pnu_key"],
    ),
    row!(
        ReadmeToken,
        source: "https://docs.readme.com/main/docs/authentication",
        rules: [tokens(&["rdme_"], Body::from(60, Alphabet::ALNUM, Quality::Random))],
        examples: ["rdme_xn8s9h{lower 64}"],
        harmless: ["rdme_key"],
    ),
];

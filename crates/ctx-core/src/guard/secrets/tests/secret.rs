//! What must be found.

use super::{ALNUM, BASE64, HEX, Kind, UPPER, URL_SAFE, random};

/// Secrets that are known by themselves.
pub(super) fn tokens() -> Vec<(Kind, String)> {
    let shapes: &[(Kind, &str, &str, usize)] = &[
        (Kind::AwsAccessKeyId, "AK IA", UPPER, 16),
        (Kind::AwsAccessKeyId, "AS IA", UPPER, 16),
        (Kind::GithubToken, "gh p_", ALNUM, 36),
        (Kind::GithubToken, "gh o_", ALNUM, 36),
        (Kind::GithubToken, "gh u_", ALNUM, 36),
        (Kind::GithubToken, "gh s_", ALNUM, 36),
        (Kind::GithubToken, "gh r_", ALNUM, 76),
        (Kind::GithubToken, "github _pat_", ALNUM, 82),
        (Kind::GitlabToken, "gl pat-", URL_SAFE, 20),
        (Kind::GitlabToken, "gl dt-", URL_SAFE, 20),
        (Kind::GitlabToken, "gl rt-", URL_SAFE, 20),
        (Kind::GitlabToken, "gl ptt-", HEX, 40),
        (Kind::GitlabToken, "GR13 48941", URL_SAFE, 20),
        (Kind::SlackToken, "xox b-2345678901-2345678901234-", ALNUM, 24),
        (Kind::SlackToken, "xox p-2345678901-2345678901-23456789012-", HEX, 32),
        (Kind::SlackToken, "xox e.xoxp-1-", ALNUM, 160),
        (Kind::SlackToken, "xap p-1-A012BC34DEF-1234567890123-", HEX, 64),
        (Kind::OpenaiApiKey, "sk -", ALNUM, 48),
        (Kind::OpenaiApiKey, "sk -proj-", URL_SAFE, 156),
        (Kind::OpenaiApiKey, "sk -svcacct-", URL_SAFE, 156),
        (Kind::OpenaiApiKey, "sk -admin-", URL_SAFE, 120),
        (Kind::OpenaiApiKey, "sk -", HEX, 32),
        (Kind::AnthropicApiKey, "sk -ant-api03-", URL_SAFE, 95),
        (Kind::AnthropicApiKey, "sk -ant-admin01-", URL_SAFE, 95),
        (Kind::AnthropicApiKey, "sk -ant-oat01-", URL_SAFE, 95),
        (Kind::OpenrouterApiKey, "sk -or-v1-", HEX, 64),
        (Kind::GroqApiKey, "gs k_", ALNUM, 52),
        (Kind::XaiApiKey, "xa i-", ALNUM, 80),
        (Kind::PerplexityApiKey, "pp lx-", ALNUM, 48),
        (Kind::ReplicateToken, "r 8_", ALNUM, 37),
        (Kind::HuggingFaceToken, "h f_", ALNUM, 34),
        (Kind::GoogleApiKey, "AI zaSy", URL_SAFE, 33),
        (Kind::GoogleOauthSecret, "GOC SPX-", URL_SAFE, 28),
        (Kind::GoogleOauthSecret, "ya2 9.a0", URL_SAFE, 160),
        (Kind::StripeKey, "sk _live_", ALNUM, 24),
        (Kind::StripeKey, "sk _test_", ALNUM, 99),
        (Kind::StripeKey, "rk _live_", ALNUM, 24),
        (Kind::StripeKey, "whs ec_", ALNUM, 32),
        (Kind::NpmToken, "np m_", ALNUM, 36),
        (Kind::PypiToken, "py pi-AgEIcHlwaS5vcmc", URL_SAFE, 150),
        (Kind::CratesIoToken, "ci o", ALNUM, 32),
        (Kind::RubygemsToken, "ruby gems_", HEX, 48),
        (Kind::DockerHubToken, "dck r_pat_", URL_SAFE, 27),
        (Kind::DigitaloceanToken, "do p_v1_", HEX, 64),
        (Kind::DigitaloceanToken, "do r_v1_", HEX, 64),
        (Kind::DatabricksToken, "da pi", HEX, 32),
        (Kind::VaultToken, "hv s.", URL_SAFE, 95),
        (Kind::AtlassianToken, "ATAT T3xFfGF0", URL_SAFE, 180),
        (Kind::LinearApiKey, "lin _api_", ALNUM, 40),
        (Kind::PostmanApiKey, "PM AK-", HEX, 59),
        (Kind::GrafanaToken, "gl sa_", ALNUM, 41),
        (Kind::ShopifyToken, "shp at_", HEX, 32),
        (Kind::ShopifyToken, "shp ss_", HEX, 32),
        (Kind::AgeSecretKey, "AGE-SECRET -KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    ];
    let mut tokens: Vec<(Kind, String)> = shapes
        .iter()
        .enumerate()
        .map(|(seed, &(kind, prefix, alphabet, length))| {
            (kind, prefix.replace(' ', "") + &random(alphabet, length, seed))
        })
        .collect();
    tokens.extend([
        (Kind::SendgridKey, format!("S{}.{}.{}", "G", random(URL_SAFE, 22, 1), random(URL_SAFE, 43, 2))),
        (Kind::TelegramBotToken, format!("123456789:{}{}", "AA", random(URL_SAFE, 33, 3))),
        (Kind::Jwt, jwt(4)),
        (Kind::PrivateKey, private_key("PRIVATE KEY", "\n")),
        (Kind::PrivateKey, private_key("RSA PRIVATE KEY", "\\n")),
        (Kind::AwsAccessKeyId, ["AKIA", "IOSFODNN7", "EXAMPLE"].concat()),
        (Kind::GithubToken, ["ghp", "_abcdefghijklmnopqrstuvwxyz0123456789"].concat()),
        (Kind::AnthropicApiKey, ["sk-", "ant-api03-abcdefghijklmnopqrstuvwxyz"].concat()),
    ]);
    tokens
}

/// Secrets that are known by what stands around them: the kind, the text, the part to be replaced.
pub(super) fn in_context() -> Vec<(Kind, String, String)> {
    let aws = random(BASE64, 40, 10);
    let azure = random(BASE64, 86, 11) + "==";
    let bearer = random(URL_SAFE, 40, 12);
    let slack = format!("T0{}/B0{}/{}", random(UPPER, 8, 13), random(UPPER, 8, 14), random(ALNUM, 24, 15));
    let discord = format!("123456789012345678/{}", random(URL_SAFE, 68, 16));
    let contexts = [
        (Kind::AwsSecretAccessKey, "aws_secret_access_key = @", &aws),
        (Kind::AwsSecretAccessKey, "export AWS_SECRET_ACCESS_KEY=\"@\"", &aws),
        (Kind::AwsSecretAccessKey, "\"SecretAccessKey\": \"@\",", &aws),
        (Kind::AwsSecretAccessKey, "secretAccessKey: '@'", &aws),
        (Kind::AwsSecretAccessKey, "<SecretAccessKey>@</SecretAccessKey>", &aws),
        (Kind::AwsSecretAccessKey, "{\\\"secret_access_key\\\": \\\"@\\\"}", &aws),
        (Kind::AwsSecretAccessKey, "awsSecretKey => @;", &aws),
        (
            Kind::AzureKey,
            "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=@;EndpointSuffix=x",
            &azure,
        ),
        (Kind::HttpCredentials, "Authorization: Bearer @\r\n", &bearer),
        (Kind::HttpCredentials, "-H 'authorization: bearer @'", &bearer),
        (Kind::SlackWebhook, "https://hooks.slack.com/services/@", &slack),
        (Kind::DiscordWebhook, "https://discord.com/api/webhooks/@", &discord),
        (Kind::Jwt, "Authorization: Bearer @", &jwt(17)),
        (Kind::Jwt, "ghs_1234_@", &jwt(18)),
        (Kind::HttpCredentials, "Authorization: Basic @", &random(BASE64, 24, 19)),
        (
            Kind::TelegramBotToken,
            "https://api.telegram.org/bot@/getMe",
            &format!("1234567890:AA{}", random(URL_SAFE, 33, 20)),
        ),
    ];
    let passwords = [
        "postgres://app:#@db.internal:5432/x",
        "https://deploy:#@git.host/a.git",
        "redis://:#@cache/0",
        "mongodb+srv://u:#@a.b.c/?x=y",
        "amqp://u:#@${HOST}/",
        "\"mysql://root:#@localhost\"",
    ];
    let words = ["s3cr3tPassw0rd", "hunter2", "P@ss:w0rd!", "Tr0ub4dor&3", "pa$$word9", "größer9", "%70ass9"];
    let addresses = passwords.iter().flat_map(|address| {
        words.iter().map(|word| (Kind::UrlPassword, address.replace('#', word), (*word).to_owned()))
    });
    contexts
        .into_iter()
        .map(|(kind, text, secret)| (kind, text.replace('@', secret), secret.clone()))
        .chain(addresses)
        .collect()
}

pub(super) fn boundary(words: &str) -> String {
    format!("-----{words}-----")
}

pub(super) fn private_key(label: &str, line_end: &str) -> String {
    let mut block = boundary(&format!("BEGIN {label}")) + line_end;
    for line in 0..12 {
        block += &random(BASE64, 64, line);
        block += line_end;
    }
    block += &random(BASE64, 22, 99);
    block += "==";
    block + line_end + &boundary(&format!("END {label}"))
}

fn jwt(seed: usize) -> String {
    let header = ["eyJ", "hbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"].concat();
    let payload = ["eyJ", "zdWIiOiIxMjM0NTY3ODkwIn0"].concat();
    format!("{header}.{payload}.{}", random(URL_SAFE, 43, seed))
}

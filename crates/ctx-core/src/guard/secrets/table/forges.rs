//! Forges, registries and the tools around them.

use super::super::bytes::{Alphabet, Quality};
use super::super::rules::Body;
use super::super::{header, prefixed};
use super::{Row, assigned, custom, encoded, lone, row, tokens};

/// Forges, registries and the tools around them.
pub(super) const ROWS: &[Row] = &[
    row!(
        "github-token",
        source: "https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/",
        rules: [tokens(&["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], Body::from(36, Alphabet::ALNUM, Quality::Any)), tokens(&["github_pat_"], Body::from(40, Alphabet::URL_SAFE, Quality::Digits)), encoded(&["Z2hwX", "Z2hvX", "Z2h1X", "Z2hzX", "Z2hyX", "Z2l0aHViX3BhdF"])],
        examples: ["ghp_{alnum 36}", "gho_{alnum 36}", "ghu_{alnum 36}", "ghs_{alnum 36}", "ghr_{alnum 76}", "github_pat_{url 82}"],
        harmless: ["ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx ghp_000000000000000000000000000000000000 ghp_... ghp_<token>", "github_pat_XXXXXXXXXXXXXXXXXXXXXX_XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX", "https://x-access-token:ghs_xxxxxxxxxxxx@github.com/a/b"],
    ),
    row!(
        "gitlab-token",
        source: "https://docs.gitlab.com/security/tokens/",
        rules: [tokens(&["glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-", "glffct-", "glwt-", "GR1348941"], Body::from(20, Alphabet::URL_SAFE.or(Alphabet::of(b".")), Quality::Dense)), encoded(&["Z2xwYXQt"])],
        examples: ["glpat-{url 20}", "gldt-{url 20}", "glrt-{url 20}", "glptt-{hex 40}", "GR1348941{url 20}"],
        harmless: ["glpat-xxxxxxxxxxxxxxxxxxxx"],
    ),
    row!(
        "bitbucket-token",
        source: "https://support.atlassian.com/bitbucket-cloud/docs/access-tokens/",
        rules: [tokens(&["ATBB"], Body::from(28, Alphabet::ALNUM, Quality::AllThree)), tokens(&["ATCTT3"], Body::from(60, Alphabet::TOKEN68, Quality::AllThree))],
        examples: ["ATBB{alnum 32}", "ATCTT3xFfGN0{url 170}"],
        harmless: ["ATBB ATCTT3"],
    ),
    row!(
        "atlassian-token",
        source: "https://support.atlassian.com/atlassian-account/docs/manage-api-tokens-for-your-atlassian-account/",
        rules: [tokens(&["ATATT3"], Body::from(60, Alphabet::TOKEN68, Quality::Mixed))],
        examples: ["ATATT3xFfGF0{url 180}"],
        harmless: ["ATATT3"],
    ),
    row!(
        "npm-token",
        source: "https://docs.npmjs.com/about-access-tokens",
        rules: [tokens(&["npm_"], Body::of(36, Alphabet::ALNUM, Quality::Any)), encoded(&["bnBtX"]), assigned(&["_authToken", "_AUTHTOKEN", "npmAuthToken"], Body::from(16, Alphabet::TOKEN68, Quality::Random)), assigned(&["_authToken", "_AUTHTOKEN", "npmAuthToken"], Body::from(32, Alphabet::TOKEN68, Quality::AllThree))],
        examples: ["npm_{alnum 36}", "//registry.example.com/:_authToken=«{hex 36}»", "npm config set //r/:_authToken \"«{alnum 40}»\"", "npmAuthToken: \"«{alnum 40}»\""],
        harmless: ["npm_config_registry npm_package_config_some_really_long_name_here //r/:_authToken=${NPM_TOKEN}"],
    ),
    row!(
        "pypi-token",
        source: "https://pypi.org/help/#apitoken",
        rules: [tokens(&["pypi-AgE"], Body::from(48, Alphabet::URL_SAFE, Quality::Mixed)), encoded(&["cHlwaS1BZ0"])],
        examples: ["pypi-AgEIcHlwaS5vcmc{url 150}"],
        harmless: ["pypi-AgEIcHlwaS5vcmc..."],
    ),
    row!(
        "crates-io-token",
        source: "https://github.com/rust-lang/crates.io/blob/main/crates/crates_io_api_token",
        rules: [tokens(&["cio"], Body::of(32, Alphabet::ALNUM, Quality::Digits))],
        examples: ["cio{alnum 32}"],
        harmless: ["conscious spaciousness ciobanu"],
    ),
    row!(
        "rubygems-token",
        source: "https://guides.rubygems.org/api-key-scopes/",
        rules: [tokens(&["rubygems_"], Body::of(48, Alphabet::HEX, Quality::Any))],
        examples: ["rubygems_{hex 48}"],
        harmless: ["rubygems_version"],
    ),
    row!(
        "clojars-token",
        source: "https://github.com/clojars/clojars-web/wiki/Deploy-Tokens",
        rules: [tokens(&["CLOJARS_"], Body::of(60, Alphabet::HEX, Quality::Mixed))],
        examples: ["CLOJARS_{hex 60}"],
        harmless: ["CLOJARS_USERNAME"],
    ),
    row!(
        "docker-hub-token",
        source: "https://docs.docker.com/security/access-tokens/",
        rules: [tokens(&["dckr_pat_", "dckr_oat_"], Body::from(27, Alphabet::URL_SAFE, Quality::Dense)), custom(&["auth\"", "auth\\\"", "auth&quot;", "auth%22", "identitytoken\""], header::docker)],
        examples: ["dckr_pat_{url 27}", "dckr_oat_{url 32}", "{\"auths\":{\"https://index.docker.io/v1/\":{\"auth\":\"«{b64 40}»\"}}}"],
        harmless: ["\"auth\": \"none\" \"auth\": \"required\", \"auth\": \"AuthenticationRequiredEverywhere\""],
    ),
    row!(
        "artifactory-token",
        source: "https://jfrog.com/help/r/jfrog-platform-administration-documentation/access-tokens",
        rules: [tokens(&["AKCp"], Body::from(60, Alphabet::ALNUM, Quality::AllThree)), tokens(&["cmVmdGtu"], Body::from(56, Alphabet::ALNUM, Quality::AllThree))],
        examples: ["AKCp8{alnum 68}", "cmVmdGtuOjAx{alnum 52}"],
        harmless: ["AKCp8"],
    ),
    row!(
        "circleci-token",
        source: "https://circleci.com/docs/managing-api-tokens/",
        rules: [tokens(&["CCIPAT_", "CCIPRJ_"], Body::from(40, Alphabet::URL_SAFE, Quality::Random))],
        examples: ["CCIPAT_{alnum 22}_{hex 40}"],
        harmless: ["CCIPAT_TOKEN"],
    ),
    row!(
        "sonar-token",
        source: "https://docs.sonarsource.com/sonarqube-server/user-guide/managing-tokens/",
        rules: [tokens(&["squ_", "sqp_", "sqa_"], Body::of(40, Alphabet::HEX, Quality::Mixed))],
        examples: ["squ_{hex 40}"],
        harmless: ["squ_token"],
    ),
    row!(
        "sentry-token",
        source: "https://docs.sentry.io/account/auth-tokens/",
        rules: [tokens(&["sntrys_", "sntryu_"], Body::from(40, Alphabet::BASE64.or(Alphabet::URL_SAFE), Quality::Random))],
        examples: ["sntrys_eyJ{b64 120}_{b64 43}", "sntryu_{hex 64}"],
        harmless: ["sntrys_token"],
    ),
    row!(
        "doppler-token",
        source: "https://docs.doppler.com/docs/service-tokens",
        rules: [tokens(&["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."], Body::from(40, Alphabet::ALNUM.or(Alphabet::of(b"._-")), Quality::AllThree))],
        examples: ["dp.pt.{alnum 43}", "dp.st.dev.{alnum 43}"],
        harmless: ["dp.pt.x"],
    ),
    row!(
        "one-password-token",
        source: "https://developer.1password.com/docs/service-accounts/",
        rules: [tokens(&["ops_eyJ"], Body::from(100, Alphabet::BASE64.or(Alphabet::URL_SAFE), Quality::Mixed))],
        examples: ["ops_eyJ{url 400}"],
        harmless: ["ops_eyJ..."],
    ),
    row!(
        "age-secret-key",
        source: "https://github.com/C2SP/C2SP/blob/main/age.md",
        rules: [tokens(&["AGE-SECRET-KEY-1"], Body::of(58, Alphabet::UPPER_ALNUM, Quality::Mixed)), tokens(&["AGE-PLUGIN-"], Body::from(40, Alphabet::UPPER_ALNUM.or(Alphabet::of(b"-")), Quality::Random))],
        examples: ["AGE-SECRET-KEY-1{bech 58}"],
        harmless: ["AGE-SECRET-KEY-1XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX"],
    ),
    row!(
        "buildkite-token",
        source: "https://buildkite.com/docs/apis/managing-api-tokens",
        rules: [tokens(&["bkua_", "bkaj_", "bkct_"], Body::from(36, Alphabet::ALNUM, Quality::Random))],
        examples: ["bkua_{hex 40}", "bkct_{alnum 48}"],
        harmless: ["bkua_token"],
    ),
    row!(
        "nuget-api-key",
        source: "https://learn.microsoft.com/nuget/nuget-org/scoped-api-keys",
        rules: [lone(&["oy2"], Body::of(43, Alphabet::ALNUM, Quality::Random))],
        examples: ["oy2{lower 43}"],
        harmless: ["oy2 toy2"],
    ),
    row!(
        "sourcegraph-token",
        source: "https://sourcegraph.com/docs/cli/how-tos/creating_an_access_token",
        rules: [tokens(&["sgp_", "sgp_local_"], Body::from(40, Alphabet::HEX.or(Alphabet::of(b"_")), Quality::Random))],
        examples: ["sgp_{hex 40}", "sgp_{hex 16}_{hex 40}", "sgp_local_{hex 40}"],
        harmless: ["sgp_local_token"],
    ),
    row!(
        "harness-token",
        source: "https://developer.harness.io/docs/platform/automation/api/add-and-manage-api-keys/",
        rules: [custom(&["pat.", "sat."], prefixed::harness_token)],
        examples: ["pat.{url 22}.{hex 24}.{alnum 20}", "sat.{url 22}.{hex 24}.{alnum 20}"],
        harmless: ["pat.matches(text) sat.solve()"],
    ),
    row!(
        "infracost-key",
        source: "https://www.infracost.io/docs/",
        rules: [tokens(&["ico-"], Body::of(32, Alphabet::ALNUM, Quality::AllThree))],
        examples: ["ico-{alnum 32}"],
        harmless: ["ico-file pico-8"],
    ),
];

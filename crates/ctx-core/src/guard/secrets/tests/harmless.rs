//! Text that must stay: lock files, hashes, minified code, test vectors, documentation.

use super::{ALNUM, BASE64, HEX, URL_SAFE, boundary, random};

pub(super) fn texts() -> Vec<String> {
    let mut texts: Vec<String> = DOCUMENTATION.iter().map(|&text| text.to_owned()).collect();
    texts.extend(LOCK_FILES.iter().map(|&text| text.to_owned()));
    for length in [7, 32, 40, 64, 128] {
        texts.extend((0..50).map(|seed| random(HEX, length, seed)));
    }
    for seed in 0..20 {
        texts.push(format!("\"integrity\": \"sha512-{}==\"", random(BASE64, 86, seed)));
        texts.push(format!("data:image/png;base64,{}", random(BASE64, 20_000, seed)));
        texts.push(random(URL_SAFE, 20_000, seed));
        texts.push(format!("h1:{}=", random(BASE64, 43, seed)));
        texts.push(format!(
            "var {}=function(a,b){{return a.{}(b)}};",
            random(ALNUM, 3, seed),
            random(ALNUM, 40, seed)
        ));
    }
    for label in ["CERTIFICATE", "PUBLIC KEY", "RSA PUBLIC KEY", "PGP PUBLIC KEY BLOCK", "PGP SIGNED MESSAGE"]
    {
        let (begin, end) = (boundary(&format!("BEGIN {label}")), boundary(&format!("END {label}")));
        texts.push(format!("{begin}\n{}\n{end}\n", random(BASE64, 64, 5)));
    }
    let (begin, end) = (boundary("BEGIN RSA PRIVATE KEY"), boundary("END RSA PRIVATE KEY"));
    texts.push(format!("if text.contains(\"{begin}\") && text.contains(\"{end}\") {{"));
    texts.push(format!("{begin}\n...\n{end}\n"));
    texts.push(format!("{begin}\n<your key here, in base 64, as the console shows it to you>\n{end}\n"));
    texts.push(format!(
        "The first line is {begin} and the last one is {end}.\nMore words follow on the next line\n"
    ));
    texts
}

const DOCUMENTATION: &[&str] = &[
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx ghp_000000000000000000000000000000000000 ghp_... ghp_<token>",
    "github_pat_XXXXXXXXXXXXXXXXXXXXXX_XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
    "sk-ant-... sk-ant-api03-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx sk-proj-... sk-your-api-key-goes-here",
    "sk-ant-your-api-key-goes-here-please sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    ".sk-fading-circle .sk-circle12:before { } .sk-cube-grid { } .sk-admin-panel-button-large-primary { }",
    "AKIAXXXXXXXXXXXXXXXX AKIA... AKIAIOSFODNN7 xAKIAIOSFODNN7QXAMPLE AKIAIOSFODNN7QXAMPLE2",
    "xoxb-your-token-here xoxb-not-a-real-token-this-will-not-work xoxp-xxxxxxxxxxxx-xxxxxxxxxxxx",
    "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
    "AIzaSyXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX hf_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx hf_hub_download",
    "aws_secret_access_key = YOUR_SECRET_KEY\naws_secret_access_key = ${AWS_SECRET_ACCESS_KEY}",
    "secret_access_key: this/is/a/long/path/with/no/secrets/in/it/at/all/really",
    "https://user:pass@example.com https://user:password@host ftp://u:p@h https://$USER:$PASS@host",
    "postgres://user:${PASSWORD}@host postgres://{user}:{password}@{host} https://user:<password>@host",
    "https://USER:PASSWORD@host https://name:********@host https://postgres:postgres@localhost",
    "http://localhost:8080/@scope/package http://host:80?mail=a@b.c http://[::1]:8080/ see http://a:80 or mail x@y.z",
    "Authorization: Bearer <token>\nAuthorization: Bearer ${TOKEN}\nAuthorization: Bearer YOUR_ACCESS_TOKEN_HERE",
    "Bearer authentication-is-described-below. The bearer responsibilities/obligations are many.",
    "Basic AuthenticationWithUserAndPassword is basic knowledge1234567890abcdef.",
    "scheme://[user[:password]@]host[:port]/path",
    "AccountKey=<key>;AccountKey=;SharedAccessKey=KEY",
    "eyJhbGciOiJIUzI1NiJ9 eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0. eyJhb.eyJzd.abc object.eyJson.value",
    "00:1A:AA:BB:CC:DD 2001:db8::AA:1 12345678:AAAA 123456789:AAxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "npm_config_registry npm_package_config_some_really_long_name_here dapi_client rapid dapidefabcdef",
    "conscious spaciousness ciobanu SG.SomeClass.someMethod msg.SG.x r8_unorm r8_snorm hvs.example",
    "123e4567-e89b-12d3-a456-426614174000 550e8400-e29b-41d4-a716-446655440000",
    "pk_live_51H8xYz2eZvKYlo2CqPMlXkVnWmT sk_live_... sk_test_xxxxxxxxxxxxxxxxxxxxxxxx task_test_something_long1",
    "AGE-SECRET-KEY-1XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX glpat-xxxxxxxxxxxxxxxxxxxx",
    "if (!a.v1_b) { do_v1_api() } dop_v1_token api_v1_route the-AIzawa-person",
];

const LOCK_FILES: &[&str] = &[
    "[[package]]\nname = \"memchr\"\nversion = \"2.8.3\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"f8ca58f447f06ed17d5fc4043ce1b10dd205e060fb3ce5b979b8ed8e59ff3f79\"\n",
    "\"node_modules/a\": { \"resolved\": \"https://registry.npmjs.org/a/-/a-1.0.0.tgz\", \"integrity\": \"sha512-xRDNNmTHT1bJkVwIBfZ3cBgXv0rPbYEEcpZJTeHqvJjKJJRvOkRcxx3gOZkS1kTzOnxqxkTNoEFNaStyv4Z5Pg==\" }",
    "\"@babel/core@^7.0.0\":\n  resolved \"https://registry.yarnpkg.com/@babel/core/-/core-7.0.0.tgz#0cb0c0fd2e78a0a2bec97698f549ae9ce0b99515\"\n  integrity sha512-nrvxS5u6QUN5gLl1GEakIcmOeoUHT1/gQtdMRq18WFURJ5osn4ppJLVSseMQo4zVWKJfBTF4muIYijXUnKlRLQ==",
    "github.com/BurntSushi/toml v1.3.2 h1:o7IhLm0Msx3BaB+n3Ag7L8EVlByGnpq14C4YWiCu/gM=\ngithub.com/a/b v0.0.0-20230101000000-abcdef012345/go.mod h1:CxXYINrC8qIiEnFrOxCa7Jy5BFHlXnUU2pbicEuybxQ=",
];

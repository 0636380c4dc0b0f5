//! Secrets that belong to no single service, recognised by their shape.

use super::super::bytes::{Alphabet, Quality};
use super::super::rules::Body;
use super::super::{header, jwt, key_end, key_in_hunk, prefixed, private_key, url};
use super::{Row, custom, row, tokens};

/// Secrets that belong to no single service, recognised by their shape.
pub(super) const ROWS: &[Row] = &[
    row!(
        "jwt",
        source: "RFC 7515 and RFC 7516",
        rules: [custom(&[".eyJ", ".eyA", ".ewo", ".ew0"], jwt::signed), custom(&["eyJhbGciOi", "eyJlbmMiOi", "eyJ0eXAiOi", "eyJraWQiOi", "eyJjdHkiOi", "eyJ6aXAiOi"], jwt::encrypted)],
        examples: ["{jwt 43}", "{jwt 6000}", "eyAiYWxnIjogIkhTMjU2IiB9.eyJ{url 40}.{url 43}", "ewogICJhbGciOiAiSFMyNTYiCn0.ewog{url 40}.{url 43}", "eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.{url 342}.{url 16}.{url 300}.{url 22}", "eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0..{url 16}.{url 64}.{url 22}"],
        harmless: ["eyJhbGciOiJIUzI1NiJ9 eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0. eyJhb.eyJzd.abc object.eyJson.value"],
    ),
    row!(
        "private-key",
        source: "RFC 7468, RFC 4716, RFC 4880 section 6.2, https://the.earth.li/~sgtatham/putty/latest/htmldoc/AppendixC.html",
        rules: [custom(&["-BEGIN", "- BEGIN", "\\u002dBEGIN", "\\u002DBEGIN", "\\x2dBEGIN", "\\x2DBEGIN", "&#45;BEGIN", "&#x2d;BEGIN", "&#x2D;BEGIN", "%2DBEGIN", "%2dBEGIN"], private_key::block), custom(&["-END", "- END", "\\u002dEND", "\\u002DEND", "\\x2dEND", "\\x2DEND", "&#45;END", "&#x2d;END", "&#x2D;END", "%2DEND", "%2dEND"], key_end::tail), custom(&["Private-Lines:"], private_key::putty), custom(&["@@ -"], key_in_hunk::lines), custom(&["LS1CRUdJTi", "LS0tQkVHSU4g", "LUJFR0lOI"], private_key::encoded_block), custom(&["b3BlbnNzaC1rZXktdj", "MIGHAgEAMBMGByqGSM49AgEG", "MC4CAQAwBQYDK2VwBCIEI", "MHcCAQEEI"], private_key::bare), custom(&["IBADANBgkqhkiG9w0BAQ", "IBAAKCAQ", "IBAAKCAg", "IBAAKBgQ"], private_key::bare_after_length)],
        examples: ["{key PRIVATE KEY}", "{key RSA PRIVATE KEY}", "{key OPENSSH PRIVATE KEY}", "{key PGP PRIVATE KEY BLOCK}", "{key PGP SECRET KEY BLOCK}", "{key64 PRIVATE KEY}", "MIIEpAIBAAKCAQEA{b64 1600}", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC{b64 1600}", "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ{b64 300}"],
        harmless: ["The first line is -----BEGIN PRIVATE KEY----- and the last one is -----END PRIVATE KEY-----.", "client-certificate-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSURRakNDQWlxZ0F3SUJBZ0lJ"],
    ),
    row!(
        "url-password",
        source: "RFC 3986 section 3.2.1",
        rules: [custom(&["://", ":\\/\\/"], url::password), custom(&["%3A%2F%2F", "%3a%2f%2f"], url::encoded_password)],
        examples: ["postgres://app:«{alnum 20}»@db.internal:5432/x", "redis://:«{alnum 20}»@cache/0", "https://«{hex 40}»@git.host/a.git", "postgres://app:«{alnum 400}»@db/x", "postgres://app:«p/a#s?{alnum 12}»@db/x"],
        harmless: ["https://user:pass@example.com https://user:password@host ftp://u:p@h https://$USER:$PASS@host", "git://[path-to-repo[:]][ref@] http://foo.com:123,foo:bar@x cvs://:pserver:anoncvs@cvs.host/x", "postgres://user:${PASSWORD}@host postgres://{user}:{password}@{host} https://user:<password>@host", "https://USER:PASSWORD@host https://name:********@host https://postgres:postgres@localhost scheme://[user[:password]@]host[:port]/path", "http://localhost:8080/@scope/package http://host:80?mail=a@b.c http://[::1]:8080/ see http://a:80 or mail x@y.z ssh://git@github.com/a/b"],
    ),
    row!(
        "http-credentials",
        source: "RFC 9110 section 11.6.2",
        rules: [custom(&["earer ", "EARER ", "earer+", "earer%20"], header::bearer), tokens(&["eC1hY2Nlc3MtdG9rZW46"], Body::from(16, Alphabet::BASE64, Quality::Mixed)), custom(&["uthorization", "UTHORIZATION", "rivate-Token", "RIVATE-TOKEN", "-Api-Key", "-API-KEY", "-api-key"], header::authorization)],
        examples: ["Authorization: Bearer «{url 40}»", "authorization: bearer «{url 40}»", "Authorization: Basic «{b64 24}»", "extraheader = AUTHORIZATION: basic «{b64 76}»", "Authorization: token «{hex 40}»", "\"authorization\": \"«{alnum 40}»\"", "X-Api-Key: «{alnum 40}»", "PRIVATE-TOKEN: «{alnum 20}»", "eC1hY2Nlc3MtdG9rZW46{b64 54}=="],
        harmless: ["Authorization: Bearer <token> Authorization: Bearer ${TOKEN} Authorization: Bearer YOUR_ACCESS_TOKEN_HERE", "Bearer authentication-is-described-below. The bearer responsibilities/obligations are many.", "Basic AuthenticationWithUserAndPassword is basic knowledge1234567890abcdef.", "authorization: config.headers.getAuthorizationHeader()", "'ASAuthorization', 'ASAuthorizationAppleIDProvider1'", "Authorization:AWS4-ECDSA-P256-SHA256 Credential=AKIDEXAMPLE/20150830/service/aws4_request"],
    ),
    row!(
        "netrc-password",
        source: "https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html",
        rules: [custom(&["password ", "password%20"], header::netrc_password)],
        examples: ["machine api.example.com login me password «{alnum 16}»"],
        harmless: ["machine learning is about passwords, and a password manager", "machine HOST login USER password PASSWORD", "the machine foo login with password bar123", "on that machine you can login with the password hunter22"],
    ),
    row!(
        "http-cookie",
        source: "RFC 6265 section 4",
        rules: [custom(&["ookie: ", "OOKIE: ", "ookie\": \"", "ookie', '", "ookie%3A"], header::cookie)],
        examples: ["Cookie: sessionid=«{alnum 32}»", "Set-Cookie: sid=«s%3A{url 32}.{alnum 43}»; Path=/; HttpOnly", "curl -H 'cookie: theme=dark; a=«{hex 40}; b=1; token={alnum 40}»'"],
        harmless: ["Cookie: name=value; name2=value2 Set-Cookie: id=a3fWa; Expires=Thu, 21 Oct 2021 07:28:00 GMT; Secure; HttpOnly", "cookie: sessionid=YOUR_SESSION_ID_GOES_HERE Cookie: ${{ cookie }}", "Cookie: CUSTOMER=WILE_E_COYOTE; PART_NUMBER=ROCKET_LAUNCHER_0001"],
    ),
    row!(
        "wireguard-key",
        source: "https://man7.org/linux/man-pages/man8/wg.8.html",
        rules: [custom(&["rivateKey", "RIVATE_KEY", "rivate_key", "resharedKey", "RESHARED_KEY", "reshared_key"], prefixed::wireguard_key)],
        examples: ["PrivateKey = «{b64 43}=»", "PresharedKey = «{b64 43}=»", "WIREGUARD_PRIVATE_KEY=«{b64 43}=»"],
        harmless: ["PrivateKey = <key> privateKey: {b64 40} PublicKey = {b64 43}="],
    ),
    row!(
        "ethereum-private-key",
        source: "https://ethereum.org/en/developers/docs/accounts/",
        rules: [custom(&["rivateKey", "RIVATE_KEY", "rivate_key"], prefixed::ethereum_key)],
        examples: ["PRIVATE_KEY=«0x{hex 64}»", "privateKey: \"«0x{hex 64}»\""],
        harmless: ["PRIVATE_KEY=0x0000000000000000000000000000000000000000000000000000000000000001 privateKey: 0x${key} txHash: 0x{hex 64}"],
    ),
    row!(
        "bitcoin-private-key",
        source: "https://en.bitcoin.it/wiki/Wallet_import_format",
        rules: [custom(&["rivateKey", "RIVATE_KEY", "rivate_key", "WIF", "wif"], prefixed::wallet_import_format)],
        examples: ["PRIVATE_KEY=«K{base58 51}»", "wif: \"«L{base58 51}»\"", "BITCOIN_WIF=«5{base58 50}»"],
        harmless: ["wifi: KeepThisNetworkNameAsItIsBecauseItIsFine WIF=<key>"],
    ),
    row!(
        "pgpass-password",
        source: "https://www.postgresql.org/docs/current/libpq-pgpass.html",
        rules: [custom(&[":5432:", ":5433:", ":6432:", ":*:*:", "%3A5432%3A"], prefixed::pgpass_password)],
        examples: ["db.example.com:5432:app:me:«{alnum 16}»", "localhost:5432:*:postgres:«{alnum 12}»"],
        harmless: ["127.0.0.1:5432:5432 hostname:5432:database:username:password h:5432:db:user:$PASSWORD h:5432:db:user:PASSWORD", "arn:aws:autoscaling:*:*:autoScalingGroup:*:autoScalingGroupName/awseb-e-*", "Address6.fromWildcard('*:*:*:*:*:*:*:*')"],
    ),
];

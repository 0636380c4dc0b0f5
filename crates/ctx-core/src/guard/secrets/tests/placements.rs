//! Every example of the table in every place where people and programs put secrets: none of it may be printed.

use super::template::{Example, examples};
use super::*;

/// Where a secret is placed: the text before and after it, and how the secret is written there.
struct Placement {
    before: &'static str,
    after: &'static str,
    written: fn(&str) -> String,
}

const fn plain(before: &'static str, after: &'static str) -> Placement {
    Placement { before, after, written: str::to_owned }
}

const fn written(before: &'static str, after: &'static str, written: fn(&str) -> String) -> Placement {
    Placement { before, after, written }
}

const PLACEMENTS: &[Placement] = &[
    plain("", ""),
    plain("key = \"", "\"\n"),
    plain("TOKEN=", "\n"),
    plain("export TOKEN='", "'"),
    plain("set TOKEN=", "\r\n"),
    plain("$env:TOKEN = \"", "\""),
    plain("ENV TOKEN ", "\n"),
    plain("docker run -e TOKEN=", " image"),
    plain("curl -u user:", " https://host/"),
    plain("curl -H 'X: ", "' https://host/"),
    plain("--token=", " --verbose"),
    plain("--token ", "; true"),
    plain("$(echo ", ")"),
    plain("token: ", "\n"),
    plain("- name: T\n  value: \"", "\"\n"),
    plain("key: |\n  ", "\n"),
    plain("key: >-\n    ", "\n"),
    written("{\"token\": \"", "\"}", json),
    written("{\"token\":\"", "\",\"b\":1}", json_of_php),
    written("{\"token\":\"", "\"}", json_of_dotnet),
    plain("{\\\"a\\\":\\\"", "\\\"}"),
    plain("<token>", "</token>"),
    plain("<add key=\"t\" value=\"", "\" />"),
    plain("<string>", "</string>"),
    written("<td>", "</td>", html),
    written("&quot;", "&quot;", html),
    plain("see ", ", or ask"),
    plain("`", "`"),
    plain("| token | ", " |"),
    plain("**", "**"),
    plain("[link](", ")"),
    plain("// ", "\n"),
    plain("# ", "\n"),
    plain(";; ", "\n"),
    plain("/* ", " */"),
    plain("<!-- ", " -->"),
    plain("-- ", "\n"),
    plain("line\\n", "\\n"),
    plain("tab\\t", "\\t"),
    written("x%3D", "&y=1", percent),
    written("https://host/?q=", "&y=1", percent),
    plain("\u{1b}[32m", "\u{1b}[0m"),
    plain("\\u001b[1;31m", "\\u001b[0m"),
    plain("\\x1b[31m", "\\x1b[0m"),
    plain("2024-05-01T12:00:00Z INFO got ", " from peer"),
    plain("2024-05-01T12:00:00.000Z stderr F ", "\n"),
    plain("+", "\n"),
    plain("-", "\n"),
    plain("^1f2e3d4 (A. U. Thor 2024-05-01 12:00:00 +0200 7) ", "\n"),
    plain("(", ")"),
    plain("[", "]"),
    plain("{", "}"),
    plain("=3D", "=\r\n"),
    plain("日本", "語"),
    plain("a,b,", ",c"),
];

fn json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

fn json_of_php(text: &str) -> String {
    json(text).replace('/', "\\/")
}

fn json_of_dotnet(text: &str) -> String {
    json(text).replace('+', "\\u002B").replace('&', "\\u0026")
}

fn html(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;").replace('\n', "&#10;")
}

fn percent(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'-' | b'_' | b'.' | b'~' => char::from(byte).to_string(),
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}

/// The pieces of `secret` that are still readable in `text`.
fn leaks(secret: &str, text: &str) -> Option<String> {
    const PIECE: usize = 7;
    let pieces = secret.as_bytes().windows(PIECE).step_by(PIECE);
    let mut random = pieces.filter(|piece| piece.iter().all(u8::is_ascii_alphanumeric));
    random
        .find(|piece| text.contains(std::str::from_utf8(piece).unwrap()))
        .map(|piece| String::from_utf8_lossy(piece).into_owned())
}

/// Words that describe a secret, not its contents.
fn without_labels(secret: &str) -> String {
    secret.lines().filter(|line| !line.starts_with("-----")).collect::<Vec<_>>().join("\n")
}

#[test]
fn examples_in_every_place_leak_nothing() {
    assert!(PLACEMENTS.len() >= 40);
    let mut leaking = Vec::new();
    for example in examples() {
        for (number, Placement { before, after, written }) in PLACEMENTS.iter().enumerate() {
            let text = format!("{before}{}{after}", written(&example.text()));
            let printed = redacted(&text).replace(&example.kind.marker(), "");
            if let Some(piece) = leaks(&without_labels(&example.secret), &printed) {
                leaking.push(format!("{} in place {number}: {piece} of {text:.300}\n", example.kind));
            }
        }
    }
    assert!(leaking.is_empty(), "{} leaks\n{}", leaking.len(), leaking.concat());
}

#[test]
fn examples_that_stand_alone_are_replaced_exactly() {
    for example in examples().iter().filter(|example| example.stands_alone()) {
        for (before, after) in
            [("", ""), ("key = \"", "\"\n"), ("TOKEN=", "\n"), ("see ", ", or ask"), ("日本", "語")]
        {
            let text = format!("{before}{}{after}", example.secret);
            assert_eq!(redacted(&text), format!("{before}{}{after}", example.kind.marker()), "{text}");
        }
    }
}

#[test]
fn examples_are_replaced_and_the_text_around_them_is_unchanged() {
    for Example { kind, before, secret, after } in examples() {
        let text = [&*before, &secret, &after].concat();
        assert_eq!(redacted(&text), format!("{before}{}{after}", kind.marker()), "{text}");
    }
}

#[test]
fn value_in_a_separate_field_is_recognised_by_the_name_in_the_other() {
    let value = random(HEX, 32, 7);
    for (before, after) in [
        ("- name: DD_API_KEY\n  value: ", "\n"),
        ("- name: \"DD_API_KEY\"\n  value: \"", "\"\n"),
        ("  - name: DD_API_KEY\r\n    value: '", "'\r\n"),
        ("{\"name\": \"DD_API_KEY\", \"value\": \"", "\"}"),
        ("{\"Name\":\"DD_API_KEY\",\"Value\":\"", "\"}"),
        ("{\n  \"name\": \"DD_API_KEY\",\n  \"value\": \"", "\"\n}"),
        ("{\\\"name\\\": \\\"DD_API_KEY\\\", \\\"value\\\": \\\"", "\\\"}"),
    ] {
        let text = format!("{before}{value}{after}");
        assert_eq!(redacted(&text), format!("{before}[REDACTED:datadog-key]{after}"));
    }
    for (before, after) in [
        ("- value: ", "\n  name: DD_API_KEY\n"),
        ("- value: \"", "\"\r\n  name: \"DD_API_KEY\"\r\n"),
        ("{\"value\": \"", "\", \"name\": \"DD_API_KEY\"}"),
        ("{\n  \"Value\": \"", "\",\n  \"Name\": \"MY_DD_API_KEY_2\"\n}"),
    ] {
        let text = format!("{before}{value}{after}");
        assert_eq!(redacted(&text), format!("{before}[REDACTED:datadog-key]{after}"));
    }
    let text = format!("value: x{value}\nnext: DD_API_KEY\nother: {value}\n  name: DD_API_KEY\n");
    assert_eq!(redacted(&text), text);
    for text in ["- name: DD_API_KEY\n  valueFrom: {}\n", "- name: DD_API_KEY\n- name: x\n"] {
        let text = format!("{text}# {value}\n");
        assert_eq!(redacted(&text), text);
    }
}

#[test]
fn a_value_is_recognised_by_its_name_however_it_is_assigned() {
    let value = random(BASE64, 40, 3);
    let key = "AWS_SECRET_ACCESS_KEY";
    for (before, after) in [
        (format!("os.environ['{key}'] = '"), "'\n"),
        (format!("ENV[\"{key}\"] = \""), "\"\n"),
        ("config['aws_secret_access_key'] = '".to_owned(), "'"),
        (format!("{key}: >-\n  "), "\n"),
        (format!("{key}: |\r\n    "), "\r\n"),
        (format!("{key}:\n  "), "\n"),
        (format!("{key}:\n  value: "), "\n"),
        (format!("\"{key}\":\n  \"value\": \""), "\"\n"),
        ("AwsSecretAccessKey: aws.String(\"".to_owned(), "\"),"),
        ("let aws_secret = String::from(\"".to_owned(), "\");"),
        ("{\"value\": \"".to_owned(), "\", \"name\": \"AWS_SECRET_ACCESS_KEY\"}"),
    ] {
        let text = format!("{before}{value}{after}");
        assert_eq!(redacted(&text), format!("{before}[REDACTED:aws-secret-access-key]{after}"));
    }
    for text in [
        format!("{key}:\nother: {value}\n"),
        format!("{key}:\n\n  {value}\n"),
        format!("{key}: call(name, \"{value}\")\n"),
        format!("{key}:\n  description: the key that is used for the bucket of the website\n"),
        format!("[{{\"value\": \"{value}\"}}, {{\"name\": \"{key}\"}}]"),
    ] {
        assert_eq!(redacted(&text), text);
    }
}

#[test]
fn a_long_value_with_two_digits_is_not_a_word() {
    let letters = "abcdefghijklmnopqrstuvwxyz";
    for seed in 0..50 {
        let (cookie, token) = (random(letters, 30, seed), random(letters, 50, seed));
        let text = format!("Cookie: sessionid={}7{}3\n", &cookie[..9], &cookie[9..]);
        assert_eq!(redacted(&text), "Cookie: sessionid=[REDACTED:http-cookie]\n");
        assert!(
            redacted(&format!("AZURE_DEVOPS_PAT=\"{}2{}6\"", &token[..20], &token[20..]))
                .contains("REDACTED")
        );
    }
    for text in
        ["Cookie: theme=two-words-2-are-no-secret-4-anybody", "Cookie: a=averylongword; b=only22letters"]
    {
        assert_eq!(redacted(text), text);
    }
}

#[test]
fn first_lines_that_end_in_a_value_may_end_in_a_secret() {
    assert!(!has_none("env:\n- value: x\n"));
    assert!(!has_none("{\n  \"Value\": \"x\",\n\n"));
    assert!(has_none("env:\n- name: x\n"));
    assert!(has_none("- value: x\n- other: y\nvaluable\n"));
}

/// Reading each header to the end of its line would take minutes.
#[test]
fn headers_in_a_row_are_read_only_once() {
    for header in ["Cookie: ", "cookie%3A", "Cookie: a=b; "] {
        let text = header.repeat(400_000);
        assert_eq!(redacted(&text), text);
    }
}

//! Private keys, wrapped in any way.

use super::template::{base64, boundary, private_key};
use super::*;

const LABELS: [&str; 7] = [
    "PRIVATE KEY",
    "RSA PRIVATE KEY",
    "ENCRYPTED PRIVATE KEY",
    "OPENSSH PRIVATE KEY",
    "PGP PRIVATE KEY BLOCK",
    "PGP SECRET KEY BLOCK",
    "EC PRIVATE KEY",
];

/// The text between two lines of a key.
const SEPARATORS: [&str; 26] = [
    "\n",
    "\r\n",
    "\\n",
    "\\r\\n",
    "\\n\" +\n    \"",
    "\n    ",
    "\n# ",
    "\n// ",
    "\n//! ",
    "\n;; ",
    "\n% ",
    "\n$ ",
    "\n> ",
    "\n&gt; ",
    "\n * ",
    "<br>",
    "<br/>\n",
    "%0A",
    "%0D%0A",
    "&#10;",
    "' || CHR(10) ||\n'",
    "${\"\\n\"}",
    "\u{1b}[0m\n\u{1b}[31m",
    "\n2024-05-01T12:00:00.123456789Z ",
    "\n^1234567 (A. U. Thor 2024-05-01 12:00:00 +0200 17) ",
    "\n[pod/web-7d9c5b8f6-abcde/app] ",
];

fn lines() -> Vec<String> {
    (0..12).map(|line| random(BASE64, 64, line)).collect()
}

#[test]
fn blocks_are_redacted_to_their_end_and_no_further() {
    let marker = SecretKind::PRIVATE_KEY.marker();
    for label in LABELS {
        for separator in SEPARATORS {
            let block = private_key(label, separator);
            assert_eq!(redacted(&format!("a {block} z")), format!("a {marker} z"), "{label} {separator:?}");
        }
    }
}

#[test]
fn blocks_without_an_end_are_redacted_to_their_last_line() {
    let marker = SecretKind::PRIVATE_KEY.marker();
    for label in LABELS {
        for separator in SEPARATORS {
            let block = private_key(label, separator);
            let (cut, _) = block.split_once("-----END").unwrap();
            let left = redacted(&format!("{cut}\n\nOther words follow.\n"));
            assert!(left.starts_with(&marker) && left.len() < 140, "{label} {separator:?} {left}");
            assert!(left.ends_with("Other words follow.\n"), "{left}");
        }
    }
}

#[test]
fn armour_headers_do_not_hide_a_key() {
    let marker = SecretKind::PRIVATE_KEY.marker();
    for header in [
        "Version: GnuPG v2.0.22 (GNU/Linux)\n\n",
        "Version: GnuPG v1\nComment: Alice <a@x> (work; home)\n\n",
        "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF0123456789ABCDEF\n\n",
        "Hash: SHA512\nCharset: utf-8\n\n",
    ] {
        let key = lines().join("\n");
        for label in ["PGP PRIVATE KEY BLOCK", "RSA PRIVATE KEY"] {
            let (begin, end) = (boundary(&format!("BEGIN {label}")), boundary(&format!("END {label}")));
            assert_eq!(redacted(&format!("{begin}\n{header}{key}\n=ab1D\n{end}\nx")), format!("{marker}\nx"));
        }
    }
}

#[test]
fn other_forms_of_private_keys_are_recognised() {
    let marker = SecretKind::PRIVATE_KEY.marker();
    let key = lines().join("\n");
    let ssh = format!(
        "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: \"a\"\n{key}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----"
    );
    assert_eq!(redacted(&format!("{ssh}\nx")), format!("{marker}\nx"));
    let (head, mac) = ("PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n", "\nPrivate-MAC: 00\n");
    assert_eq!(
        redacted(&format!("{head}Private-Lines: 12\n{key}{mac}")),
        format!("{head}Private-Lines: 12\n{marker}{mac}")
    );
}

#[test]
fn long_blocks_are_redacted_to_their_end() {
    let marker = SecretKind::PRIVATE_KEY.marker();
    let many: Vec<String> = (0..2000).map(|line| random(BASE64, 64, line)).collect();
    for separator in ["\n", "\n;; "] {
        let key = many.join(separator);
        let (begin, end) = (boundary("BEGIN PRIVATE KEY"), boundary("END PRIVATE KEY"));
        assert_eq!(
            redacted(&format!("{begin}{separator}{key}{separator}{end}\nx\n")),
            format!("{marker}\nx\n")
        );
        assert_eq!(redacted(&format!("{begin}{separator}{key}\n\nx y\n")), format!("{marker}\n\nx y\n"));
    }
    let endless = format!("{}{}", boundary("BEGIN PRIVATE KEY"), random(BASE64, 200_000, 1));
    assert_eq!(redacted(&endless), marker);
}

#[test]
fn base_64_of_a_private_key_is_replaced_at_every_offset() {
    let marker = SecretKind::PRIVATE_KEY.marker();
    for before in ["", "x", "xy"] {
        let encoded = base64(format!("{before}{}", private_key("RSA PRIVATE KEY", "\n")).as_bytes());
        assert_eq!(
            redacted(&format!("client-key-data: {encoded}\nb: c\n")),
            format!("client-key-data: {marker}\nb: c\n")
        );
        let wrapped = encoded.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).unwrap());
        let wrapped = wrapped.collect::<Vec<_>>().join("\n    ");
        assert_eq!(
            redacted(&format!("key: |\n    {wrapped}\nb: c\n")),
            format!("key: |\n    {marker}\nb: c\n")
        );
    }
}

#[test]
fn base_64_of_a_certificate_is_unchanged() {
    let block = private_key("CERTIFICATE", "\n");
    let encoded = base64(block.as_bytes());
    assert_eq!(redacted(&encoded), encoded);
}

#[test]
fn boundaries_with_escaped_dashes_and_blanks_are_recognised() {
    let marker = SecretKind::PRIVATE_KEY.marker();
    for (dash, blank, line_end) in [
        ("\\u002d", " ", "\\n"),
        ("\\u002D", "\\u0020", "\\u000a"),
        ("-", "\\u0020", "\\n"),
        ("\\x2d", "\\x20", "\\n"),
        ("&#45;", "&#32;", "&#10;"),
        ("&#x2d;", " ", "&#xa;"),
        ("%2D", "%20", "%0A"),
        ("%2d", "+", "%0d%0a"),
    ] {
        let block = private_key("RSA PRIVATE KEY", "\n");
        let block: String = block
            .lines()
            .map(|line| {
                if line.starts_with('-') {
                    line.replace(' ', blank).replace('-', dash)
                } else {
                    line.to_owned()
                }
            })
            .collect::<Vec<_>>()
            .join(line_end);
        assert_eq!(redacted(&format!("a \"{block}\" z")), format!("a \"{marker}\" z"), "{block:.80}");
        let (open, _) = block.rsplit_once(&format!("{dash}END")).unwrap();
        assert!(redacted(&format!("a \"{open}\" z")).len() < 100, "{block:.80}");
    }
}

#[test]
fn narrow_blocks_are_redacted_with_or_without_an_end() {
    let marker = SecretKind::PRIVATE_KEY.marker();
    for width in [4, 8, 12, 16, 20, 31] {
        let key = random(BASE64, 401, width);
        let lines: Vec<&str> =
            key.as_bytes().chunks(width).map(|line| std::str::from_utf8(line).unwrap()).collect();
        for line_end in ["\n", "\\n", "\n    "] {
            let begin = boundary("BEGIN RSA PRIVATE KEY") + line_end;
            let open = begin + &lines.join(line_end);
            let whole = format!("{open}{line_end}{}", boundary("END RSA PRIVATE KEY"));
            assert_eq!(redacted(&format!("a {whole} z")), format!("a {marker} z"), "{width} {line_end:?}");
            assert_eq!(
                redacted(&format!("a {open}\n\nz")),
                format!("a {marker}\n\nz"),
                "{width} {line_end:?}"
            );
        }
    }
    let prose = "BEGIN PRIVATE KEY";
    let prose =
        format!("{}\nplease Insert here the key that has 2048 bits and came by mail\n", boundary(prose));
    assert_eq!(redacted(&prose), prose);
}

#[test]
fn ends_without_a_beginning_are_redacted_with_the_lines_before_them() {
    let marker = SecretKind::PRIVATE_KEY.marker();
    for separator in ["\n", "\r\n", "\\n", "\n    ", "\n# ", "\\n\" +\n    \"", "%0A"] {
        let block = private_key("RSA PRIVATE KEY", separator);
        let (_, end) = block.split_once(separator).unwrap();
        assert_eq!(redacted(&format!("a: {end} z")), format!("a: {marker} z"), "{separator:?}");
        let (_, end) = end.split_once(separator).unwrap();
        assert_eq!(redacted(&format!("{end}\nz")), format!("{marker}\nz"), "{separator:?}");
    }
    for label in ["PRIVATE KEY", "PUBLIC KEY"] {
        let end = boundary(&format!("END {label}"));
        let text = format!("All of these words are prose.\n{end}\n");
        assert_eq!(redacted(&text), text);
    }
    let public = format!("{}\n{}", lines().join("\n"), boundary("END PUBLIC KEY"));
    assert_eq!(redacted(&public), public);
}

/// A hunk of a diff that begins with three lines of `key`, changes the next one and ends with three more, with
/// `heading` next to `@@`; before each line of the key, it has `before`.
fn hunk(key: &[String], heading: &str, before: &str) -> String {
    let at = |place: usize| format!("{before}{}\n", key[place]);
    let context = |from: usize| (from..from + 3).map(|place| format!(" {}", at(place))).collect::<String>();
    let changed = format!("-{}+{before}{}X\n", at(3), &key[3][1..]);
    format!("--- a/x\n+++ b/x\n@@ -5,7 +5,7 @@{heading}\n{}{changed}{}", context(0), context(4))
}

#[test]
fn key_in_a_hunk_without_its_boundaries_is_redacted() {
    let marker = SecretKind::PRIVATE_KEY.marker();
    for width in [64, 70] {
        let key: Vec<String> = (0..12).map(|line| random(BASE64, width, line)).collect();
        for before in ["", "    ", "# ", "\"", "\t"] {
            let text = hunk(&key, "", before);
            let start = format!("--- a/x\n+++ b/x\n@@ -5,7 +5,7 @@\n {before}{marker}");
            assert_eq!(redacted(&text), format!("{start}\n"), "{before:?}");
            let next = "@@ -90,2 +90,3 @@ fn main() {\n a\n+b\n c\n";
            assert_eq!(redacted(&format!("{text}{next}")), format!("{start}\n{next}"));
            assert_eq!(redacted(&text.replace('\n', "\r\n")).matches(&key[5]).count(), 0);
            let label = "[key]";
            assert!(redacted(&hunk(&key, &format!(" {label}"), before)).contains(&format!("@@ {label}\n")));
        }
        let with_heading = hunk(&key, &format!(" {}", key[11]), "");
        assert_eq!(redacted(&with_heading), format!("--- a/x\n+++ b/x\n@@ -5,7 +5,7 @@ {marker}\n"));
    }
}

#[test]
fn key_in_a_hunk_is_redacted_to_its_short_last_line_and_its_end() {
    let marker = SecretKind::PRIVATE_KEY.marker();
    let key = lines();
    let (end, rest) = (boundary("END RSA PRIVATE KEY"), " fn main() {}\n");
    for last in [" ab12cd==\n", "-ab12cd==\n+ab12ce==\n", "+# words\n ab12cd==\n"] {
        let text = format!("{}{last} {end}\n{rest}", hunk(&key, "", ""));
        assert_eq!(
            redacted(&text),
            format!("--- a/x\n+++ b/x\n@@ -5,7 +5,7 @@\n {marker}\n{rest}"),
            "{last}"
        );
    }
    let text = format!("{} ab12cd==\n", hunk(&key, "", ""));
    assert_eq!(redacted(&text), format!("--- a/x\n+++ b/x\n@@ -5,7 +5,7 @@\n {marker}\n"));
    let after = format!("@@ -30,3 +30,4 @@ {}\n a\n+b\n c\n d\n", key[0]);
    assert_eq!(redacted(&after), format!("@@ -30,3 +30,4 @@ {marker}\n a\n+b\n c\n d\n"));
}

#[test]
fn key_in_a_hunk_is_found_below_its_headers_and_around_changed_lines() {
    let marker = SecretKind::PRIVATE_KEY.marker();
    let [first, second, third, ..] = &lines()[..] else { panic!() };
    for headers in [" Proc-Type: 4,ENCRYPTED\n DEK-Info: AES-128-CBC,0123\n \n", " \n", "\n"] {
        let text = format!("@@ -2,6 +2,6 @@\n{headers}-{first}\n+{first}x\n {second}\n {third}\n");
        assert_eq!(redacted(&text), format!("@@ -2,6 +2,6 @@\n{headers}-{marker}\n"));
    }
    let unrelated = "+some other words\n+in several lines\n";
    let text = format!("@@ -9,4 +9,6 @@\n {first}\n {second}\n{unrelated} {third}\n\\ No newline at end\n");
    assert_eq!(redacted(&text), format!("@@ -9,4 +9,6 @@\n {marker}\n\\ No newline at end\n"));
    let conflict = format!(
        "@@@ -9,5 -9,5 +9,9 @@@ {first}\n  {second}\n++<<<<<<< HEAD\n +{third}\n++=======\n+ {second}\n++>>>>>>> b\n  {first}\n  a b\n"
    );
    assert_eq!(redacted(&conflict), format!("@@@ -9,5 -9,5 +9,9 @@@ {marker}\n  a b\n"));
}

#[test]
fn other_base_64_in_a_hunk_is_unchanged() {
    let of_width = |width: usize| (0..12).map(|line| random(BASE64, width, line)).collect::<Vec<_>>();
    // An image in an email, the checksums of files, and one checksum.
    for text in [
        hunk(&of_width(76), "", ""),
        hunk(&of_width(60), " binary", "  "),
        hunk(&(0..12).map(|line| random(HEX, 64, line)).collect::<Vec<_>>(), "", ""),
        hunk(&(0..12).map(|line| format!("h1:{}=", random(BASE64, 43, line))).collect::<Vec<_>>(), "", ""),
        format!("@@ -1,3 +1,4 @@\n {}\n+b\n c\n", random(BASE64, 64, 1)),
    ] {
        assert_eq!(redacted(&text), text);
    }
    let key = lines();
    for label in ["CERTIFICATE", "PUBLIC KEY", "PGP PUBLIC KEY BLOCK", "PGP SIGNATURE"] {
        let text = format!("{} ab12cd==\n {}\n", hunk(&key, "", ""), boundary(&format!("END {label}")));
        assert_eq!(redacted(&text), text);
        let begin = boundary(&format!("BEGIN {label}"));
        let text = hunk(&key, "", "").replacen("@@\n", &format!("@@\n {begin}\n"), 1);
        assert_eq!(redacted(&text), text);
    }
    // Only at the start of a hunk, since its first lines show a key's beginning otherwise.
    let text = hunk(&key, "", "").replacen("@@\n", "@@\n some words\n", 1);
    assert_eq!(redacted(&text), text);
    // Not a diff.
    for text in [
        hunk(&key, "", "").replacen("@@ -5", "@@ 5", 1),
        key.join("\n"),
        format!("x {}", hunk(&key, "", "").replacen("@@ -", "x @@ -", 1)),
    ] {
        assert_eq!(redacted(&text), text);
    }
}

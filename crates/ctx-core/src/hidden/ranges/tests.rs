//! The tables match Unicode's properties in the crate regex-syntax.
//!
//! `CTX_REWRITE=1 cargo test -p sticky-ctx-core ranges` rewrites them.

use std::fmt::Write;
use std::fs;

use regex_syntax::hir::{Class, HirKind};

/// A table: its name, its description, and its class.
struct Table {
    name: &'static str,
    about: &'static str,
    class: String,
}

/// Cursive and Indic scripts.
const JOINING: &[&str] = &[
    "Adlam",
    "Ahom",
    "Arabic",
    "Balinese",
    "Batak",
    "Bengali",
    "Bhaiksuki",
    "Brahmi",
    "Buginese",
    "Buhid",
    "Chakma",
    "Cham",
    "Chorasmian",
    "Devanagari",
    "Dives_Akuru",
    "Dogra",
    "Grantha",
    "Gujarati",
    "Gunjala_Gondi",
    "Gurmukhi",
    "Hanifi_Rohingya",
    "Hanunoo",
    "Javanese",
    "Kaithi",
    "Kannada",
    "Kawi",
    "Kayah_Li",
    "Kharoshthi",
    "Khmer",
    "Khojki",
    "Khudawadi",
    "Lao",
    "Lepcha",
    "Limbu",
    "Mahajani",
    "Makasar",
    "Malayalam",
    "Mandaic",
    "Manichaean",
    "Marchen",
    "Masaram_Gondi",
    "Meetei_Mayek",
    "Modi",
    "Mongolian",
    "Multani",
    "Myanmar",
    "Nandinagari",
    "New_Tai_Lue",
    "Newa",
    "Nko",
    "Old_Sogdian",
    "Old_Uyghur",
    "Oriya",
    "Phags_Pa",
    "Psalter_Pahlavi",
    "Rejang",
    "Saurashtra",
    "Sharada",
    "Siddham",
    "Sinhala",
    "Sogdian",
    "Soyombo",
    "Sundanese",
    "Syloti_Nagri",
    "Syriac",
    "Tagalog",
    "Tagbanwa",
    "Tai_Le",
    "Tai_Tham",
    "Tai_Viet",
    "Takri",
    "Tamil",
    "Telugu",
    "Thaana",
    "Thai",
    "Tibetan",
    "Tirhuta",
    "Zanabazar_Square",
];

/// Scripts without spaces between words.
const UNSPACED: &[&str] = &[
    "Balinese",
    "Batak",
    "Buginese",
    "Javanese",
    "Khmer",
    "Lao",
    "Lepcha",
    "Limbu",
    "Myanmar",
    "New_Tai_Lue",
    "Sundanese",
    "Tai_Le",
    "Tai_Tham",
    "Thai",
    "Tibetan",
];

/// Right-to-left scripts.
const RIGHT_TO_LEFT: &[&str] = &[
    "Adlam",
    "Arabic",
    "Avestan",
    "Chorasmian",
    "Cypriot",
    "Elymaic",
    "Garay",
    "Hanifi_Rohingya",
    "Hatran",
    "Hebrew",
    "Imperial_Aramaic",
    "Inscriptional_Pahlavi",
    "Inscriptional_Parthian",
    "Kharoshthi",
    "Lydian",
    "Mandaic",
    "Manichaean",
    "Mende_Kikakui",
    "Meroitic_Cursive",
    "Meroitic_Hieroglyphs",
    "Nabataean",
    "Nko",
    "Old_Hungarian",
    "Old_North_Arabian",
    "Old_Sogdian",
    "Old_South_Arabian",
    "Old_Turkic",
    "Old_Uyghur",
    "Palmyrene",
    "Phoenician",
    "Psalter_Pahlavi",
    "Samaritan",
    "Sogdian",
    "Syriac",
    "Thaana",
    "Yezidi",
];

fn tables() -> [Table; 8] {
    let table = |name, about, class: &str| Table { name, about, class: class.to_owned() };
    let scripts = |name, about, scripts: &[&str]| {
        let class: String = scripts.iter().map(|script| format!(r"\p{{scx={script}}}")).collect();
        // European scripts share some marks with these, which need no joiners there.
        let class = format!(r"[[{class}]--[\p{{scx=Latin}}\p{{scx=Greek}}\p{{scx=Cyrillic}}]]");
        Table { name, about, class }
    };
    [
        table(
            "UNSEEN",
            "Controls, line separators, annotations, and characters that are ignored if they cannot be shown.",
            r"[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{FFF9}-\u{FFFB}]",
        ),
        scripts("JOINING", "Cursive and Indic scripts, in which a joiner changes how a word looks.", JOINING),
        scripts("UNSPACED", "Scripts without spaces between words.", UNSPACED),
        scripts("RIGHT_TO_LEFT", "Right-to-left scripts.", RIGHT_TO_LEFT),
        table(
            "SHAPED",
            "Characters with shapes for a variation selector, except ideographs.",
            r"[[\p{Sm}--\p{ASCII}]\p{Myanmar}\p{Phags_Pa}\p{Manichaean}\u{3001}\u{3002}\u{FF01}-\u{FF1F}]",
        ),
        table(
            "EMOJI",
            "Characters that take part in emoji sequences.",
            r"[[\p{Emoji}\p{Extended_Pictographic}]--[0-9\#\*]]",
        ),
        table("IDEOGRAPH", "Chinese, Japanese and Korean ideographs.", r"[\p{Han}&&\p{Ideographic}]"),
        table("MONGOLIAN", "Mongolian letters.", r"[\p{Mongolian}&&\p{L}]"),
    ]
}

/// The file that declares the tables.
fn written() -> String {
    let mut text = "//! Ranges of characters in Unicode 16.0, including both ends. Generated: the tests next to it contain \
                    the classes.\n\
                    //! The data comes from the crate regex-syntax.\n\n\
                    #[cfg(test)]\nmod tests;\n\n\
                    type Ranges = &'static [(char, char)];\n"
        .to_owned();
    for Table { name, about, class } in tables() {
        writeln!(text, "\n/// {about}\n#[rustfmt::skip]\npub(super) const {name}: Ranges = &[").unwrap();
        let mut line = "   ".to_owned();
        for (first, last) in ranges(&class) {
            let range = format!(" ('{}', '{}'),", first.escape_unicode(), last.escape_unicode());
            if line.len() + range.len() > 110 {
                writeln!(text, "{line}").unwrap();
                line = "   ".to_owned();
            }
            line.push_str(&range);
        }
        writeln!(text, "{line}\n];").unwrap();
    }
    text
}

fn ranges(class: &str) -> Vec<(char, char)> {
    let parsed = regex_syntax::parse(class).unwrap_or_else(|error| panic!("{class}: {error}"));
    match parsed.into_kind() {
        HirKind::Class(Class::Unicode(class)) => {
            class.ranges().iter().map(|range| (range.start(), range.end())).collect()
        }
        other => panic!("{class}: {other:?}"),
    }
}

#[test]
fn ranges_match_the_unicode_properties() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/hidden/ranges.rs");
    let expected = written();
    if std::env::var_os("CTX_REWRITE").is_some() {
        fs::write(path, &expected).unwrap();
    }
    assert_eq!(fs::read_to_string(path).unwrap(), expected);
}

use proptest::prelude::*;

use super::*;
use crate::guard::Replacement;

fn revealed(text: &str) -> Option<CleanText> {
    reveal(&CleanText::from(text.to_owned()))
}

fn shown(text: &str) -> String {
    revealed(text).map_or_else(|| text.to_owned(), CleanText::into_string)
}

fn counted(text: &str) -> usize {
    revealed(text).map_or(0, |revealed| revealed.replaced().map(Replaced::count).sum())
}

#[track_caller]
fn stays(text: &str) {
    assert_eq!(revealed(text), None, "{}", text.escape_unicode());
}

#[test]
fn hidden_characters_are_written_as_code_points() {
    for hidden in "\u{202A}\u{202E}\u{2066}\u{2069}\u{200E}\u{200F}\u{61C}\u{E0001}\u{E0041}\u{E007F}\u{200B}\u{2060}\u{FEFF}\u{AD}\u{180E}\u{200C}\u{200D}\u{2061}\u{2064}\u{FE0F}\u{E0100}\u{115F}\u{1160}\u{3164}\u{FFA0}\u{1B}\0\u{7}\u{7F}\u{9B}\u{85}\u{34F}\u{2028}\u{206F}\u{FFF9}\u{1D173}\u{E0FFF}".chars() {
        let text = format!("a{hidden}b");
        assert_eq!(shown(&text), format!("a<U+{:04X}>b", u32::from(hidden)));
        assert_eq!(shown(&hidden.to_string()), format!("<U+{:04X}>", u32::from(hidden)));
    }
}

#[test]
fn plain_text_is_unchanged() {
    stays("");
    stays("fn main() {\r\n\tprintln!(\"hi\");\u{0C}\n}\n");
    stays("“Grüße” — naïve… 日本語 한국어 ελληνικά кириллица ▲ │ ─ ┼ \u{A0}\u{3000}");
    stays("<U+202E>");
}

#[test]
fn carriage_returns_stay_at_line_ends() {
    stays("a\r\nb\r\r\nc\r");
    assert_eq!(shown("rm -rf /\rls\n"), "rm -rf /<U+000D>ls\n");
    assert_eq!(shown("a\r\r\r\nb\r\rc"), "a<U+000D>\r\r\nb<U+000D><U+000D>c");
}

#[test]
fn emoji_sequences_are_unchanged() {
    stays("👩‍👩‍👧‍👦 👨🏽‍🚀 🏳️‍🌈 🏴‍☠️ ❤️‍🔥 🧑🏿‍❤️‍💋‍🧑🏻 ⚕️ 1️⃣ #️⃣ *️⃣ ©️ 🤦🏼‍♂️ 👁️‍🗨️");
    stays("\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}");
    stays("🇩🇪 ✔︎ ☃︎");
}

#[test]
fn scripts_that_need_joiners_keep_them() {
    stays("می‌خواهم");
    stays("ه‍ ");
    stays("क्‍ष क्‌ष");
    stays("ශ්‍රී ලංකා");
    stays("ന്‍ ക്ഷ");
    stays("葛\u{E0100}城市");
    stays("\u{1820}\u{180E}\u{1820}\u{180B}");
}

#[test]
fn zero_width_spaces_are_kept_in_scripts_that_need_them() {
    stays("ខ្ញុំ\u{200B}ស្រឡាញ់\u{200B}ភាសា");
    stays("ภาษา\u{200B}ไทย");
    assert_eq!(shown("ไ\u{200B}\u{200B}ท"), "ไ<U+200B><U+200B>ท");
    assert_eq!(shown("ไ\u{200B}a"), "ไ<U+200B>a");
}

#[test]
fn direction_marks_are_kept_near_right_to_left_text() {
    stays("שלום\u{200F}!");
    stays("C++\u{200E} שלום");
    stays("عربي\u{61C} 12");
    assert_eq!(shown("ש\u{200F}\u{200F}"), "ש\u{200F}<U+200F>");
    assert_eq!(shown("if (a\u{200F}) b"), "if (a<U+200F>) b");
}

#[test]
fn variation_selectors_on_every_letter_are_shown() {
    stays("葛\u{E0100}辻\u{E0100}城市");
    stays("∩\u{FE00} \u{2268}\u{FE00}");
    assert_eq!(shown("é\u{FE01}ü\u{FE00}"), "é<U+FE01>ü<U+FE00>");
    let message: String = (0..20).map(|_| "葛\u{E0101}").collect();
    assert!(counted(&message) >= 15);
}

#[test]
fn characters_that_could_carry_data_are_shown() {
    assert_eq!(shown("😊\u{FE0F}\u{FE00}\u{E0101}"), "😊\u{FE0F}<U+FE00><U+E0101>");
    assert_eq!(shown("葛\u{E0100}\u{E0101}"), "葛\u{E0100}<U+E0101>");
    assert_eq!(shown("می\u{200C}\u{200C}خ"), "می\u{200C}<U+200C>خ");
    assert_eq!(shown("x\u{200D}y"), "x<U+200D>y");
    assert_eq!(shown("😊\u{200D}y"), "😊<U+200D>y");
    assert_eq!(shown("\u{1F3F4}\u{E0067}\u{E0062}"), "\u{1F3F4}<U+E0067><U+E0062>");
    let message: String =
        "ignore all".bytes().map(|b| char::from_u32(0xE0000 + u32::from(b)).unwrap()).collect();
    assert!(shown(&format!("\u{1F3F4}{message}\u{E007F}")).is_char_boundary(4));
    assert_eq!(counted(&format!("\u{1F3F4}{message}\u{E007F}")), 11);
    assert_eq!(shown("\u{1B}[31mred\u{1B}[0m"), "<U+001B>[31mred<U+001B>[0m");
}

#[test]
fn replacements_are_where_they_are_written() {
    let revealed = revealed("a\nb\u{202E}\n\u{200B}\u{202E}").unwrap();
    let marked: Vec<(&str, Replaced)> = revealed
        .replacements()
        .iter()
        .map(|replacement| (&revealed[replacement.range.clone()], replacement.replaced))
        .collect();
    let hidden = |char| Replaced::Hidden { char, count: 1 };
    assert_eq!(
        marked,
        [
            ("<U+202E>", hidden('\u{202E}')),
            ("<U+200B>", hidden('\u{200B}')),
            ("<U+202E>", hidden('\u{202E}'))
        ]
    );
}

#[test]
fn a_long_run_of_equal_characters_is_written_once_with_its_length() {
    assert_eq!(shown(&"\u{1}".repeat(8)), "<U+0001>".repeat(8));
    assert_eq!(shown(&"\u{1}".repeat(9)), "<U+0001 ×9>");
    let text = format!("a{}{}b\n{}", "\u{1}".repeat(4_000), "\u{2}".repeat(10), "\u{1}".repeat(20));
    assert_eq!(shown(&text), "a<U+0001 ×4000><U+0002 ×10>b\n<U+0001 ×20>");
    let revealed = revealed(&text).unwrap();
    assert_eq!(
        revealed.replacements()[0],
        Replacement { range: 1..16, replaced: Replaced::Hidden { char: '\u{1}', count: 4_000 } }
    );
    assert_eq!(counted(&text), 4_030);
}

#[test]
fn a_long_run_of_hidden_characters_is_cut_and_the_rest_counted() {
    let data = "\u{1}\u{2}".repeat(2_000);
    assert_eq!(shown(&data), format!("{}<3744 more>", "<U+0001><U+0002>".repeat(128)));
    assert_eq!(shown(&format!("{data}x{data}")).matches("<3744 more>").count(), 2);
    let nearly = format!("{}{}", "\u{1}\u{2}".repeat(127), "\u{3}".repeat(8));
    assert_eq!(shown(&nearly), format!("{}<8 more>", "<U+0001><U+0002>".repeat(127)));
    assert_eq!(counted(&data), 4_000);
}

fn tricky() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<char>().prop_map(String::from),
        prop::sample::select(vec![
            "a",
            " ",
            "\n",
            "\u{200D}",
            "\u{200C}",
            "\u{FE0F}",
            "\u{FE00}",
            "\u{E0100}",
            "\u{E0067}",
            "\u{E007F}",
            "\u{1F3F4}",
            "😊",
            "❤",
            "🏽",
            "م",
            "क",
            "葛",
            "\u{180B}",
            "\u{1820}",
            "\u{1B}",
            "\u{202E}",
            "é",
            "1",
        ])
        .prop_map(String::from),
        "[ -~]{60,70}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn revealing_is_idempotent(text in tricky()) {
        if let Some(revealed) = revealed(&text) {
            prop_assert_ne!(revealed.as_str(), &text);
            prop_assert_eq!(reveal(&revealed), None);
        }
    }

    #[test]
    fn characters_found_are_the_ones_written_as_code_points(text in tricky()) {
        let offsets: Vec<Hidden> = hidden_characters(&text).collect();
        let visible: String = text
            .char_indices()
            .filter(|&(at, char)| !offsets.contains(&Hidden { char, at }))
            .map(|(_, char)| char)
            .collect();
        let length = visible.len() + offsets.iter().map(|h| format!("<U+{:04X}>", u32::from(h.char)).len()).sum::<usize>();
        if !shown(&text).contains('×') {
            prop_assert_eq!(shown(&text).len(), length);
        }
        prop_assert_eq!(counted(&text), offsets.len());
    }
}

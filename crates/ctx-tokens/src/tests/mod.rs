//! Compares the counters with an independent implementation and with the patterns themselves.

mod joining;
mod limits;
mod linear;
mod oracle;
mod ruling;
mod splitting;

use proptest::prelude::*;

/// Strings that a hand-written splitter or merge is likely to get wrong.
pub(super) fn awkward() -> Vec<String> {
    let mut texts: Vec<String> = [
        "",
        " ",
        "\n",
        "foo's FOO'S x'\u{17f}y 'ſ 'K '\u{212a} we'Re I'LL you'vE he'D 'tis rock'n'roll '' 's 'S",
        "it'same it'lland I'm'm 're'd a'b'c'd'e x'\u{17f}\u{17f} '\u{c5}",
        "e\u{301}a\u{301}\u{302}B\u{301} \u{301}x \u{301}ABC .\u{301} !\u{301}! \u{301}\u{301}A 1\u{301}2",
        "中文ABCdef 中ABC 中Abc ABC中DEF カタカナ ひらがな 한국어 ABCカdef",
        "ǅungla ǅ aǅb ʰʱ Aʰ aʰB ªº",
        "٣٤٥٦٧ १२३४५ ½¾⅓ ²³¹ ⅷⅸ 1²3४5 一二三 ①②③④",
        "👩‍👩‍👧‍👦👍🏽🇩🇪🏳️‍🌈 x👍 👍\n👍/ 😀😀😀",
        "a\u{85}b \u{85}\u{85} c\u{85}\nd \u{180e}\u{180e}x\u{a0}y \u{a0}\u{a0}z \u{2028}\u{2029}\n\u{3000}\u{3000}字\u{feff}",
        "a\r\nb\r\n\r\nc\n\r\nd\r\re\n\n\n f \n g  \n  h\t\n\t\ti\r \n j",
        "}\n\n", "}\n\n ", "}\n\n\n  x", "]\n//", "[x]\n// y", "a/b//c/\n/\n//d ///\r\n/e", "!\n/\n a",
        "foo\n  ", "foo  \n  ", "foo\n\t", "x \n ", "  \n  ", "\n ", "\t\t", "x\u{85} ", "x  \u{3000}",
        "<|endoftext|>", "a<|endofprompt|><|fim_prefix|>\n<|im_start|>user<|im_end|>",
        "if x {\n    foo(bar, 'baz', \"it's\");\n}\n\n// ====\n/* ---- */\n#define X_1 0xDEADBEEF\n",
        "HTTPServer fooBar FOOBar fooBAR XMLHttpRequest_v2 snake_case_123 CamelCASE",
        "\0\0a\0\u{1}\u{7}abcdef\u{7} abcdefg\u{1}h \u{7f}\u{80}\u{9f}",
        "\u{10ffff}\u{e000}\u{fffd}\u{e0041} \u{1d400}\u{1d7ce} \u{16fe4}",
        "https://example.org/a/b?c=d&e=%20f#g 1234567 12,345.678 +1-800-555 v1.2.3-rc.4",
    ]
    .map(String::from)
    .into();
    for unit in [
        "a", "A", "z", "7", " ", "\n", "\t", "\r\n", " \n", "=", "-", "/", ".", "()", "ab", "aB", "é", "中",
        "の", "😀", "\u{301}", "\u{a0}", "\u{3000}", "'s", "\\", "0x", "_", "AAa", "xy z",
    ] {
        for count in [2, 3, 7, 8, 15, 16, 17, 31, 64, 65, 97, 128, 129, 200, 500, 1500] {
            texts.push(unit.repeat(count));
            texts.push(format!("x{}y", unit.repeat(count)));
            texts.push(format!("b{}1", unit.repeat(count)));
        }
    }
    texts
}

/// Short strings of characters that the patterns distinguish.
pub(super) fn nasty() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        " ",
        " ",
        "  ",
        "\n",
        "\n",
        "\r",
        "\r\n",
        "\t",
        "\u{a0}",
        "\u{85}",
        "\u{3000}",
        "'",
        "'",
        "'s",
        "'S",
        "'ſ",
        "s",
        "S",
        "ſ",
        "t",
        "l",
        "L",
        "ll",
        "re",
        "E",
        "v",
        "a",
        "B",
        "foo",
        "Bar",
        "ABC",
        "ǅ",
        "中",
        "ʰ",
        "é",
        "\u{301}",
        "\u{301}",
        "1",
        "12",
        "123",
        "²",
        "٣",
        "/",
        "//",
        ".",
        "!",
        "}",
        "(",
        "\"",
        "_",
        "-",
        "😀",
        "\u{200d}",
        "\u{180e}",
        "<|endoftext|>",
        "K",
        "\0",
    ]);
    prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
}

/// Any text: awkward pieces, any characters, or letters of one kind.
pub(super) fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => nasty(),
        2 => any::<String>(),
        1 => "\\PC{0,60}",
        1 => "[a-z]{0,400}",
        1 => "[ab]{0,600}",
        1 => "[A-Za-z0-9+/]{0,500}",
        1 => "[ \n\t]{0,300}",
        1 => "[一-龥ぁ-ん]{0,200}",
        1 => "([a-z]{1,8}|[A-Z][a-z]{1,6}|_|[0-9]{1,5}|[(){};., \n\"'/]){0,60}",
    ]
}

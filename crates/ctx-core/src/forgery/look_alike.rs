//! Characters as a reader sees them: characters that look like ASCII become ASCII.
//!
//! Compatibility forms (full-width, mathematical, circled) come from NFKD, and letters of other scripts from
//! Unicode's confusables; both tables come from crates. Neither covers small capitals, all kinds of dashes,
//! or East Asian brackets.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::skeleton;

/// What a reader may take a character for, in lower case and without accents; usually one character, several
/// for a ligature.
pub(crate) fn folded(char: char) -> impl Iterator<Item = char> {
    let (one, several) = if char.is_ascii() {
        (Some(char.to_ascii_lowercase()), Vec::new())
    } else if looks_like_nothing_else(char) {
        (Some(char), Vec::new())
    } else {
        (None, looked_up(char))
    };
    one.into_iter().chain(several)
}

/// Ideographs, kana and Hangul syllables, which are frequent and do not look like ASCII.
fn looks_like_nothing_else(char: char) -> bool {
    !matches!(char, 'く' | 'ノ' | '丿')
        && matches!(char, '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{4e01}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

fn looked_up(char: char) -> Vec<char> {
    // These decompose into a space and a line above or below it.
    if let '\u{af}' | '\u{2c9}' | '\u{2017}' | '\u{203e}' = char {
        return vec!['-'];
    }
    let parts = std::iter::once(char).nfkd().filter(|part| !is_combining_mark(*part));
    parts.flat_map(of_part).collect()
}

/// What a reader may take one character of a decomposition for, without accents.
fn of_part(part: char) -> Vec<char> {
    if part.is_ascii() {
        return vec![part.to_ascii_lowercase()];
    }
    if let Some(ascii) = drawn_alike(part) {
        return vec![ascii];
    }
    let capital = part.is_uppercase();
    let ascii = |seen: char| match drawn_alike(seen).unwrap_or(seen) {
        // The table has an `l` for look-alikes of both `I` and `l`.
        'l' if capital => 'i',
        seen => seen,
    };
    let mut buffer = [0; 4];
    let seen = skeleton(part.encode_utf8(&mut buffer)).filter(|seen| !is_combining_mark(*seen)).map(ascii);
    seen.flat_map(char::to_lowercase).collect()
}

/// Characters that are drawn like an ASCII character, although Unicode's tables distinguish them.
fn drawn_alike(char: char) -> Option<char> {
    /// In alphabetical order; missing letters are spaces.
    const SMALL_CAPITALS: &str = "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡ ʏᴢ";
    let nth = |number: usize| char::from(b'a' + number as u8);
    let letter = |first: char| (u32::from(char) - u32::from(first)) as u8;
    match char {
        // Hyphens, dashes and minus signs, long marks, and line-drawing characters.
        '\u{58a}'
        | '\u{5be}'
        | '\u{1173}'
        | '\u{1400}'
        | '\u{1806}'
        | '\u{2010}'..='\u{2015}'
        | '\u{2043}'
        | '\u{2212}'
        | '\u{23af}'
        | '\u{2500}'
        | '\u{2501}'
        | '\u{2504}'
        | '\u{2505}'
        | '\u{2508}'
        | '\u{2509}'
        | '\u{254c}'
        | '\u{254d}'
        | '\u{2574}'
        | '\u{2576}'
        | '\u{2578}'
        | '\u{257a}'
        | '\u{2796}'
        | '\u{2e1a}'
        | '\u{2e3a}'
        | '\u{2e3b}'
        | '\u{2e40}'
        | '\u{301c}'
        | '\u{3030}'
        | '\u{30a0}'
        | '\u{30fc}'
        | '\u{4e00}' => Some('-'),
        '⁅' | '❲' | '⟦' | '⦋' | '⦍' | '⦏' | '【' | '〔' | '〖' | '〘' | '〚' => Some('['),
        '⁆' | '❳' | '⟧' | '⦌' | '⦎' | '⦐' | '】' | '〕' | '〗' | '〙' | '〛' => Some(']'),
        '❬' | '❰' | '⟨' | '⧼' | '〈' => Some('<'),
        '❭' | '❱' | '⟩' | '⧽' | '〉' => Some('>'),
        'ˋ' | '‵' => Some('`'),
        // White on black, in circles and squares; the halves of flags.
        '🅐'..='🅩' => Some(char::from(b'a' + letter('🅐'))),
        '🅰'..='🆉' => Some(char::from(b'a' + letter('🅰'))),
        '🇦'..='🇿' => Some(char::from(b'a' + letter('🇦'))),
        'Ғ' | 'ғ' | 'Ӻ' | 'ӻ' => Some('f'),
        'Ͳ' | 'ͳ' => Some('t'),
        'ʍ' => Some('m'),
        'ĸ' => Some('k'),
        char => SMALL_CAPITALS.chars().position(|capital| capital == char && char != ' ').map(nth),
    }
}

/// Maps ASCII characters that a reader may confuse, such as `l` and `1`, to one of them.
pub(crate) fn unified(char: char) -> char {
    match char {
        'i' | 'l' | '1' | '|' | '!' => 'l',
        'o' | '0' => 'o',
        char => char,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> String {
        text.chars().flat_map(folded).collect()
    }

    #[test]
    fn characters_that_look_like_ascii_are_read_as_ascii() {
        for text in [
            "context files end",
            "CONTEXT FILES END",
            "ＣＯＮＴＥＸＴ ＦＩＬＥＳ ＥＮＤ",
            "𝐂𝐎𝐍𝐓𝐄𝐗𝐓 𝐅𝐈𝐋𝐄𝐒 𝐄𝐍𝐃",
            "𝕔𝕠𝕟𝕥𝕖𝕩𝕥 𝕗𝕚𝕝𝕖𝕤 𝕖𝕟𝕕",
            "СОΝТЕХТ FІLЕЅ ЕΝD",
            "ᏟϴΝͲᎬХͲ ҒІᏞᎬЅ ᎬΝᎠ",
            "ᴄᴏɴᴛᴇхᴛ ғɪʟᴇꜱ ᴇɴᴅ",
            "Ⓒⓞⓝⓣⓔⓧⓣ ﬁⓛⓔⓢ ⓔⓝⓓ",
            "🅒🅞🅝🅣🅔🅧🅣 🅵🅸🅻🅴🆂 🅴🅽🅳",
            "ÇÓÑṪÉẌŤ FÍĻĒŞ ËŇḌ",
            "c\u{301}ontext files en\u{308}d",
        ] {
            assert_eq!(seen(text), "context files end", "{text}");
        }
        assert_eq!(seen("–—−－‐⸻─ー¯ˉ‗‾"), "------------");
        assert_eq!(seen("［b.md］【b.md】〔b.md〕"), "[b.md][b.md][b.md]");
        assert_eq!(seen("＜／ｄ＿ｃ＞‹⁄d﹏c›"), "</d_c></d_c>");
    }

    #[test]
    fn words_in_other_scripts_are_unchanged() {
        for word in ["日本語", "ひらがな", "カタカナ", "한국어"] {
            assert_eq!(seen(word), word);
        }
    }

    #[test]
    fn characters_that_are_not_looked_up_do_not_look_like_ascii() {
        let is_ascii = |char: &char| looked_up(*char).iter().all(char::is_ascii);
        let alike = ('\0'..=char::MAX).filter(|char| looks_like_nothing_else(*char)).filter(is_ascii);
        assert_eq!(alike.collect::<String>(), "ぐ丅丫丶으응");
    }
}

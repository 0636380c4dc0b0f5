//! Which characters can follow each other in texts of western languages. If text in another encoding is decoded as
//! Windows-1252, symbols end up inside words, and capitals at their ends.

/// Whether no text has a character here, between these two: a symbol inside a word, or a capital at its end.
pub fn is_odd(before: char, char: char, after: char) -> bool {
    let (follows, precedes) = (before.is_alphabetic(), after.is_alphabetic());
    match char {
        '\u{a0}' | '\u{ad}' | '\u{b4}' | '\u{b7}' | '\u{2013}' | '\u{2014}' | '\u{2018}' | '\u{2019}' => {
            false
        }
        // They open a quotation or a sentence.
        '\u{201e}' | '\u{201a}' | '\u{bf}' | '\u{a1}' => follows,
        // They are accents on their own, though some stand for other symbols.
        '\u{2dc}' | '\u{a8}' | '\u{af}' => follows || precedes,
        '\u{2c6}' | '\u{b8}' => true,
        '\u{2026}' => follows && after == ',',
        _ if is_control(char) => true,
        _ if char.is_uppercase() => before.is_lowercase() || follows && after.is_lowercase(),
        _ if char.is_lowercase() && !matches!(char, '\u{aa}' | '\u{ba}') => false,
        _ => follows && precedes,
    }
}

/// Whether a letter is seldom here in western languages, and another one with the same byte in Windows-1250 or 1257 is not.
pub fn is_doubtful(before: char, char: char, after: char) -> bool {
    let lower = |char: char| char.to_lowercase().next().unwrap_or(char);
    let (before, char, after) = (lower(before), lower(char), lower(after));
    let ends = !after.is_alphabetic();
    let is_consonant = after.is_alphabetic() && !is_vowel(after);
    match char {
        'ð' | 'þ' | 'ý' => true,
        'ñ' => !is_vowel(after),
        'ã' => !matches!(after, 'o' | 'e' | 's'),
        'õ' => after != 'e',
        'ç' => !matches!(after, 'a' | 'o' | 'u' | 'ã' | 'õ' | 'á' | 'ó' | 'i'),
        'ø' | 'æ' => ends || "aeiouíé".contains(after),
        'ì' | 'ò' | 'ù' => !ends || before == 'k',
        'ï' => !is_vowel(before),
        'ë' => !is_vowel(before),
        'è' => !(is_consonant || ends) || matches!(after, 'k'),
        'ê' => before == 'i' || ends || !is_consonant,
        'û' => !matches!(after, 'r' | 't' | 'l'),
        'î' => !matches!(after, 't' | 'l' | 'n'),
        'â' => ends,
        'œ' => ends,
        _ => false,
    }
}

fn is_vowel(char: char) -> bool {
    "aeiouyáéíóúàèìòùâêîôûäëïöüãõåæøœ".contains(char)
}

/// Whether no text has it.
pub fn is_control(char: char) -> bool {
    char.is_control() || ('\u{e000}'..='\u{f8ff}').contains(&char) || char == char::REPLACEMENT_CHARACTER
}

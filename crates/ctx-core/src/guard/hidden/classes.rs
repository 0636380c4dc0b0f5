//! Which characters are hidden, and which of them have a use.

/// What a character is, as far as hiding goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Seen, or white space that may stay.
    Visible,
    /// Never seen, with no use that a reader would miss.
    Hidden,
    /// Part of the flag of a country's subdivision, or hidden.
    FlagTag,
    /// The zero-width non-joiner.
    NonJoiner,
    /// The zero-width joiner.
    Joiner,
    /// Chooses between the looks of a symbol or letter.
    EmojiSelector,
    /// Chooses between the shapes of an ideograph.
    IdeographSelector,
    /// Chooses between the shapes of a Mongolian letter.
    MongolianSelector,
}

/// Whether a character that starts with these bytes may be anything but visible.
///
/// For continuation bytes the answer is no; for a few visible characters it is yes.
pub(super) fn may_be_hidden(first: u8, second: Option<u8>) -> bool {
    match first {
        b'\t' | b'\n' | b'\r' | 0x0c => false,
        0..=0x1f | 0x7f => true,
        0xc2 => matches!(second, Some(0x80..=0x9f | 0xad)),
        0xcd => second == Some(0x8f),
        0xd8 => second == Some(0x9c),
        0xe1 => matches!(second, Some(0x85 | 0x9e | 0xa0)),
        0xe2 => matches!(second, Some(0x80 | 0x81)),
        0xe3 => second == Some(0x85),
        0xef => matches!(second, Some(0xb8 | 0xbb | 0xbe | 0xbf)),
        0xf0 => matches!(second, Some(0x9b | 0x9d)),
        0xf3 => second == Some(0xa0),
        0x20..=0x7e | 0x80..=0xff => false,
    }
}

/// Classifies a character. A new hidden one must be known to [`may_be_hidden`] too.
pub(super) fn class(char: char) -> Class {
    match char {
        '\t' | '\n' | '\r' | '\u{0C}' => Class::Visible,
        '\u{200C}' => Class::NonJoiner,
        '\u{200D}' => Class::Joiner,
        '\u{FE00}'..='\u{FE0F}' => Class::EmojiSelector,
        '\u{E0100}'..='\u{E01EF}' => Class::IdeographSelector,
        '\u{180B}'..='\u{180F}' => Class::MongolianSelector,
        '\u{E0020}'..='\u{E007F}' => Class::FlagTag,
        // Controls.
        '\0'..='\u{1F}' | '\u{7F}'..='\u{9F}'
        // Soft hyphen, grapheme joiner, Arabic letter mark.
        | '\u{AD}' | '\u{34F}' | '\u{61C}'
        // Fillers and inherent vowels.
        | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{3164}' | '\u{FFA0}'
        // Zero-width space, marks of direction, separators, embeddings and overrides.
        | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}'
        // Word joiner, invisible operators, isolates, deprecated controls.
        | '\u{2060}'..='\u{206F}'
        // A byte-order mark inside, annotations, unassigned.
        | '\u{FEFF}' | '\u{FFF0}'..='\u{FFFB}'
        // Shorthand and musical formatting.
        | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
        // The rest of the plane of tags and selectors.
        | '\u{E0000}'..='\u{E001F}' | '\u{E0080}'..='\u{E00FF}' | '\u{E01F0}'..='\u{E0FFF}' => Class::Hidden,
        _ => Class::Visible,
    }
}

/// Whether joiners after this letter change how the word looks: cursive and Indic scripts.
pub(super) fn needs_joiners(char: char) -> bool {
    let is_in_script = matches!(char,
        // Arabic, Syriac, Thaana, N'Ko, Mandaic.
        '\u{620}'..='\u{8FF}'
        // Devanagari to Sinhala; Thai and Lao; Tibetan, Myanmar.
        | '\u{900}'..='\u{109F}'
        // Philippine scripts, Khmer, Mongolian, Limbu to Tai Tham, Balinese to Lepcha.
        | '\u{1700}'..='\u{18AF}' | '\u{1900}'..='\u{1AAF}' | '\u{1B00}'..='\u{1C4F}' | '\u{1CD0}'..='\u{1CFF}'
        // Syloti Nagri to Meetei Mayek.
        | '\u{A800}'..='\u{AADF}' | '\u{ABC0}'..='\u{ABFF}'
        // Arabic presentation forms.
        | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}'
        // Kharoshthi to Psalter Pahlavi, Sogdian, and the Brahmic scripts.
        | '\u{10A00}'..='\u{10BAF}' | '\u{10D00}'..='\u{10FFF}' | '\u{11000}'..='\u{11FFF}'
        // Adlam.
        | '\u{1E900}'..='\u{1E95F}');
    is_in_script && class(char) == Class::Visible
}

/// Whether a character takes part in emoji sequences. A little wide: symbols that are no emoji are
/// visible all the same.
pub(super) fn is_emoji(char: char) -> bool {
    matches!(char,
        '\u{A9}' | '\u{AE}' | '\u{203C}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2190}'..='\u{21FF}' | '\u{2300}'..='\u{23FF}' | '\u{24C2}' | '\u{25A0}'..='\u{27BF}'
        | '\u{2934}' | '\u{2935}' | '\u{2B00}'..='\u{2BFF}' | '\u{3030}' | '\u{303D}' | '\u{3297}' | '\u{3299}'
        | '\u{1F000}'..='\u{1FAFF}')
}

/// Whether a character is a Chinese, Japanese or Korean ideograph.
pub(super) fn is_ideograph(char: char) -> bool {
    matches!(char,
        '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFD}')
}

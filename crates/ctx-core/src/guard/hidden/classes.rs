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
    /// The zero-width space, which parts words where no blank does.
    WordBreak,
    /// A mark of direction.
    DirectionMark,
    /// Chooses between the looks of an emoji.
    EmojiSelector,
    /// Chooses between the shapes of a sign or letter.
    ShapeSelector,
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
        '\u{200B}' => Class::WordBreak,
        '\u{61C}' | '\u{200E}' | '\u{200F}' => Class::DirectionMark,
        '\u{FE00}'..='\u{FE0D}' => Class::ShapeSelector,
        '\u{FE0E}' | '\u{FE0F}' => Class::EmojiSelector,
        '\u{E0100}'..='\u{E01EF}' => Class::IdeographSelector,
        '\u{180B}'..='\u{180F}' => Class::MongolianSelector,
        '\u{E0020}'..='\u{E007F}' => Class::FlagTag,
        // Controls.
        '\0'..='\u{1F}' | '\u{7F}'..='\u{9F}'
        // Soft hyphen, grapheme joiner.
        | '\u{AD}' | '\u{34F}'
        // Fillers and inherent vowels.
        | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{3164}' | '\u{FFA0}'
        // Separators, embeddings and overrides.
        | '\u{2028}'..='\u{202E}'
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

/// Whether words of a character's script may be parted by nothing that is seen: Thai, Lao, Tibetan, Myanmar,
/// Khmer, Limbu to New Tai Lue, Tai Tham, Balinese to Lepcha, Javanese.
pub(super) fn parts_words_unseen(char: char) -> bool {
    matches!(char,
        '\u{E00}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{1900}'..='\u{1AAF}' | '\u{1B00}'..='\u{1C4F}'
        | '\u{A980}'..='\u{A9DF}')
        && class(char) == Class::Visible
}

/// Whether a character is written from right to left.
pub(super) fn is_right_to_left(char: char) -> bool {
    matches!(char,
        '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}' | '\u{10800}'..='\u{10FFF}'
        | '\u{1E800}'..='\u{1EFFF}')
        && class(char) == Class::Visible
}

/// Whether one of the first fourteen variation selectors chooses between the shapes of a character: mathematical
/// signs, Myanmar and Phags-pa letters, ideographs and their punctuation.
pub(super) fn has_shapes(char: char) -> bool {
    is_ideograph(char)
        || matches!(char,
            '\u{2200}'..='\u{22FF}' | '\u{2A00}'..='\u{2AFF}' | '\u{1000}'..='\u{109F}' | '\u{A840}'..='\u{A877}'
            | '\u{3001}'..='\u{3002}' | '\u{FF01}'..='\u{FF1F}' | '\u{10AC0}'..='\u{10AFF}')
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

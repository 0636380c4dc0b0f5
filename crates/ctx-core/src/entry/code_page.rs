//! The code pages of DOS, which consoles of Windows still use, and which the web has no names for.

use yore::code_pages::{
    CP437, CP737, CP850, CP852, CP855, CP857, CP860, CP861, CP862, CP863, CP864, CP865, CP869,
};

use crate::named::named;

named! {
    /// A code page of DOS.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum DosCodePage {
        /// The United States.
        UnitedStates = "CP437",
        /// Greek.
        Greek = "CP737",
        /// Western Europe.
        Western = "CP850",
        /// Central Europe.
        Central = "CP852",
        /// Cyrillic, not that of Russia.
        Cyrillic = "CP855",
        /// Turkish.
        Turkish = "CP857",
        /// Western Europe, with the euro sign.
        WesternWithEuro = "CP858",
        /// Portuguese.
        Portuguese = "CP860",
        /// Icelandic.
        Icelandic = "CP861",
        /// Hebrew.
        Hebrew = "CP862",
        /// French of Canada.
        Canadian = "CP863",
        /// Arabic.
        Arabic = "CP864",
        /// Danish and Norwegian.
        Nordic = "CP865",
        /// Greek, the later one.
        GreekLater = "CP869",
    }
}

/// Where the only difference between the two western ones is.
const EURO: u8 = 0xd5;

impl DosCodePage {
    /// The one with this number.
    pub fn numbered(number: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|page| page.name().strip_prefix("CP") == Some(number))
    }

    /// The character of a byte; `None` if it has none.
    pub fn char_of(self, byte: u8) -> Option<char> {
        match self {
            Self::UnitedStates => Some(CP437.decode_byte(byte)),
            Self::Greek => Some(CP737.decode_byte(byte)),
            Self::WesternWithEuro if byte == EURO => Some('€'),
            Self::Western | Self::WesternWithEuro => Some(CP850.decode_byte(byte)),
            Self::Central => Some(CP852.decode_byte(byte)),
            Self::Cyrillic => Some(CP855.decode_byte(byte)),
            Self::Turkish => CP857.decode_byte(byte),
            Self::Portuguese => Some(CP860.decode_byte(byte)),
            Self::Icelandic => Some(CP861.decode_byte(byte)),
            Self::Hebrew => Some(CP862.decode_byte(byte)),
            Self::Canadian => Some(CP863.decode_byte(byte)),
            Self::Arabic => CP864.decode_byte(byte),
            Self::Nordic => Some(CP865.decode_byte(byte)),
            Self::GreekLater => CP869.decode_byte(byte),
        }
    }
}

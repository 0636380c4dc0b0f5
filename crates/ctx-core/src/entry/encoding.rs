//! Encodings by their names: those of the web, and others that Python, iconv, R and Windows have for the same ones.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

use super::code_page::DosCodePage;
use crate::words::WrongText;

/// An encoding of text, by any of its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TextEncoding(Decoder);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Decoder {
    OfWeb(&'static Encoding),
    OfDos(DosCodePage),
}

impl TextEncoding {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            Decoder::OfWeb(encoding) => encoding.name(),
            Decoder::OfDos(page) => page.name(),
        }
    }

    /// What decodes it, if it is UTF-16.
    #[must_use]
    pub fn utf_16(self) -> Option<&'static Encoding> {
        match self.0 {
            Decoder::OfWeb(encoding) => Some(encoding).filter(|one| [UTF_16LE, UTF_16BE].contains(one)),
            Decoder::OfDos(_) => None,
        }
    }

    /// The text of bytes without a byte-order mark, and whether something became U+FFFD.
    #[must_use]
    pub fn decode(self, bytes: &[u8]) -> (Cow<'_, str>, bool) {
        let page = match self.0 {
            Decoder::OfWeb(encoding) => return encoding.decode_without_bom_handling(bytes),
            Decoder::OfDos(page) => page,
        };
        let chars = || bytes.iter().map(|byte| page.char_of(*byte));
        let text: String = chars().map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        (text.into(), chars().any(|char| char.is_none()))
    }
}

impl fmt::Display for TextEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for TextEncoding {
    type Err = WrongText;

    fn from_str(text: &str) -> Result<Self, WrongText> {
        let decoder = of_web(text).map(Decoder::OfWeb).or_else(|| of_dos(text).map(Decoder::OfDos));
        decoder.map(Self).ok_or(WrongText::new(
            "use the name of an encoding, such as GBK, Big5, Shift_JIS, EUC-JP, EUC-KR, KOI8-R, Windows-1251, CP850 or UTF-16LE",
        ))
    }
}

/// The code page of DOS with this name: `cp850`, `IBM850`, `OEM-850` or `850`.
fn of_dos(name: &str) -> Option<DosCodePage> {
    let plain = plain(name);
    let number = ["cp", "ibm", "oem", "dos", ""].iter().find_map(|prefix| plain.strip_prefix(prefix))?;
    DosCodePage::numbered(number)
}

/// The encoding of the web with this name.
fn of_web(name: &str) -> Option<&'static Encoding> {
    let label = |label: &str| Encoding::for_label_no_replacement(label.as_bytes());
    label(name).or_else(|| label(label_of(&plain(name))?)).or_else(|| label(&numbered(&plain(name))?))
}

/// The name without case and punctuation, which programs write differently: `EUC_JP`, `euc-jp`, `eucJP`.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// The label of an encoding with another name. Some are of a superset of what they name.
fn label_of(plain: &str) -> Option<&'static str> {
    Some(match plain {
        "utf8" | "utf8sig" | "utf8bom" | "u8" | "cp65001" => "utf-8",
        "utf16" | "utf16le" | "ucs2le" | "cp1200" => "utf-16le",
        "utf16be" | "ucs2be" | "cp1201" => "utf-16be",
        "cp932" | "932" | "ms932" | "ibm943" | "shiftjis" | "sjis" | "sjisopen" | "mskanji"
        | "windows31j" => "shift_jis",
        "cp936" | "936" | "ms936" | "gb2312" | "gb231280" | "euccn" | "eucgb2312cn" | "gb2312cn" => "gbk",
        "cp949" | "949" | "ms949" | "uhc" | "euckr" | "cp51949" | "ksc56011987" => "euc-kr",
        "cp950" | "950" | "ms950" | "big5tw" | "big5hkscs" | "hkscs" => "big5",
        "cp54936" | "gb180302000" | "gb180302005" => "gb18030",
        "eucjp" | "ujis" | "eucjpms" | "eucjpopen" | "eucjpwin" | "cp51932" | "cp20932" => "euc-jp",
        "iso2022jp" | "cp50220" | "cp50221" | "cp50222" | "iso2022jpms" => "iso-2022-jp",
        "latin1" | "iso88591" | "l1" | "cp28591" | "msansi" => "windows-1252",
        "latin2" | "l2" => "iso-8859-2",
        "latin3" | "l3" => "iso-8859-3",
        "latin4" | "l4" => "iso-8859-4",
        "latin5" | "l5" | "iso88599" => "windows-1254",
        "latin6" | "l6" => "iso-8859-10",
        "latin7" | "l7" => "iso-8859-13",
        "latin8" | "l8" => "iso-8859-14",
        "latin9" | "l9" => "iso-8859-15",
        "latin10" | "l10" => "iso-8859-16",
        "tis620" | "iso885911" | "cp874" => "windows-874",
        "koi8r" | "cp20866" => "koi8-r",
        "koi8u" | "cp21866" => "koi8-u",
        "macroman" | "macintosh" | "mac" | "macos" | "cp10000" => "macintosh",
        "maccyrillic" | "cp10007" => "x-mac-cyrillic",
        _ => return None,
    })
}

/// The label of a name that ends in a number: `cp1252`, `win1252` and `ansi1252`, or `iso8859_15`.
fn numbered(plain: &str) -> Option<String> {
    let of_windows =
        ["cp", "windows", "win", "ms", "ansi", ""].iter().find_map(|prefix| plain.strip_prefix(prefix));
    match of_windows.filter(|number| number.len() == 4 && number.starts_with("125")) {
        Some(number) => Some(format!("windows-{number}")),
        None => Some(match (plain.strip_prefix("iso8859"), plain) {
            (Some(part), _) => format!("iso-8859-{part}"),
            (None, "cp866" | "866") => "ibm866".to_owned(),
            (None, _) => return None,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_have_the_names_of_other_programs_too() {
        for (names, expected) in [
            (&["cp932", "CP932", "ms932", "Windows-31J", "sjis", "shift-jis", "Shift_JIS"][..], "Shift_JIS"),
            (&["cp936", "gb2312", "euc_cn", "GBK"], "GBK"),
            (&["cp949", "uhc", "EUC_KR", "euckr"], "EUC-KR"),
            (&["cp950", "Big5-HKSCS", "big5_tw"], "Big5"),
            (&["eucJP", "euc_jp", "ujis", "EUC-JP-MS"], "EUC-JP"),
            (&["iso2022_jp", "ISO-2022-JP"], "ISO-2022-JP"),
            (
                &["cp1252", "1252", "windows_1252", "win1252", "latin-1", "latin1", "ISO8859-1"],
                "windows-1252",
            ),
            (&["cp1251", "WINDOWS-1251"], "windows-1251"),
            (&["iso8859_15", "ISO-8859-15", "latin-9"], "ISO-8859-15"),
            (&["iso8859-2", "latin2"], "ISO-8859-2"),
            (&["koi8_r", "KOI8-R"], "KOI8-R"),
            (&["cp866", "IBM866"], "IBM866"),
            (&["cp874", "tis-620"], "windows-874"),
            (&["mac_roman", "macintosh"], "macintosh"),
            (&["cp437", "IBM437", "437"], "CP437"),
            (&["cp850", "CP850", "ibm850", "OEM-850", "850"], "CP850"),
            (&["cp852", "IBM852"], "CP852"),
            (&["cp858"], "CP858"),
            (&["utf_8", "utf-8-sig", "UTF-8-BOM", "cp65001"], "UTF-8"),
            (&["utf_16_le", "UTF-16LE", "UCS-2LE"], "UTF-16LE"),
        ] {
            for name in names {
                let encoding: Result<TextEncoding, _> = name.parse();
                assert_eq!(encoding.map(TextEncoding::name), Ok(expected), "{name}");
            }
        }
        for name in ["", "cp", "cp999", "1", "hz", "utf-7", "日本", "iso-8859-17", "cp125"] {
            assert!(name.parse::<TextEncoding>().is_err(), "{name}");
        }
    }

    #[test]
    fn code_pages_of_dos_are_decoded() {
        for (name, bytes, text, is_lossy) in [
            ("cp437", &b"\x84\xe1\x81"[..], "äßü", false),
            ("cp850", b"Gr\x94\xe1e\r\n", "Größe\r\n", false),
            ("cp852", b"\xa5\xa9\xd8", "ąęě", false),
            ("cp858", b"5 \xd5", "5 €", false),
            ("cp857", b"\x9f\xd5", "ş\u{fffd}", true),
        ] {
            let encoding: TextEncoding = name.parse().unwrap();
            assert_eq!(encoding.decode(bytes), (text.into(), is_lossy), "{name}");
        }
    }
}

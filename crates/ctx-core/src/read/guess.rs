//! Guesses how text is encoded that is not UTF-8 and has no mark.

use std::borrow::Cow;
use std::ops::Range;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    Encoding, ISO_2022_JP, ISO_8859_2, KOI8_R, KOI8_U, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1251, WINDOWS_1252,
    X_MAC_CYRILLIC,
};

use super::western::{self, is_control};

/// How many bytes are examined, from shortly before the first one that is not ASCII.
const SAMPLE: usize = 64 * 1024;

/// How many bytes before that one are examined.
const BEFORE: usize = 64;

/// A guess from fewer bytes outside of ASCII is unsure, unless it is an ordinary text in Windows-1252.
const TELLING: usize = 6;

/// So few letters do not tell the encodings for Latin letters apart, and the most common one is meant.
const FEW: usize = 3;

/// In text of mostly ASCII characters, at most one unit of UTF-16 in so many has its NUL on the other side, as 一 does.
const RARE: usize = 8;

/// So many letters tell the encodings for Latin letters apart.
const ENOUGH: usize = 12;

/// A guess.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guess {
    /// The encoding.
    pub encoding: &'static Encoding,
    /// Whether the bytes are many, and make sense in it.
    pub is_sure: bool,
}

/// Guesses the encoding of bytes that are not UTF-8.
#[must_use]
pub fn guess(bytes: &[u8]) -> Guess {
    if is_damaged_utf_8(bytes) {
        return Guess { encoding: UTF_8, is_sure: true };
    }
    let place = sample(bytes);
    let sample = &bytes[place.clone()];
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(sample, place.end == bytes.len());
    let found = detector.guess(None, Utf8Detection::Deny);
    let decoded = |encoding: &'static Encoding| encoding.decode_without_bom_handling(sample).0;
    let (text, western) = (decoded(found), decoded(WINDOWS_1252));
    let telling = sample.iter().filter(|byte| !byte.is_ascii()).count();
    let is_western = found == WINDOWS_1252
        || text == western
        || found.is_single_byte() && telling <= FEW && is_usual_in(&western)
        || found == ISO_8859_2
            && telling <= ENOUGH
            && has_symbols_apart(&western, &text)
            && is_western_text(&western);
    if is_western {
        return Guess { encoding: WINDOWS_1252, is_sure: is_western_text(&western) };
    }
    let encoding = match found {
        found if found == KOI8_U && decoded(KOI8_R) == text => KOI8_R,
        found if found == WINDOWS_1251 && is_of_two_languages(&text) => X_MAC_CYRILLIC,
        found => found,
    };
    Guess { encoding, is_sure: telling >= TELLING && is_foreign_text(&decoded(encoding)) }
}

/// The text of bytes in ISO-2022-JP, which are all ASCII: it has an escape sequence for Japanese characters, and all of it
/// makes sense.
#[must_use]
pub fn iso_2022_jp(bytes: &[u8]) -> Option<Cow<'_, str>> {
    /// For the two editions of the Japanese standard.
    const ESCAPES: [&[u8]; 2] = [b"\x1b$B", b"\x1b$@"];
    let begins_characters = |at: usize| ESCAPES.iter().any(|escape| bytes[at..].starts_with(escape));
    if !memchr::memchr_iter(b'\x1b', bytes).any(begins_characters) {
        return None;
    }
    let text = ISO_2022_JP.decode_without_bom_handling_and_without_replacement(bytes)?;
    (!text.is_ascii()).then_some(text)
}

/// The text of bytes that are UTF-8 but for surrogates, two of which are one character, and whether one of them was alone.
#[must_use]
pub fn cesu_8(bytes: &[u8]) -> Option<(String, bool)> {
    let surrogate = |at: usize| match bytes[at..] {
        [0xed, second @ 0xa0..=0xbf, third @ 0x80..=0xbf, ..] => {
            Some(0xd000 | u16::from(second & 0x3f) << 6 | u16::from(third & 0x3f))
        }
        _ => None,
    };
    let mut text = String::with_capacity(bytes.len());
    let (mut done, mut is_lossy) = (0, false);
    for at in memchr::memchr_iter(0xed, bytes) {
        let Some(first) = surrogate(at).filter(|_| at >= done) else { continue };
        text.push_str(std::str::from_utf8(&bytes[done..at]).ok()?);
        let pair = [Some(first), surrogate(at + 3)].into_iter().flatten();
        let char = char::decode_utf16(pair).next().and_then(Result::ok);
        is_lossy |= char.is_none();
        text.push(char.unwrap_or(char::REPLACEMENT_CHARACTER));
        done = at + if char.is_some() { 6 } else { 3 };
    }
    let rest = std::str::from_utf8(&bytes[done..]).ok().filter(|_| done > 0)?;
    text.push_str(rest);
    Some((text, is_lossy))
}

/// UTF-16 without a mark. Most units have a NUL, nearly always on the same side; or, in other scripts, lines end there. The last
/// character may be cut.
#[must_use]
pub fn utf_16(bytes: &[u8]) -> Option<&'static Encoding> {
    let (units, rest) = bytes.as_chunks::<2>();
    if units.len() < 2 || !rest.is_empty() {
        return None;
    }
    let count = |side: usize| units.iter().filter(|unit| unit[side] == 0).count();
    let nuls = [count(0), count(1)];
    [(UTF_16LE, 1), (UTF_16BE, 0)].into_iter().find_map(|(encoding, side)| {
        let is_mostly_ascii = nuls[side] * 2 > units.len() && nuls[1 - side] * RARE <= nuls[side];
        let fits = |text: &str| is_mostly_ascii || text.contains('\n') && is_other_script(text);
        let text = (nuls[side] > 0).then(|| in_utf_16(bytes, encoding))??;
        (fits(&text) && !has_ascii_lines(units, side, is_mostly_ascii)).then_some(encoding)
    })
}

/// Whether some of what may be UTF-16 is lines of ASCII, as after a program appended UTF-16 to a file in another encoding: their
/// newlines are the high halves of units. Letters of India have such units too, but many in a row, or between spaces.
fn has_ascii_lines(units: &[[u8; 2]], high: usize, is_mostly_ascii: bool) -> bool {
    let is_ascii =
        |unit: &[u8; 2]| unit.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace());
    let mut start = 0;
    units.split(|unit| !is_ascii(unit)).any(|run| {
        let end = start + run.len();
        let is_edge = start == 0 || end == units.len();
        start = end + 1;
        let newlines = run.iter().filter(|unit| unit[high] == b'\n').count();
        newlines > 0 && (newlines * 2 <= run.len() || is_edge && is_mostly_ascii)
    })
}

/// The text of whole units of UTF-16, if it makes sense: without control characters, and with its newlines where they are. The
/// last character may be cut.
#[must_use]
pub fn in_utf_16(bytes: &[u8], encoding: &'static Encoding) -> Option<String> {
    let (units, rest) = bytes.as_chunks::<2>();
    let of = if encoding == UTF_16LE { u16::from_le_bytes } else { u16::from_be_bytes };
    let units = || units.iter().map(|unit| of(*unit));
    let is_control = |unit: u16| unit < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d].contains(&unit);
    // A newline of another encoding is half of another character.
    let has_newlines = || !bytes.contains(&b'\n') || units().any(|unit| unit == u16::from(b'\n'));
    if !rest.is_empty() || units().any(|unit| is_control(unit) || unit >= 0xfffe) || !has_newlines() {
        return None;
    }
    let chars: Vec<_> = char::decode_utf16(units()).collect();
    let broken = chars.iter().filter(|char| char.is_err()).count();
    (broken <= 1).then(|| chars.into_iter().flatten().collect())
}

/// Whether a text that may be UTF-16 is in letters that are not Latin, and not pairs of ASCII characters read as ideographs.
fn is_other_script(text: &str) -> bool {
    let is_ascii = |byte: u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    let is_pair = |char: &char| {
        let unit = u16::try_from(*char).ok().filter(|unit| !(0x3000..=0x30ff).contains(unit));
        unit.is_some_and(|unit| unit.to_be_bytes().into_iter().all(is_ascii))
    };
    let others = text.chars().filter(|char| !char.is_ascii()).count();
    others > 0 && text.chars().filter(is_pair).count() * 4 <= others * 3 && is_foreign_text(text)
}

/// Whether most of what is not ASCII is UTF-8: a few bytes were lost or come from another file.
fn is_damaged_utf_8(bytes: &[u8]) -> bool {
    let (mut whole, mut broken) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        whole += chunk.valid().chars().filter(|char| !char.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    whole > broken * 4
}

fn sample(bytes: &[u8]) -> Range<usize> {
    let first = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
    let start = first.saturating_sub(BEFORE);
    start..bytes.len().min(start + SAMPLE)
}

/// Whether there are symbols like © and ± in a text that is read as letters otherwise, and all stand apart from words.
fn has_symbols_apart(western: &str, other: &str) -> bool {
    let around = [' '].into_iter().chain(western.chars()).zip(western.chars().skip(1).chain([' ']));
    let read = western.chars().zip(other.chars()).zip(around);
    let symbols = read.filter(|((symbol, letter), _)| !symbol.is_alphabetic() && letter.is_alphabetic());
    let mut are_apart =
        symbols.map(|(_, (before, after))| !before.is_alphabetic() && !after.is_alphabetic()).peekable();
    are_apart.peek().is_some() && are_apart.all(|is_apart| is_apart)
}

/// Whether letters outside of ASCII are as in words of a western language, with few of them.
fn is_usual_in(western: &str) -> bool {
    western.chars().filter(|char| !char.is_ascii()).all(|char| char.is_lowercase() || is_punctuation(char))
}

/// Whether the runs of characters outside of ASCII are like those of a text in Windows-1252: without control characters, without
/// symbols in longer ones, and with capitals at their beginning.
fn has_western_runs(text: &str) -> bool {
    let (mut all, mut odd) = (0, 0);
    for run in text.split(|char: char| char.is_ascii()).filter(|run| !run.is_empty()) {
        let chars: Vec<char> = run.chars().collect();
        all += chars.len();
        let is_symbol = |char: &char| !char.is_alphabetic() && !is_punctuation(*char);
        let rises = chars.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase());
        if chars.iter().any(|char| is_control(*char))
            || rises
            || chars.len() > 2 && chars.iter().any(is_symbol)
        {
            odd += chars.len();
        }
    }
    odd * 10 <= all
}

/// Whether a text decoded as Windows-1252 looks like one: its characters stand where western languages have them, and, if there
/// are few, its letters do.
fn is_western_text(text: &str) -> bool {
    let (mut all, mut odd, mut doubtful) = (0, 0, 0);
    let mut chars = text.chars().peekable();
    let mut before = ' ';
    while let Some(char) = chars.next() {
        let after = chars.peek().copied().unwrap_or(' ');
        if !char.is_ascii() {
            all += 1;
            odd += usize::from(western::is_odd(before, char, after));
            doubtful += usize::from(western::is_doubtful(before, char, after));
        }
        before = char;
    }
    let is_telling = all > ENOUGH || ["ão", "õe", "ño", "ña"].iter().any(|part| text.contains(part));
    odd * 10 <= all && (is_telling || doubtful * 4 <= all) && has_western_runs(text)
}

/// Whether a text in Cyrillic has letters of Serbian or Macedonian and of Russian, as capitals of a Mac decoded as Windows-1251.
fn is_of_two_languages(text: &str) -> bool {
    let has = |letters: &str| text.contains(|char| letters.contains(char));
    has("ЂЃЉЊЌЋЏђѓљњќћџ") && has("ыэщъёя")
}

/// Whether most of what is not ASCII in a text are letters, and nothing is a control character.
fn is_foreign_text(text: &str) -> bool {
    let (mut all, mut letters) = (0, 0);
    for char in text.chars().filter(|char| !char.is_ascii()) {
        if is_control(char) {
            return false;
        }
        all += 1;
        letters += usize::from(char.is_alphanumeric() || is_punctuation(char));
    }
    letters * 5 >= all * 4
}

/// Whether it stands between words in some script.
fn is_punctuation(char: char) -> bool {
    matches!(char, '\u{a0}' | '¡' | '«' | '»' | '¿' | '·' | '§' | '©' | '®' | '°' | '´' | '№' | '™' | '€')
        || matches!(char, '\u{2010}'..='\u{203a}' | '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ffef}')
        || matches!(char, '\u{5be}' | '\u{5f3}' | '\u{5f4}' | '\u{60c}' | '\u{61b}' | '\u{61f}')
        || matches!(char, '\u{591}'..='\u{5bd}' | '\u{64b}'..='\u{65f}' | '\u{e31}'..='\u{e4e}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A paragraph in an encoding, and what its encoding is called.
    const PROSE: [(&str, &str); 18] = [
        (
            "GBK",
            "仓库里的每一份订单都要经过检查。如果库存不足，系统会把退款金额记录下来，并且通知客户。请不要在没有备份的情况下修改配置文件，否则第二天的报表会出错。",
        ),
        (
            "Big5",
            "倉庫裡的每一份訂單都要經過檢查。如果庫存不足，系統會把退款金額記錄下來，並且通知客戶。請不要在沒有備份的情況下修改設定檔，否則第二天的報表會出錯。",
        ),
        (
            "Shift_JIS",
            "倉庫の注文はすべて検査を受けなければなりません。在庫が足りない場合、システムは返金額を記録し、顧客に知らせます。バックアップなしで設定ファイルを変更しないでください。",
        ),
        (
            "EUC-JP",
            "倉庫の注文はすべて検査を受けなければなりません。在庫が足りない場合、システムは返金額を記録し、顧客に知らせます。バックアップなしで設定ファイルを変更しないでください。",
        ),
        (
            "EUC-KR",
            "창고의 모든 주문은 검사를 받아야 합니다. 재고가 부족하면 시스템이 환불 금액을 기록하고 고객에게 알립니다. 백업 없이 설정 파일을 바꾸지 마세요.",
        ),
        (
            "KOI8-R",
            "Каждый заказ на складе проходит проверку. Если товара не хватает, система записывает сумму возврата и сообщает об этом клиенту. Не меняйте файл настроек без резервной копии.",
        ),
        (
            "windows-1251",
            "Каждый заказ на складе проходит проверку. Если товара не хватает, система записывает сумму возврата и сообщает об этом клиенту. Не меняйте файл настроек без резервной копии.",
        ),
        (
            "x-mac-cyrillic",
            "Каждый заказ на складе проходит проверку. Если товара не хватает, система записывает сумму возврата и сообщает об этом клиенту. Не меняйте файл настроек без резервной копии.",
        ),
        (
            "windows-1250",
            "Každá objednávka ve skladu prochází kontrolou. Pokud zboží chybí, systém zapíše částku vrácených peněz a upozorní zákazníka. Neměňte soubor s nastavením bez zálohy.",
        ),
        (
            "windows-1250",
            "Każde zamówienie w magazynie przechodzi kontrolę. Jeśli brakuje towaru, system zapisuje kwotę zwrotu i zawiadamia klienta. Nie zmieniaj pliku ustawień bez kopii zapasowej, gdyż błędy są kosztowne.",
        ),
        (
            "windows-1252",
            "Jede Bestellung im Lager wird geprüft. Fehlt die Ware, so schreibt das System den Betrag der Rückzahlung auf und benachrichtigt den Käufer – sonst ist „alles“ weg.",
        ),
        (
            "windows-1253",
            "Κάθε παραγγελία στην αποθήκη περνά από έλεγχο. Αν λείπει το εμπόρευμα, το σύστημα καταγράφει το ποσό της επιστροφής και ειδοποιεί τον πελάτη.",
        ),
        (
            "windows-1254",
            "Depodaki her sipariş denetimden geçer. Ürün eksikse sistem iade tutarını kaydeder ve müşteriye haber verir. Yedek almadan ayar dosyasını değiştirmeyin.",
        ),
        (
            "windows-1255",
            "כל הזמנה במחסן עוברת בדיקה. אם חסרה סחורה, המערכת רושמת את סכום ההחזר ומודיעה ללקוח. אין לשנות את קובץ ההגדרות בלי גיבוי.",
        ),
        (
            "windows-1256",
            "كل طلب في المستودع يخضع للفحص. إذا نقصت البضاعة يسجل النظام مبلغ الاسترداد ويبلغ العميل. لا تغير ملف الإعدادات من دون نسخة احتياطية.",
        ),
        (
            "windows-1257",
            "Kiekvienas užsakymas sandėlyje tikrinamas. Jei prekių trūksta, sistema įrašo grąžinamą sumą ir praneša klientui. Nekeiskite nustatymų failo be atsarginės kopijos.",
        ),
        ("IBM866", "Привет, мир. Это старый файл из DOS, в котором описаны все настройки программы."),
        ("windows-874", "คำสั่งซื้อทุกรายการในคลังสินค้าต้องผ่านการตรวจสอบ"),
    ];

    fn encoding(label: &str) -> &'static Encoding {
        Encoding::for_label(label.as_bytes()).unwrap()
    }

    fn encoded(label: &str, text: &str) -> Vec<u8> {
        let (bytes, _, has_lost) = encoding(label).encode(text);
        assert!(!has_lost, "{label}: {text}");
        bytes.into_owned()
    }

    #[test]
    fn prose_is_recognised_in_each_encoding() {
        for (label, text) in PROSE {
            let guess = guess(&encoded(label, text));
            assert_eq!((guess.encoding.name(), guess.is_sure), (encoding(label).name(), true), "{text}");
            let long = format!("{}{text}", "int a;\n".repeat(20_000));
            assert_eq!(
                super::guess(&encoded(label, &long)).encoding.name(),
                encoding(label).name(),
                "{text}"
            );
        }
    }

    #[test]
    fn few_letters_are_western_if_they_are_plausible() {
        for text in [
            "Ren\u{e9}",
            "na\u{ef}ve",
            "Copyright © 2020 Someone",
            "it’s “quoted” … text • item",
            "ÄÖÜ äöü ß",
            "Größe: 5 µm ± 2 °C",
            "señor ¿qué? ¡olé! nº 3ª",
            "// Author: José Müller",
        ] {
            let guess = guess(&encoded("windows-1252", text));
            assert_eq!((guess.encoding.name(), guess.is_sure), ("windows-1252", true), "{text}");
        }
    }

    #[test]
    fn guess_from_few_or_senseless_bytes_is_unsure() {
        for bytes in [
            encoded("gbk", "处理\n"),
            encoded("koi8-r", "Имя\n"),
            encoded("windows-1251", "Имя\n"),
            b"abc\x8d\x8f\x90".to_vec(),
            b"\x80\x81\x82".to_vec(),
        ] {
            assert!(!guess(&bytes).is_sure, "{bytes:?}");
        }
    }

    #[test]
    fn few_letters_in_another_encoding_are_never_surely_western() {
        for (encoding, text) in [
            ("windows-1250", "proèitaj me"),
            ("windows-1250", "Gdañsk"),
            ("windows-1250", "øíká"),
            ("windows-1257", "Nustatymø failas"),
            ("windows-1257", "ðiandien yra graþi diena"),
            ("windows-1254", "Dosya bulunamadý"),
            ("CP850", "Gr”áe"),
            ("CP850", "p† g†rden"),
            ("CP437", "se¤or"),
            ("CP437", "Jos‚"),
            ("CP852", "Krak¢w"),
            ("macintosh", "Les donnŽes"),
            ("IBM855", "·ó¨¬ù ¬¤ ¸á§Ñ®¬"),
        ] {
            assert!(!guess(&encoded("windows-1252", text)).is_sure, "{text} of {encoding}");
        }
        for text in [
            "Noël à l’école, très déjà reçu",
            "perché è così",
            "Blåbærsyltetøy på gården",
            "São Paulo: ações",
            "você não está só, coração, irmã, manhã",
            "/* © 2001 Müller & Söhne, 5 µm ± 3° */ int x; // naïve",
            "el niño",
        ] {
            let guess = guess(&encoded("windows-1252", text));
            assert_eq!((guess.encoding, guess.is_sure), (WINDOWS_1252, true), "{text}");
        }
    }

    #[test]
    fn surrogates_in_utf_8_are_one_character_each_two() {
        for (bytes, expected) in [
            (&b"a \xed\xa0\xbd\xed\xb8\x80 caf\xc3\xa9"[..], Some(("a 😀 café", false))),
            (b"\xed\xa0\xbd\xed\xb8\x80\xed\xa0\xbd\xed\xb8\x80", Some(("😀😀", false))),
            (b"a\xed\xa0\xbd", Some(("a\u{fffd}", true))),
            (b"\xed\xa0\xbd \xe9", None),
            (b"\xed\x95\x9c", None),
            (b"\xed", None),
            (b"", None),
        ] {
            let expected = expected.map(|(text, is_lossy)| (text.to_owned(), is_lossy));
            assert_eq!(cesu_8(bytes), expected, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn utf_8_with_a_few_wrong_bytes_is_utf_8() {
        let bytes = [&b"\xe9 "[..], "Größe, Übermaß, Ärger, daß".as_bytes()].concat();
        assert_eq!(guess(&bytes).encoding, UTF_8);
    }

    #[test]
    fn japanese_in_ascii_is_recognised_by_its_escapes() {
        assert_eq!(iso_2022_jp(b"a \x1b$BF|\x1b(B b\n").as_deref(), Some("a 日 b\n"));
        for text in [
            &b"\x1b[31mred\x1b[0m\n"[..],
            b"\x1b[1m\x1b$BF|\x1b(B\n",
            b"a \x1b$",
            b"\x1b$B\x1b(B",
            b"\x1b(Ba",
            b"a",
        ] {
            assert_eq!(iso_2022_jp(text), None, "{}", text.escape_ascii());
        }
    }

    #[test]
    fn utf_16_is_recognised_by_its_nuls() {
        let bytes =
            |text: &str, of: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(of).collect::<Vec<u8>>();
        for text in [
            "hi\r\n",
            "Hällo Wörld, 世界 and text\n",
            "hello 一 world\n",
            "名前,年齢\n太一,20\n",
            "\u{3000}\u{3000}第一章\n天上有一条河。\n",
            "Привет, мир\n",
            "ひらがなだけのぶんしょう\n",
            "주문\n",
            "in Punjabi: ਸਤਿ ਸ੍ਰੀ ਅਕਾਲ, with more words\n",
            "海上的月亮\nwith an English line\n",
        ] {
            assert_eq!(utf_16(&bytes(text, u16::to_le_bytes)), Some(UTF_16LE));
            assert_eq!(utf_16(&bytes(text, u16::to_be_bytes)), Some(UTF_16BE));
        }
        for bytes in [
            &b"\x01\0\x02\0\x03\0"[..],
            b"a\0b\0\0\0",
            b"\0\0\0\0",
            b"MZ\x90\0\x03\0",
            b"ab\0cd\0",
            b"a\0b\0c",
            b"a\0b\n",
            b"a\0b\0c\n",
            b"a\0",
            b"",
            b"abc\0def\0",
            b"abcd\nef\0\n\0",
            b"builds/\n#\0x\0\n\0",
            b"\x80\x91\0\x02\n\0\0\xe0",
        ] {
            assert_eq!(utf_16(bytes), None, "{bytes:?}");
        }
        for text in ["node_modules/\r\n", "один\r\nдва\r\nтри\r\n"] {
            for ascii in ["secret/\n", "out\n", "a long line\r\n\n"] {
                let wide = bytes(text, u16::to_le_bytes);
                for parts in [[ascii.as_bytes(), &wide], [&wide, ascii.as_bytes()]] {
                    assert_eq!(utf_16(&parts.concat()), None, "{text} {ascii}");
                }
                let shifted = [b"secret\n", &*wide, b"odd\n\n"].concat();
                assert_eq!(utf_16(&shifted), None, "{text}");
            }
        }
        assert_eq!(utf_16(&[b"*\n", &*bytes("dist/\n", u16::to_le_bytes)].concat()), None);
    }
}

//! What a value in git's configuration says.

use crate::fs::directory::bytes_of;
use crate::world::World;

/// A path with `~` replaced by the home directory; `None` where git alone knows what it means.
#[must_use]
pub fn expand(path: &[u8], world: &World) -> Option<Vec<u8>> {
    match path {
        _ if path.starts_with(b"%(prefix)/") => None,
        [b'~'] => Some(bytes_of(world.home.as_ref()?)),
        [b'~', rest @ ..] if rest.starts_with(b"/") => {
            Some([bytes_of(world.home.as_ref()?).as_slice(), rest].concat())
        }
        [b'~', ..] => None,
        _ => Some(path.to_vec()),
    }
}

/// A truth value as git reads it.
#[must_use]
pub fn truth(value: &[u8]) -> Option<bool> {
    let text = std::str::from_utf8(value).ok()?;
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" | "" => Some(false),
        number => integer(number).map(|number| number != 0),
    }
}

/// A 32-bit number as git reads it: decimal, octal or hexadecimal, in lower case, with a unit.
fn integer(text: &str) -> Option<i64> {
    let text = text.trim_start_matches([' ', '\t', '\n', '\r', '\u{b}', '\u{c}']);
    let shift = match text.as_bytes().last()? {
        b'k' => 10,
        b'm' => 20,
        b'g' => 30,
        _ => 0,
    };
    let text = &text[..text.len() - usize::from(shift > 0)];
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let magnitude = match (digits.strip_prefix("0x"), digits.strip_prefix('0')) {
        (Some(hexadecimal), _) => i64::from_str_radix(hexadecimal, 16),
        (None, Some(octal)) if !octal.is_empty() => i64::from_str_radix(octal, 8),
        (None, _) => digits.parse(),
    };
    let is_number = digits.starts_with(|first: char| first.is_ascii_hexdigit());
    let value = magnitude.ok().filter(|_| is_number)?.checked_mul(1 << shift)?;
    (value <= i64::from(i32::MAX)).then_some(value)
}

//! Numbers in as few bytes as possible.

/// Appends a number, seven bits per byte, the lowest first.
pub(super) fn push_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push((number & 0x7f) as u8);
}

/// Appends the eight bytes of a hash.
pub(super) fn push_hash(bytes: &mut Vec<u8>, hash: u64) {
    bytes.extend_from_slice(&hash.to_le_bytes());
}

/// Takes a number from the beginning of `rest`, never reading past its end.
pub(super) fn take_number(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for (place, byte) in rest.iter().enumerate().take(10) {
        number |= u64::from(byte & 0x7f).checked_shl(7 * u32::try_from(place).ok()?)?;
        if byte & 0x80 == 0 {
            *rest = &rest[place + 1..];
            return Some(number);
        }
    }
    None
}

/// Takes the number of items that follow, each of at least one byte.
pub(super) fn take_count(rest: &mut &[u8]) -> Option<usize> {
    usize::try_from(take_number(rest)?).ok().filter(|count| *count <= rest.len())
}

/// Takes the eight bytes of a hash.
pub(super) fn take_hash(rest: &mut &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(take_bytes(rest, 8)?.try_into().ok()?))
}

/// Takes this many bytes.
pub(super) fn take_bytes<'b>(rest: &mut &'b [u8], count: usize) -> Option<&'b [u8]> {
    let (bytes, after) = rest.split_at_checked(count)?;
    *rest = after;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_written() {
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|number| push_number(&mut bytes, *number));
        let mut rest = bytes.as_slice();
        assert_eq!(numbers.map(|_| take_number(&mut rest).unwrap()), numbers);
        assert_eq!(take_number(&mut rest), None);
    }

    #[test]
    fn truncated_or_overlong_bytes_are_not_a_number() {
        assert_eq!(take_number(&mut &[0x80, 0x80][..]), None);
        assert_eq!(take_number(&mut &[0xff; 20][..]), None);
        assert_eq!(take_hash(&mut &[1; 7][..]), None);
    }
}

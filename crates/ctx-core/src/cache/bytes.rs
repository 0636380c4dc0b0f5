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

/// Reads numbers from bytes, and never reads beyond them, whatever they contain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pull<'b> {
    pub(super) rest: &'b [u8],
}

impl<'b> Pull<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for (place, byte) in self.rest.iter().enumerate().take(10) {
            number |= u64::from(byte & 0x7f).checked_shl(7 * u32::try_from(place).ok()?)?;
            if byte & 0x80 == 0 {
                self.rest = &self.rest[place + 1..];
                return Some(number);
            }
        }
        None
    }

    /// A number of things that take at least a byte each.
    pub(super) fn count(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok().filter(|count| *count <= self.rest.len())
    }

    pub(super) fn hash(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.bytes(8)?.try_into().ok()?))
    }

    pub(super) fn bytes(&mut self, count: usize) -> Option<&'b [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_written() {
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|number| push_number(&mut bytes, *number));
        let mut pull = Pull::new(&bytes);
        assert_eq!(numbers.map(|_| pull.number().unwrap()), numbers);
        assert_eq!(pull.number(), None);
    }

    #[test]
    fn bytes_that_end_too_soon_are_no_number() {
        assert_eq!(Pull::new(&[0x80, 0x80]).number(), None);
        assert_eq!(Pull::new(&[0xff; 20]).number(), None);
        assert_eq!(Pull::new(&[1; 7]).hash(), None);
    }
}

//! Contents with a number before each line.

use std::fmt::Write;

/// `text` with `N: ` before each line, counted from 1.
pub(super) fn numbered(text: &str) -> String {
    let mut numbered = String::with_capacity(text.len() + text.len() / 8);
    for (index, line) in text.split_inclusive('\n').enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(numbered, "{}: {line}", index + 1);
    }
    numbered
}

#[cfg(test)]
mod tests {
    use super::numbered;

    #[test]
    fn every_line_has_a_number_and_keeps_its_end() {
        assert_eq!(numbered("x\r\n\ny"), "1: x\r\n2: \n3: y");
        assert_eq!(numbered(""), "");
    }
}

//! The lines of a text.

/// The lines with their ends, like `str::split_inclusive`, but finding many bytes at a time.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1);
    let mut start = 0;
    let line = move |end| {
        let line = &text[start..end];
        start = end;
        line
    };
    ends.chain([text.len()]).map(line).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lines_are_those_of_the_standard_library(text in "[aö\n\r]{0,40}") {
            let (ours, theirs): (Vec<&str>, Vec<&str>) = (lines(&text).collect(), text.split_inclusive('\n').collect());
            prop_assert_eq!(ours, theirs);
        }
    }
}

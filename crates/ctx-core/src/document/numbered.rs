//! Contents with a number before each line.

use std::fmt::Write;

use ctx_outline::Outline;

/// `text` with `N: ` before each line, counted from `first`.
pub(crate) fn numbered(text: &str, first: u64) -> String {
    let mut numbered = String::with_capacity(text.len() + text.len() / 8);
    for (number, line) in (first..).zip(text.split_inclusive('\n')) {
        // Writing to a string cannot fail.
        let _ = write!(numbered, "{number}: {line}");
    }
    numbered
}

/// The text of an outline with `N: ` before each line of the source file, as [`numbered`] has it.
pub(crate) fn numbered_outline(outline: &Outline<'_>) -> String {
    let mut numbered = String::with_capacity(outline.render().len() * 9 / 8);
    let mut omitted = outline.omitted().iter().peekable();
    let mut number = 1;
    for line in outline.render().split_inclusive('\n') {
        if let Some(run) = omitted.next_if(|run| run.first == number) {
            numbered.push_str(line);
            number = run.last + 1;
        } else {
            // Writing to a string cannot fail.
            let _ = write!(numbered, "{number}: {line}");
            number += 1;
        }
    }
    numbered
}

#[cfg(test)]
mod tests {
    use ctx_outline::{Language, outline};

    use super::{numbered, numbered_outline};

    #[test]
    fn numbered_outline_keeps_the_numbers_of_the_source_file() {
        let source = "use a::b;\n\nfn one() {\n    b();\n    b();\n    b();\n    b();\n}\n\nfn two() {}\n";
        let outline = outline(source, Language::Rust);
        assert_eq!(
            numbered_outline(&outline),
            "1: use a::b;\n2: \n3: fn one() {\n[… 4 lines omitted …]\n8: }\n9: \n10: fn two() {}\n"
        );
    }

    #[test]
    fn every_line_has_a_number_and_keeps_its_end() {
        assert_eq!(numbered("x\r\n\ny", 1), "1: x\r\n2: \n3: y");
        assert_eq!(numbered("", 1), "");
        assert_eq!(numbered("a\nb\n", 10), "10: a\n11: b\n");
    }
}

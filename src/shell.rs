//! Words of a command line, for hints that can be pasted.

/// A path as a shell takes it: quoted where a character needs it.
pub fn shell_word(path: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "_-./+,:@%^=".contains(char);
    let dashes = if path.starts_with('-') { "-- " } else { "" };
    if !path.is_empty() && path.chars().all(is_plain) {
        format!("{dashes}{path}")
    } else {
        format!("{dashes}'{}'", path.replace('\'', r"'\''"))
    }
}

/// A question as a shell takes it, in the quotes that a person would choose.
pub fn question_word(text: &str) -> String {
    if text.contains(['"', '$', '`', '\\', '!']) { shell_word(text) } else { format!("\"{text}\"") }
}

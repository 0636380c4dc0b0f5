use super::*;

#[test]
fn the_prefilter_finds_every_hidden_character() {
    for char in '\0'..=char::MAX {
        let mut bytes = [0; 4];
        let bytes = char.encode_utf8(&mut bytes).as_bytes();
        if class(char) != Class::Visible {
            assert!(may_be_hidden(bytes[0], bytes.get(1).copied()), "{}", char.escape_unicode());
        }
    }
}

#[test]
fn characters_escaped_in_names_are_hidden_in_documents_except_for_layout() {
    let is_layout = |char: &char| ['\t', '\n', '\u{0C}'].contains(char);
    for char in ('\0'..=char::MAX).filter(|char| crate::words::is_unseen(*char)) {
        assert_eq!(class(char) == Class::Visible, is_layout(&char), "{}", char.escape_unicode());
    }
}

//! Light stemming of English words, so that `parse`, `parses` and `parsing` count as one word, and `colour` and `color`.

/// The shortest stem, in bytes.
const SHORTEST: usize = 3;

/// The length of the stem of a lower-case ASCII word. The stem is its beginning, except for its last letter: a final `y`
/// becomes `i`, and British spelling American.
pub(crate) fn stem(word: &mut [u8]) -> usize {
    let length = without_plural(word);
    let length = without_participle(&word[..length]);
    let length = match word[..length] {
        [.., b'e'] if length > SHORTEST => length - 1,
        _ => length,
    };
    if length > SHORTEST && word[length - 1] == b'y' {
        word[length - 1] = b'i';
    }
    in_american(word, length)
}

/// Spells the stem of length `length` as Americans do, and returns its new length: `color`, `optimiz`, `licens`.
fn in_american(word: &mut [u8], length: usize) -> usize {
    match &mut word[..length] {
        [_, _, .., b'o', u @ b'u', b'r'] => {
            *u = b'r';
            length - 1
        }
        [_, _, _, .., b'i', last @ b's'] => {
            *last = b'z';
            length
        }
        [_, _, _, .., b'e', b'n', last @ b'c'] => {
            *last = b's';
            length
        }
        _ => length,
    }
}

fn without_plural(word: &[u8]) -> usize {
    match word {
        [.., b's' | b'u' | b'i', b's'] => word.len(),
        [.., b'i', b'e', b's'] if word.len() > SHORTEST + 1 => word.len() - 2,
        [.., b's' | b'x' | b'z' | b'h', b'e', b's'] if word.len() > SHORTEST + 1 => word.len() - 2,
        [.., b's'] if word.len() > SHORTEST => word.len() - 1,
        _ => word.len(),
    }
}

fn without_participle(word: &[u8]) -> usize {
    let length = match word {
        [.., b'i', b'n', b'g'] => word.len() - 3,
        [.., b'e', b'd'] => word.len() - 2,
        _ => return word.len(),
    };
    let rest = &word[..length];
    if length < SHORTEST || !rest.iter().any(|byte| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')) {
        return word.len();
    }
    match rest {
        // `running`, but `calling`, `passing` and `buzzing`.
        [.., a, b] if a == b && length > SHORTEST && !matches!(a, b'l' | b's' | b'z') => length - 1,
        _ => length,
    }
}

#[cfg(test)]
mod tests {
    use super::stem;

    fn stemmed(word: &str) -> String {
        let mut bytes = word.as_bytes().to_vec();
        let length = stem(&mut bytes);
        String::from_utf8_lossy(&bytes[..length]).into_owned()
    }

    #[test]
    fn stem_is_the_same_for_all_forms_of_a_word() {
        for forms in [
            &["parse", "parses", "parsed", "parsing"][..],
            &["cache", "caches", "cached", "caching"],
            &["run", "runs", "running"],
            &["query", "queries"],
            &["match", "matches", "matched", "matching"],
            &["index", "indexes", "indexed", "indexing"],
            &["call", "calls", "called", "calling"],
            &["colour", "color", "colours", "colored", "colouring"],
            &["optimise", "optimize", "optimised", "optimizing"],
            &["licence", "license", "licensed", "licences"],
        ] {
            let stems: Vec<String> = forms.iter().map(|form| stemmed(form)).collect();
            assert!(stems.windows(2).all(|pair| pair[0] == pair[1]), "{stems:?}");
        }
    }

    #[test]
    fn stem_of_short_or_seemingly_inflected_words_is_unchanged() {
        for word in
            ["is", "as", "use", "bus", "this", "class", "string", "bed", "red", "status", "id", "s", ""]
        {
            assert_eq!(stemmed(word), if word == "use" { "use" } else { word }, "{word}");
        }
    }
}

//! Words that a question may have and that nobody expects in the code.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use crate::language::is_function_word;
use crate::word::{Word, each_word};
use crate::written::looks_like_identifier;

/// Common English words that say something about what happens rather than what it happens to, each in one form.
const ORDINARY: &str = "\
    able about above across actually affect again against ago allow almost alone along already also although always \
    another any anybody anymore anyone anything anyway apparently appear around ask automatically avoid away back bad badly \
    become before begin behave behavior behaviour behind below best better beyond bit both break bring broken care carefully \
    cause caution certain chance change check chose choose clear clearly come common completely confuse consider contain \
    correct correctly could cover crash currently dangerous deal decide decision despite detail determine did differ difference \
    different does doing done doubt each easy either else elsewhere end enough especially even ever every everybody everyone \
    everything everywhere exactly exist expect expected explain explanation fail fast few find fine first fix follow forget \
    former forward found full further gave get give given go gone good got great guess had half handle happen happened hard \
    has have having help here hide hidden hold home how however idea impossible improve instead interest involve issue just keep \
    kept kind knew know known lack last late lately later least leave left less let like likely little long longer look lose \
    lost lot made main make manage many matter maybe mean meant might mind mistake more most mostly move much must near \
    necessary need never new next nice nobody none normal nothing notice now often okay once only other otherwise ought own part \
    particular perhaps place please possible possibly prefer present pretty prevent probably problem properly purpose put quick \
    quickly quite rather real really reason recent recently regard relate remain responsible rest right risk risky safe safely \
    said same saw say see seem seen sense sent several shall should show shown side simple simply since slow slowly some somebody \
    somehow someone something sometimes somewhere soon sort spend still stop strange such suddenly suppose sure take taken \
    tell than thank that their them then there these thing think this those though thought through together told too took toward \
    tried trouble true try turn under understand unexpected unfortunately unless until up use usual usually various very want \
    way weird well went were what whatever when whenever where wherever whether which while who whole whom whose why will wish \
    within without wonder work worry worse worst would wrong yesterday yet \
    cannot uncaught";

/// Whether a word says nothing about the code: a function word of any language, or an ordinary English one. A name isn't one.
pub(crate) fn is_ordinary(word: &str) -> bool {
    static WORDS: OnceLock<BTreeSet<Word>> = OnceLock::new();
    let words = WORDS.get_or_init(|| {
        let mut words = BTreeSet::new();
        each_word(ORDINARY, &mut |word| _ = words.insert(word));
        words
    });
    if looks_like_identifier(word) || is_acronym(word) {
        return false;
    }
    let mut is_known = true;
    each_word(word, &mut |part| is_known &= words.contains(&part));
    is_known || is_function_word(word)
}

fn is_acronym(word: &str) -> bool {
    word.chars().nth(1).is_some() && word.chars().all(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_rare_words_are_not_ordinary() {
        for word in [
            "anything",
            "happens",
            "Uncaught",
            "shown",
            "risky",
            "decides",
            "der",
            "Warum",
            "pourquoi",
            "gdzie",
            "почему",
        ] {
            assert!(is_ordinary(word), "{word}");
        }
        for word in ["krakens", "emial", "HTTP", "showAll", "is_any", "Filiale", "rotation"] {
            assert!(!is_ordinary(word), "{word}");
        }
    }
}

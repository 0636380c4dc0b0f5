//! Files that are ranked without keeping their text in memory, since most of them are not printed.

use super::item::KnownFile;
use super::making::{Handling, Making};
use super::relevance::Relevance;
use crate::cache::Checksum;
use crate::guard;
use crate::read::{Contents, DecodedText};
use ctx_search::{Digester, Query, Scan, Scanner, Text};

/// What to find out about files that are ranked before they are read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Look<'a> {
    /// The words of the query in them, to find the files that matter more.
    Words(&'a Scanner<'a>),
    /// Their passages, with the words of a query.
    Passages(Option<&'a Query>),
}

impl Making<'_> {
    /// Extracts the data that is kept in place of a file's text.
    pub(crate) fn look_into(
        &self,
        contents: Contents<'_>,
        handling: Handling<'_>,
        look: Look<'_>,
        digester: &mut Digester,
    ) -> KnownFile {
        let Handling { label, allowed, level, .. } = handling;
        let DecodedText { text, bytes, .. } = contents.text;
        let (scan, relevance) = match look {
            Look::Words(scanner) => (scanner.scan(label, &text, digester.words()), None),
            Look::Passages(query) => {
                let checksum = Checksum::of(text.as_bytes());
                let text = guard::clean(text.into_owned(), allowed).text;
                let outline =
                    handling.extent.language().map(|language| ctx_outline::outline(&text, language));
                let text = Text { path: label, text: &text, outline: outline.as_ref() };
                let digest = digester.digest(&text, query);
                (Scan::default(), Some(Box::new(Relevance::of_digest(checksum, digest, level))))
            }
        };
        KnownFile { bytes, scan, relevance }
    }
}

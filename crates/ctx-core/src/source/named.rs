//! Where in its file an entry's name is declared: `src/a.rs#parse_header` is these lines today.

use std::collections::BTreeMap;
use std::fs::File;

use crate::declared::Declared;
use crate::entry::value::TextEncoding;
use crate::entry::{DeclarationName, Lines, ScopedEntry};
use crate::read::{self, DEFAULT_MAX_BYTES, NOTEBOOK_EXTENSION, Page, SaidEncoding, Unreadable};
use crate::report::{Reason, ReasonCode};
use crate::select::{EntryId, File as SelectedFile};
use crate::words::{quoted, some_of};
use ctx_outline::Language;

/// How the files are read in which names are looked up.
#[derive(Debug, Clone, Copy)]
pub struct Lookup {
    /// The largest file that is read, in bytes.
    pub max_bytes: u64,
    /// How files are encoded that are not UTF-8, if it is known.
    pub encoding: Option<TextEncoding>,
    /// Whether notebooks are read as they are stored.
    pub raw: bool,
}

/// The lines that the names of entries stand for, or why there are none.
#[derive(Debug, Default)]
pub struct NamedLines(BTreeMap<EntryId, Result<Vec<Lines>, Reason>>);

impl NamedLines {
    /// Looks up the names that the entries of these files have, and reads each of these files once.
    #[must_use]
    pub fn of(files: &[SelectedFile], entries: &[ScopedEntry], lookup: Lookup) -> Self {
        let mut all = BTreeMap::new();
        let mut page = Page::default();
        for file in files {
            let name = |id: &EntryId| Some((*id, entries[id.0].entry.attributes.name.as_ref()?));
            let names: Vec<(EntryId, &DeclarationName)> =
                file.selected_by.entries.iter().filter_map(name).collect();
            if names.is_empty() {
                continue;
            }
            let path = file.label.as_str();
            let lookup = Lookup { encoding: file.selected_by.encoding.or(lookup.encoding), ..lookup };
            let text = lookup.text(file.place.open().map_err(Unreadable::from), path, &mut page);
            let declared = text.as_deref().map(|text| lookup.declared(path, text));
            let lines = |name| match &declared {
                Ok(declared) => lines_of(declared.as_ref(), name),
                Err(error) => Err(Reason::new(error.code(), error)),
            };
            all.extend(names.into_iter().map(|(id, name)| (id, lines(name))));
        }
        Self(all)
    }

    /// The lines for an entry's name; `None` if it has no name.
    pub(super) fn get(&self, entry: EntryId) -> Option<&Result<Vec<Lines>, Reason>> {
        self.0.get(&entry)
    }
}

impl Default for Lookup {
    fn default() -> Self {
        Self { max_bytes: DEFAULT_MAX_BYTES, encoding: None, raw: false }
    }
}

impl Lookup {
    /// The lines of what has this name in an open file.
    ///
    /// # Errors
    /// If nothing has it, or the file cannot be read.
    pub fn find(
        self,
        file: Result<File, Unreadable>,
        path: &str,
        name: &DeclarationName,
    ) -> Result<Vec<Lines>, Reason> {
        let text = self.text(file, path, &mut Page::default());
        let text = text.map_err(|error| Reason::new(error.code(), error))?;
        lines_of(self.declared(path, &text).as_ref(), name)
    }

    /// The names in an open file; none if it cannot be read.
    #[must_use]
    pub fn names(self, file: Result<File, Unreadable>, path: &str) -> Vec<String> {
        let Ok(text) = self.text(file, path, &mut Page::default()) else { return Vec::new() };
        self.declared(path, &text).map(|declared| declared.names()).unwrap_or_default()
    }

    /// The text in which lines are counted.
    fn text(self, file: Result<File, Unreadable>, path: &str, page: &mut Page) -> Result<String, Unreadable> {
        let said = self.encoding.map(|encoding| SaidEncoding { encoding, is_of_one: false });
        let contents = read::glance(file?, self.max_bytes, said, page)?.settle()?;
        let contents = if self.is_notebook(path) { contents.with_notebook_rendered() } else { contents };
        Ok(contents.text.text.into_owned())
    }

    /// The declarations of the file `path` with this text; `None` if it is written in a language whose declarations are
    /// not known.
    pub(crate) fn declared<'t>(self, path: &'t str, text: &'t str) -> Option<Declared<'t>> {
        let file_name = path.rsplit('/').next().unwrap_or(path);
        let of_script =
            || text.lines().next().filter(|_| !file_name.contains('.')).and_then(Language::of_first_line);
        let of_text = || Language::of_path(path).or_else(of_script);
        let language = if self.is_notebook(path) { Some(Language::Markdown) } else { of_text() };
        Declared::of(path, text, language)
    }

    fn is_notebook(self, path: &str) -> bool {
        let extension = path.rsplit_once('.').map(|(_, extension)| extension);
        !self.raw && extension.is_some_and(|extension| extension.eq_ignore_ascii_case(NOTEBOOK_EXTENSION))
    }
}

/// The most declarations that one name may refer to, since ctx reads the whole file for each.
const MOST_PLACES: usize = 200;

fn lines_of(declared: Option<&Declared<'_>>, name: &DeclarationName) -> Result<Vec<Lines>, Reason> {
    let Some(declared) = declared else { return Err(ReasonCode::WithoutNames.into()) };
    let lines = declared.find(name);
    if lines.len() > MOST_PLACES {
        let told = format!("more than {MOST_PLACES} of its declarations are called {}", quoted(name));
        return Err(Reason::new(ReasonCode::NoSuchName, told));
    }
    if !lines.is_empty() {
        return Ok(lines);
    }
    let near: Vec<String> = declared.near(name).iter().map(quoted).collect();
    let near = if near.is_empty() { String::new() } else { format!("; near: {}", some_of(&near)) };
    Err(Reason::new(ReasonCode::NoSuchName, format!("it has no {}{near}", quoted(name))))
}

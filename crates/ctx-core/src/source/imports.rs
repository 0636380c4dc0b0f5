//! Imports in memory files: `@docs/style.md` in the prose of a Markdown file includes that file too, right
//! after the one that names it.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::named::Lookup;
use super::{ImportedBy, Origin, Source};
use crate::entry::{DeclarationName, Lines, ScopedEntry};
use crate::fs::directory::bytes_of;
use crate::fs::real;
use crate::git::TextLinks;
use crate::read::{self, Page, Unreadable};
use crate::reference::code::Code;
use crate::reference::grammar::{CandidatePath, mentions};
use crate::reference::target::{MentionRefusal, Referent, is_meant, target};
use crate::report::{Reason, ReasonCode};
use crate::select::ignore_rules::kept_from_models;
use crate::select::{
    EntryId, FilePlace, Label, LabelStyle, MissedReason, Options, PathResolver, SelectedBy, called,
};
use crate::tree::Tree;
use crate::words::quoted;
use crate::world::World;

/// How many levels deep imports are followed.
pub const MOST_LEVELS: usize = 5;

/// How many files one entry may import.
pub const MOST_IMPORTS: usize = 64;

/// How many mentions in one file are looked up, which limits how long a file can take.
const MOST_MENTIONS: usize = 5_000;

/// How many mentions are looked up in all files of one block.
const MOST_IN_ALL: usize = 50_000;

/// The sources with their imports, each right after the source that names it. An imported file that an entry also
/// selects moves there too, unless it comes earlier.
pub fn with_imports(
    sources: Vec<Source>,
    entries: &[ScopedEntry],
    lookup: Lookup,
    world: &World,
    options: &Options,
) -> Vec<Source> {
    let importing = |source: &Source| {
        let asks = |id: &&EntryId| entries[id.0].entry.attributes.imports;
        source
            .selected_by
            .entries
            .iter()
            .find(asks)
            .copied()
            .filter(|_| source.lines.is_none() || source.is_rest)
    };
    if !sources.iter().any(|source| importing(source).is_some()) {
        return sources;
    }
    let file = |source: &Source| real(source.place()?.path()).ok();
    let files: Vec<Option<PathBuf>> = sources.iter().map(file).collect();
    let whole = |place: &usize| sources[*place].lines.is_none();
    let places = (0..sources.len()).filter(whole).filter_map(|place| Some((files[place].clone()?, place)));
    let mut importing_files = Importing {
        lookup,
        world,
        labels: options.labels,
        known: files.iter().flatten().cloned().collect(),
        followed: HashSet::new(),
        sections: HashSet::new(),
        places: places.collect(),
        waiting: sources.into_iter().map(Some).collect(),
        counts: vec![0; entries.len()],
        lookups: MOST_IN_ALL,
    };
    let resolver = PathResolver::new(world, options);
    let mut all = Vec::with_capacity(files.len());
    for (place, file) in files.into_iter().enumerate() {
        let Some(source) = importing_files.waiting[place].take() else { continue };
        let importer = importing(&source).zip(file.and_then(|file| ImportingFile::of(&source, file, 1)));
        let selected_by = Arc::clone(&source.selected_by);
        all.push(source);
        if let Some((entry, importer)) = importer {
            let tree = resolver.base(&entries[entry.0]).tree;
            let by = By {
                entry,
                tree,
                links: &resolver.text_links,
                selected_by: Arc::new(inherited(&selected_by)),
            };
            importing_files.follow(&importer, &by, &mut all);
        }
    }
    all
}

/// The attributes that an import inherits from the file that names it: its entries, tags and pin, but none of its
/// allowances.
fn inherited(selected_by: &SelectedBy) -> SelectedBy {
    SelectedBy {
        entries: selected_by.entries.clone(),
        tags: selected_by.tags.clone(),
        pin: selected_by.pin,
        named: true,
        ..SelectedBy::default()
    }
}

/// What is imported: a file, or what has this name in it.
struct ImportTarget {
    file: PathBuf,
    name: Option<DeclarationName>,
}

/// A file whose imports are looked up.
#[derive(Clone)]
struct ImportingFile {
    /// How to open it.
    place: FilePlace,
    /// Its path, with all links resolved.
    file: PathBuf,
    label: Label,
    /// The lines that count; `None` for all.
    lines: Option<Lines>,
    /// The level of its imports, from 1.
    level: usize,
}

impl ImportingFile {
    fn of(source: &Source, file: PathBuf, level: usize) -> Option<Self> {
        let label = source.lines.map_or_else(|| source.label.clone(), |lines| source.label.of_whole(lines));
        Some(Self { place: source.place()?.clone(), file, label, lines: None, level })
    }
}

/// What all imports of one entry share.
struct By<'a> {
    entry: EntryId,
    /// The tree that they are confined to.
    tree: &'a Tree,
    links: &'a TextLinks<'a>,
    selected_by: Arc<SelectedBy>,
}

struct Importing<'a> {
    lookup: Lookup,
    world: &'a World,
    labels: LabelStyle,
    /// The files of the block, with all links resolved.
    known: HashSet<PathBuf>,
    /// Those whose imports were looked up.
    followed: HashSet<PathBuf>,
    /// The imported parts of files.
    sections: HashSet<(PathBuf, Lines)>,
    /// The indices of the sources that are whole files.
    places: HashMap<PathBuf, usize>,
    /// The sources that have not been placed yet.
    waiting: Vec<Option<Source>>,
    /// How many files each entry has imported.
    counts: Vec<usize>,
    /// How many more mentions may be looked up.
    lookups: usize,
}

impl Importing<'_> {
    fn follow(&mut self, importer: &ImportingFile, by: &By<'_>, imported: &mut Vec<Source>) {
        let is_markdown =
            |extension: &std::ffi::OsStr| ["md", "mdc", "markdown"].iter().any(|known| extension == *known);
        if !importer.file.extension().is_some_and(is_markdown) {
            return;
        }
        let Some(directory) = importer.file.parent() else { return };
        if importer.lines.is_none() {
            self.followed.insert(importer.file.clone());
        }
        let mut page = Page::default();
        let file = importer.place.open().map_err(Unreadable::from);
        let text = file.and_then(|file| read::read(file, self.lookup.max_bytes, &mut page));
        // A file that cannot be read is reported later, when its document is read.
        let Ok(text) = text.map(|text| text.text.into_owned()) else { return };
        let here = World { cwd: directory.to_owned(), ..self.world.clone() };
        let tree = if by.tree.contains(&importer.file) { by.tree.clone() } else { Tree::around(&here) };
        let code = Code::in_markdown(&text);
        let mut end = 0;
        // Line numbers, for increasing offsets.
        let (mut counted, mut number) = (0, 1);
        let mut line_of = |at: usize| {
            number += memchr::memchr_iter(b'\n', &text.as_bytes()[counted..at]).count() as u64;
            counted = at;
            number
        };
        for mention in mentions(&text, |at| code.contains(at)).take(MOST_MENTIONS) {
            let line = line_of(mention.at);
            let is_asked = importer.lines.is_none_or(|lines| lines.contains(line));
            if mention.at < end || mention.escaped || !is_asked {
                continue;
            }
            let imported_by = ImportedBy { label: importer.label.clone(), line };
            if self.lookups == 0 {
                let text = format!("the importing files mention more than {MOST_IN_ALL} paths");
                let reason = Reason::new(ReasonCode::TooManyImports, text);
                imported.push(without_text("@…", reason, imported_by, by));
                return;
            }
            self.lookups -= 1;
            let candidates = mention.whole_line().into_iter().chain(mention.candidates());
            let candidates = candidates.chain(mention.with_blanks());
            let found = candidates.filter(|candidate| candidate.lines.is_none()).find_map(|candidate| {
                let target = target(&candidate.path, &tree, by.links, &here)?;
                (target != Referent::Directory).then_some((candidate, target))
            });
            match found {
                Some((candidate, Referent::File(file))) => {
                    end = candidate.end;
                    let target = ImportTarget { file, name: candidate.name };
                    self.import(target, importer, imported_by, &tree, by, imported);
                }
                Some((candidate, Referent::Refused(refusal))) => {
                    end = candidate.end;
                    let name = &text[mention.at..end];
                    imported.push(without_text(name, reason(refusal), imported_by, by));
                }
                Some((_, Referent::Directory)) | None => {
                    if let Some(path) = mention.looks_like_path().filter(|path| is_meant(path, &here)) {
                        let of_whole = |candidate: &CandidatePath| {
                            let found = target(&candidate.path, &tree, by.links, &here);
                            matches!(found, Some(Referent::File(_)))
                        };
                        let is_directory =
                            |path: &str| target(path, &tree, by.links, &here) == Some(Referent::Directory);
                        let reason = match mention.candidates().find(of_whole) {
                            Some(CandidatePath { path, .. }) => {
                                let text = format!(
                                    "only whole files are imported; {} is one",
                                    quoted(format_args!("@{path}"))
                                );
                                Reason::new(ReasonCode::NotFound, text)
                            }
                            None if is_directory(path) => {
                                Reason::new(ReasonCode::NotFound, "a directory; only files are imported")
                            }
                            None => Reason::new(ReasonCode::NotFound, "does not exist"),
                        };
                        imported.push(without_text(&format!("@{path}"), reason, imported_by, by));
                    }
                }
            }
        }
    }

    fn import(
        &mut self,
        target: ImportTarget,
        importer: &ImportingFile,
        imported_by: ImportedBy,
        tree: &Tree,
        by: &By<'_>,
        imported: &mut Vec<Source>,
    ) {
        let ImportTarget { file, name } = target;
        if self.known.contains(&file) {
            if name.is_some() {
                return;
            }
            let Some(place) = self.places.get(&file) else { return };
            let level = importer.level + 1;
            let next = match self.waiting[*place].take() {
                Some(source) => {
                    let next = ImportingFile::of(&source, file, level);
                    imported.push(Source { imported_by: Some(Box::new(imported_by)), ..source });
                    next
                }
                // It comes earlier, without its imports.
                None if self.followed.contains(&file) => None,
                None => {
                    let (label, place) = (self.label(&file), FilePlace::in_tree(tree.root(), &file));
                    Some(ImportingFile { place, file, label, lines: None, level })
                }
            };
            if let Some(next) = next.filter(|next| next.level <= MOST_LEVELS + 1) {
                self.follow(&next, by, imported);
            }
            return;
        }
        let label = self.label(&file);
        let too_many = |text| Reason::new(ReasonCode::TooManyImports, text);
        let refused = if importer.level > MOST_LEVELS {
            Some(too_many(format!("more than {MOST_LEVELS} levels of imports")))
        } else if self.counts[by.entry.0] >= MOST_IMPORTS {
            Some(too_many(format!("more than {MOST_IMPORTS} imports of one entry")))
        } else {
            self.kept_back(&file)
        };
        let parts = match &name {
            Some(name) if refused.is_none() => self.lookup.find(read::open(&file), label.as_str(), name),
            Some(_) | None => Ok(Vec::new()),
        };
        if name.is_none() {
            self.known.insert(file.clone());
        }
        if let Some(reason) = refused {
            imported.push(without_text(label.as_str(), reason, imported_by, by));
            return;
        }
        self.counts[by.entry.0] += 1;
        let place = FilePlace::in_tree(tree.root(), &file);
        let origin = Origin::File { place: place.clone(), changed: None };
        let source = Source::new(label.clone(), Arc::clone(&by.selected_by), origin);
        let source = Source { imported_by: Some(Box::new(imported_by)), ..source };
        let next = ImportingFile { place, file, label, lines: None, level: importer.level + 1 };
        match (name, parts) {
            (None, _) => {
                imported.push(source);
                self.follow(&next, by, imported);
            }
            (Some(name), Err(reason)) => {
                let label = source.label.with_name(&name);
                let imported_by = source.imported_by;
                let source = Source::without_text(label, Arc::clone(&by.selected_by), reason);
                imported.push(Source { imported_by, ..source });
            }
            (Some(_), Ok(parts)) => {
                for lines in parts {
                    if self.sections.insert((next.file.clone(), lines)) {
                        imported.push(source.clone().limited_to(lines));
                        self.follow(&ImportingFile { lines: Some(lines), ..next.clone() }, by, imported);
                    }
                }
            }
        }
    }

    /// The rule of a `.ctxignore`, or of another tool's file like it, that excludes the file. It is there to keep files
    /// from models, and the text of another file is nobody who could overrule it.
    fn kept_back(&self, file: &Path) -> Option<Reason> {
        let (_, by) = kept_from_models(file, self.world)?;
        Some(Reason::new(ReasonCode::Ignored, MissedReason::Ignored(by).to_string()))
    }

    fn label(&self, file: &Path) -> Label {
        self.labels.label(called(file, self.world).into(), Some(bytes_of(file).into()))
    }
}

fn reason(refusal: MentionRefusal) -> Reason {
    match refusal {
        MentionRefusal::Outside => ReasonCode::Outside.into(),
        MentionRefusal::InsideGit => Reason::new(ReasonCode::InsideGit, "it is in the git directory"),
        MentionRefusal::SecretName(kind) => Reason::secret_name(kind),
    }
}

fn without_text(label: &str, reason: Reason, imported_by: ImportedBy, by: &By<'_>) -> Source {
    let source = Source::without_text(Label::new(label.as_bytes()), Arc::clone(&by.selected_by), reason);
    Source { imported_by: Some(Box::new(imported_by)), ..source }
}

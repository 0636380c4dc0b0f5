//! The references in a prompt, which become entries for one block.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::code::Code;
use super::grammar::{CandidatePath, Mention, mentions};
use super::target::{MentionRefusal, Referent, is_meant, target};
use crate::entry::rooted::from_here;
use crate::entry::{Entry, Kind, ScopedEntry};
use crate::fs::alike::{alike, difference, same_in_another_form};
use crate::git::{OUTSIDE_SPARSE_CHECKOUT, TextLinks, is_outside_sparse_checkout};
use crate::guard::names::holds_secrets;
use crate::report::{Notice, NoticeKind};
use crate::select::{self, Options};
use crate::tree::Tree;
use crate::words::{quoted, some_of};
use crate::world::World;

/// The most references that are followed in one prompt.
pub const MOST_REFERENCES: usize = 200;

/// The most paths that are looked up for one prompt, which limits how long that can take.
const MOST_LOOKUPS: usize = 20_000;

/// The most patterns that are tried for one prompt, each of which searches a directory.
const MOST_PATTERNS: usize = 200;

/// The most directories in which names that look the same are looked for.
const MOST_DIRECTORIES: usize = 20;

/// A prompt with its references looked up.
#[derive(Debug, Clone, Default)]
pub struct Prompt {
    /// The text: unchanged, except for backslashes before escaped references.
    pub text: String,
    /// An entry for each reference, in order of appearance, each once.
    pub entries: Vec<ScopedEntry>,
    /// Notices about references that were not followed.
    pub notices: Vec<Notice>,
}

impl Prompt {
    /// A prompt that is not searched for references.
    #[must_use]
    pub fn plain(text: String) -> Self {
        Self { text, ..Self::default() }
    }

    /// Looks up the references in a prompt. Nothing in it is an error: references that cannot be followed
    /// remain plain text.
    #[must_use]
    pub fn of(text: &str, world: &World) -> Self {
        let code = Code::fenced(text);
        let at_root = (world.cwd != world.root).then(|| world.at_root());
        let mut finder = ReferenceFinder {
            tree: Tree::around(world),
            links: TextLinks::new(world),
            world,
            at_root: at_root.as_ref(),
            lookups: MOST_LOOKUPS,
            patterns: MOST_PATTERNS,
            directories: MOST_DIRECTORIES,
            bare_directory: None,
            refused: Refused::default(),
        };
        let mut prompt = Self::default();
        let mut copied = 0;
        let mut end = 0;
        for mention in mentions(text, |at| code.contains(at)) {
            if mention.at < end {
                continue;
            }
            if finder.refused.is_cut_short {
                break;
            }
            let Some(Mentioned { candidate, refusal }) = finder.find(&mention) else { continue };
            end = candidate.end;
            if mention.escaped {
                prompt.text.push_str(&text[copied..mention.at - 1]);
                copied = mention.at;
                continue;
            }
            match refusal {
                Some(refusal) => finder.refused.note(refusal, &text[mention.at..end]),
                None => prompt.take(candidate, &mut finder.refused),
            }
        }
        prompt.text.push_str(&text[copied..]);
        prompt.notices = finder.refused.notices();
        prompt
    }

    fn take(&mut self, candidate: CandidatePath, refused: &mut Refused) {
        let mut entry = Entry::new(as_path(candidate.path));
        entry.attributes.lines = candidate.lines;
        entry.attributes.name = candidate.name;
        if self.entries.iter().any(|known| known.entry == entry) {
            return;
        }
        if self.entries.len() < MOST_REFERENCES {
            self.entries.push(ScopedEntry::referenced(entry))
        } else {
            refused.too_many += 1
        }
    }
}

/// Writes a path as an entry, with `./` in front if it looks like an entry of another kind.
fn as_path(path: String) -> String {
    let is_other_home = path.starts_with('~') && path != "~" && !path.starts_with("~/");
    if is_other_home || Kind::of(&path) != Kind::Path { format!("./{path}") } else { path }
}

/// The meaning of a mention.
struct Mentioned {
    candidate: CandidatePath,
    /// Why the file is not read; `None` if it is.
    refusal: Option<MentionRefusal>,
}

struct ReferenceFinder<'a> {
    tree: Tree,
    links: TextLinks<'a>,
    world: &'a World,
    /// See [`World::at_root`]; `None` if the current directory is the work root.
    at_root: Option<&'a World>,
    lookups: usize,
    patterns: usize,
    directories: usize,
    /// The directory that the last mention names without a slash, which is not enough to mean it.
    bare_directory: Option<String>,
    refused: Refused,
}

impl ReferenceFinder<'_> {
    /// Looks up a mention: as a path relative to the current directory or, if that does not exist, to the
    /// work root.
    fn find(&mut self, mention: &Mention<'_>) -> Option<Mentioned> {
        let found = self.find_in(mention, self.world).or_else(|| {
            let Mentioned { candidate, refusal } = self.find_in(mention, self.at_root?)?;
            let path = from_here(&candidate.path, self.world);
            Some(Mentioned { candidate: CandidatePath { path, ..candidate }, refusal })
        });
        let found = found.or_else(|| self.find_in_another_form(mention));
        let is_open = found.is_none() && !mention.escaped;
        self.refused.bare_directories.extend(self.bare_directory.take().filter(|_| is_open));
        let missing = mention.looks_like_path().filter(|path| is_open && is_meant(path, self.world));
        if let Some(path) = missing.filter(|_| !self.refused.is_cut_short) {
            let mention = quoted(format_args!("@{path}"));
            match self.difference(path) {
                Some(how) => self.refused.look_alikes.push(format!("{mention} does not exist; {how}")),
                None => self.refused.missing.push(mention),
            }
        }
        found
    }

    /// The longest path that a mention may mean and that exists in another Unicode form.
    fn find_in_another_form(&mut self, mention: &Mention<'_>) -> Option<Mentioned> {
        for candidate in mention.candidates().filter(|candidate| !candidate.path.is_ascii()) {
            self.directories = self.directories.checked_sub(1)?;
            let is_in_tree = |path: &PathBuf| path.parent().is_some_and(|above| self.tree.contains(above));
            let written = select::path_of(&candidate.path, self.world).ok().filter(is_in_tree);
            let Some(real) = written.and_then(|written| same_in_another_form(&written)) else { continue };
            let (before, name) = (candidate.path.rsplit_once('/'), real.file_name()?.to_str()?);
            let path = before.map_or_else(|| name.to_owned(), |(before, _)| format!("{before}/{name}"));
            let candidate = CandidatePath { path, ..candidate };
            if let Some(refusal) = self.found(&candidate, self.world) {
                return Some(Mentioned { candidate, refusal });
            }
        }
        None
    }

    /// How a path that exists differs from one that looks the same and doesn't, or why a tracked one isn't here.
    fn difference(&mut self, path: &str) -> Option<String> {
        self.directories = self.directories.checked_sub(1)?;
        let written = select::path_of(path, self.world).ok()?;
        let real = alike(&written).filter(|real| self.tree.contains(real));
        real.and_then(|real| difference(written.to_str()?, real.to_str()?)).or_else(|| {
            is_outside_sparse_checkout(&written, self.world).then(|| OUTSIDE_SPARSE_CHECKOUT.to_owned())
        })
    }

    /// The longest existing path that a mention may mean.
    fn find_in(&mut self, mention: &Mention<'_>, world: &World) -> Option<Mentioned> {
        for candidate in mention.candidates() {
            if self.lookups == 0 {
                self.refused.is_cut_short = true;
                return None;
            }
            self.lookups -= 1;
            if let Some(refusal) = self.found(&candidate, world) {
                return Some(Mentioned { candidate, refusal });
            }
        }
        None
    }

    /// Looks up a path: `None` if it does not exist, and `Some(None)` if it can be read; otherwise the reason
    /// why not.
    fn found(&mut self, candidate: &CandidatePath, world: &World) -> Option<Option<MentionRefusal>> {
        match target(&candidate.path, &self.tree, &self.links, world) {
            Some(Referent::File(_)) => Some(None),
            Some(Referent::Directory) if candidate.has_slash() && !candidate.is_partial() => Some(None),
            Some(Referent::Refused(refusal)) if names(candidate, world) => Some(Some(refusal)),
            Some(Referent::Directory) if !candidate.is_partial() && names_something(&candidate.path) => {
                self.bare_directory = Some(candidate.path.clone());
                None
            }
            Some(Referent::Directory | Referent::Refused(_)) => None,
            None if candidate.may_be_pattern() && self.matches(&candidate.path, world) => Some(None),
            None => None,
        }
    }

    /// Whether a pattern matches a file that may be read.
    fn matches(&mut self, pattern: &str, world: &World) -> bool {
        if self.patterns == 0 {
            self.refused.is_cut_short = true;
            return false;
        }
        self.patterns -= 1;
        let entries = [ScopedEntry::referenced(Entry::new(pattern))];
        select::select(&entries, world, &Options::new(holds_secrets))
            .is_ok_and(|selected| !selected.files.is_empty())
    }
}

/// Whether a path names something worth reading: a file, or a directory written with a `/`.
fn names(candidate: &CandidatePath, world: &World) -> bool {
    let is_directory = || select::path_of(&candidate.path, world).is_ok_and(|path| path.is_dir());
    names_something(&candidate.path) && (candidate.has_slash() || !is_directory())
}

fn names_something(path: &str) -> bool {
    path.chars().any(char::is_alphanumeric)
}

/// The references that were not followed, by reason.
#[derive(Debug, Default)]
struct Refused {
    missing: Vec<String>,
    /// Directories, by their names.
    bare_directories: BTreeSet<String>,
    /// Each with the file that looks the same.
    look_alikes: Vec<String>,
    outside: Vec<String>,
    inside_git: Vec<String>,
    secret: Vec<String>,
    too_many: usize,
    is_cut_short: bool,
}

impl Refused {
    fn note(&mut self, refusal: MentionRefusal, mention: &str) {
        let list = match refusal {
            MentionRefusal::Outside => &mut self.outside,
            MentionRefusal::InsideGit => &mut self.inside_git,
            MentionRefusal::SecretName(_) => &mut self.secret,
        };
        list.push(quoted(mention));
    }

    fn notices(self) -> Vec<Notice> {
        let warning = |mut names: Vec<String>, one: &str, several: &str| {
            let mut known = std::collections::HashSet::new();
            names.retain(|name| known.insert(name.clone()));
            let verb = if names.len() == 1 { one } else { several };
            let text = format!("{} {verb}", some_of(&names));
            (!names.is_empty()).then(|| Notice::warning(NoticeKind::References, text))
        };
        let mut notices = Vec::new();
        let bare: Vec<String> =
            self.bare_directories.iter().map(|name| quoted(format_args!("@{name}/"))).collect();
        let text = match &bare[..] {
            [one] => format!("{one} would include that directory"),
            several => format!("{} would include these directories", some_of(several)),
        };
        notices.extend((!bare.is_empty()).then(|| Notice::note(NoticeKind::References, text)));
        let look_alikes = self.look_alikes.into_iter();
        notices.extend(look_alikes.map(|text| Notice::warning(NoticeKind::References, text)));
        notices.extend(warning(self.missing, "does not exist; left as text", "do not exist; left as text"));
        notices.extend(warning(
            self.outside,
            "is outside this directory tree; name it as a PATH",
            "are outside this directory tree; name them as PATHs",
        ));
        notices.extend(warning(
            self.inside_git,
            "is in the git directory; left as text",
            "are in the git directory; left as text",
        ));
        notices.extend(warning(
            self.secret,
            "has a name that suggests secrets; left as text",
            "have names that suggest secrets; left as text",
        ));
        if self.too_many > 0 {
            let text =
                format!("more than {MOST_REFERENCES} references in the prompt; the rest is left as text");
            notices.push(Notice::warning(NoticeKind::References, text));
        } else if self.is_cut_short {
            let text =
                "too many '@' in the prompt to look all of them up; the rest is left as text".to_owned();
            notices.push(Notice::warning(NoticeKind::References, text));
        }
        notices
    }
}

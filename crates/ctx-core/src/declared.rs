//! Finds the declarations and sections of a text by their names.

use std::borrow::Cow;

use crate::entry::{DeclarationName, Lines};
use ctx_outline::{Declaration, Kind, Language, Lines as Run, Outline};

/// The most names that are suggested instead of an unknown one.
const MOST_NEAR: usize = 3;

/// Names longer than this are not compared with an unknown one.
const LONGEST_NEAR: usize = 100;

/// Declarations within more others than this are not qualified by the innermost of them.
const MOST_SCOPES: usize = 64;

/// How many bytes before and after a name are looked at.
const MOST_AROUND: usize = 500;

/// What separates the parts of a qualified name. A heading may contain any of them.
const SEPARATORS: [char; 4] = ['.', ':', '/', '#'];

/// The declarations and sections of a text, each within those that enclose it.
#[derive(Debug)]
pub struct Declared<'t> {
    path: &'t str,
    separator: &'static str,
    all: Vec<Scoped<'t>>,
}

/// A declaration with the names around it.
#[derive(Debug)]
struct Scoped<'t> {
    name: &'t str,
    /// The form of the name that is compared first: without quotes, or for a section the anchor of its heading.
    plainly: Cow<'t, str>,
    kind: Kind,
    lines: Run,
    /// The text before the name on its line: modifiers, and the type that a method is declared for.
    before: &'t str,
    /// The text after the name on its line.
    after: &'t str,
    /// The index of the declaration that encloses it.
    within: Option<usize>,
}

/// A name that is looked up, whole and in parts: as that of a section, and as that of anything else.
struct Sought<'n> {
    whole: Name<'n>,
    section: Option<Qualified<'n>>,
    other: Option<Qualified<'n>>,
}

/// A name in parts: the last one, and what that is declared in.
struct Qualified<'n> {
    scopes: Vec<&'n str>,
    last: Name<'n>,
}

/// A name or a part of one, with what a section of this name is called.
struct Name<'n> {
    text: &'n str,
    slug: String,
}

/// How a name is understood.
#[derive(Debug, Clone, Copy)]
struct Sense {
    likeness: Likeness,
    part: NamePart,
}

/// What of a name has to name a declaration.
#[derive(Debug, Clone, Copy)]
enum NamePart {
    Whole,
    /// The last part; the others name what it is declared in.
    Last,
}

/// How alike two names must be.
#[derive(Debug, Clone, Copy)]
enum Likeness {
    Exact,
    /// Apart from signs around them: `valid` for `valid?`, `vec` for `vec!`.
    Plain,
    /// Apart from letter case too.
    Folded,
}

impl<'t> Declared<'t> {
    /// The declarations of the file `path` with this text; `None` if it is written in a language whose
    /// declarations are not known.
    #[must_use]
    pub fn of(path: &'t str, text: &'t str, language: Option<Language>) -> Option<Self> {
        let language = language?;
        let outline = ctx_outline::outline(text, language);
        Some(Self { path, separator: separator(language), all: scoped(text, &outline) })
    }

    /// The lines of everything that `name` names, in order; nothing within something else that it names.
    #[must_use]
    pub fn find(&self, name: &DeclarationName) -> Vec<Lines> {
        let sought = Sought::new(name.as_str());
        let mut found: Vec<Lines> = Vec::new();
        let places = self.sense_of(&sought).into_iter().flat_map(|sense| self.places(&sought, sense));
        for run in places.map(|place| self.all[place].lines) {
            let lines = Lines { first: run.first as u64, last: Some(run.last as u64) };
            if found.last().is_none_or(|last| last.last < lines.last) {
                found.push(lines);
            }
        }
        found
    }

    /// The first sense of a name that finds something.
    fn sense_of(&self, sought: &Sought<'_>) -> Option<Sense> {
        let alike = [Likeness::Exact, Likeness::Plain, Likeness::Folded].into_iter();
        let mut senses =
            alike.flat_map(|likeness| [NamePart::Whole, NamePart::Last].map(|part| Sense { likeness, part }));
        senses.find(|sense| self.places(sought, *sense).next().is_some())
    }

    fn places(&self, sought: &Sought<'_>, sense: Sense) -> impl Iterator<Item = usize> {
        (0..self.all.len()).filter(move |place| self.is_meant(*place, sought, sense))
    }

    fn is_meant(&self, place: usize, sought: &Sought<'_>, sense: Sense) -> bool {
        let declaration = &self.all[place];
        match sense.part {
            NamePart::Whole => declaration.is_called(&sought.whole, sense.likeness),
            NamePart::Last => {
                let is_section = declaration.kind == Kind::Section;
                let name = if is_section { &sought.section } else { &sought.other };
                name.as_ref().is_some_and(|name| self.is_qualified(place, name, sense.likeness))
            }
        }
    }

    /// Whether the last part is the name of a declaration, and the others name, in order, what it is declared
    /// in: a type, a module, a section, the file or its directories.
    fn is_qualified(&self, place: usize, name: &Qualified<'_>, likeness: Likeness) -> bool {
        let Qualified { scopes, last } = name;
        let declaration = &self.all[place];
        let last_part = last_part(declaration.name);
        if !declaration.is_called(last, likeness) && !likeness.are_alike(last_part, last.text) {
            return false;
        }
        let mut scopes = scopes.iter().rev().peekable();
        while scopes.next_if(|scope| declaration.is_declared_for(scope, likeness)).is_some() {}
        let mut within = declaration.within;
        while let Some(outer) = within.map(|outer| &self.all[outer]) {
            scopes.next_if(|scope| outer.is_scope_called(scope, likeness));
            within = outer.within;
        }
        for component in self.path.rsplit('/') {
            let stem = component.split('.').next().unwrap_or(component);
            scopes.next_if(|scope| likeness.are_alike(stem, scope));
        }
        scopes.peek().is_none()
    }

    /// A name by which [`find`](Self::find) finds the smallest declaration around this line, preferably
    /// nothing else.
    #[must_use]
    pub fn name_around(&self, line: usize) -> Option<String> {
        let holds = |place: &usize| {
            let Scoped { name, lines, .. } = &self.all[*place];
            lines.first <= line && lines.last >= line && !name.is_empty()
        };
        self.name_of((0..self.all.len()).rev().find(holds)?)
    }

    /// The same for the first declaration that begins within these lines and whose name is asked for, with its lines.
    #[must_use]
    pub fn named_within(&self, lines: Run, is_asked: impl Fn(&str) -> bool) -> Option<(String, Run)> {
        let is_within = |declaration: &Scoped<'_>| {
            (lines.first..=lines.last).contains(&declaration.lines.first)
                && is_asked(last_part(declaration.name))
        };
        let place = self.all.iter().position(is_within)?;
        Some((self.name_of(place)?, self.all[place].lines))
    }

    fn name_of(&self, place: usize) -> Option<String> {
        let mut name = self.all[place].short_name();
        let mut within = self.all[place].within;
        while let (false, Some(outer)) = (self.names_only(&name, place), within) {
            let scope = self.all[outer].short_name();
            name = if scope.is_empty() { name } else { format!("{scope}{}{name}", self.separator) };
            within = self.all[outer].within;
        }
        let sought = Sought::new(&name);
        let is_found = self.sense_of(&sought).is_some_and(|sense| self.is_meant(place, &sought, sense));
        is_found.then_some(name)
    }

    /// Whether a name is found in this place and nowhere else.
    fn names_only(&self, name: &str, place: usize) -> bool {
        let sought = Sought::new(name);
        self.sense_of(&sought).is_some_and(|sense| self.places(&sought, sense).take(2).eq([place]))
    }

    /// All names, each once, in the order of the text.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let mut known = std::collections::HashSet::new();
        let names = self.all.iter().map(Scoped::short_name).filter(|name| !name.is_empty());
        names.filter(|name| known.insert(name.clone())).collect()
    }

    /// The names that may have been meant by one that names nothing, the likeliest first.
    #[must_use]
    pub fn near(&self, name: &DeclarationName) -> Vec<String> {
        let sought = last_part(name.as_str()).to_lowercase();
        let most = (sought.chars().count() / 3).clamp(1, 4);
        let distance = |name: &str| {
            let name = last_part(name).to_lowercase();
            let is_part =
                sought.len() > 2 && name.contains(&sought) || name.len() > 2 && sought.contains(&name);
            let slips = strsim::damerau_levenshtein(&sought, &name);
            (slips <= most || is_part).then_some((slips > most, slips))
        };
        let names = self.names().into_iter().filter(|name| name.len() <= LONGEST_NEAR);
        let mut near: Vec<_> = names.filter_map(|name| Some((distance(&name)?, name))).collect();
        near.sort();
        near.into_iter().map(|(_, name)| name).take(MOST_NEAR).collect()
    }
}

impl<'n> Sought<'n> {
    fn new(name: &'n str) -> Self {
        Self {
            whole: Name::new(name),
            section: Qualified::new(name, &['/', '#']),
            other: Qualified::new(name, &SEPARATORS),
        }
    }
}

impl<'n> Qualified<'n> {
    /// The parts of a name; `None` if it only consists of separators.
    fn new(name: &'n str, separators: &[char]) -> Option<Self> {
        let mut scopes = parts(name, separators);
        let last = Name::new(scopes.pop()?);
        Some(Self { scopes, last })
    }
}

impl<'n> Name<'n> {
    fn new(text: &'n str) -> Self {
        Self { text, slug: slug(text) }
    }
}

impl Likeness {
    fn are_alike(self, one: &str, other: &str) -> bool {
        match self {
            Self::Exact => bare(one) == bare(other),
            Self::Plain => plain(one) == plain(other) && !plain(one).is_empty(),
            Self::Folded => {
                plain(one).to_lowercase() == plain(other).to_lowercase() && !plain(one).is_empty()
            }
        }
    }
}

impl Scoped<'_> {
    /// Whether this is the whole name, or for a section the text of its heading or its anchor.
    fn is_called(&self, name: &Name<'_>, likeness: Likeness) -> bool {
        if self.kind == Kind::Section {
            let is_slug = name.slug == *self.plainly || anchor(self.name) == Some(name.text);
            return !name.slug.is_empty() && is_slug;
        }
        match likeness {
            Likeness::Exact => *self.plainly == *bare(name.text),
            Likeness::Plain | Likeness::Folded => likeness.are_alike(self.name, name.text),
        }
    }

    /// Whether it is declared for this type, as a method of Go or a member defined outside its class.
    fn is_declared_for(&self, scope: &str, likeness: Likeness) -> bool {
        let own = parts(self.name, &SEPARATORS);
        let own = own.iter().rev().skip(1).copied();
        self.kind != Kind::Section
            && own.chain(words(self.before)).any(|word| likeness.are_alike(word, scope))
    }

    /// Whether members of it can be named with this in front. What a type is implemented for, or which trait is,
    /// counts too.
    fn is_scope_called(&self, scope: &str, likeness: Likeness) -> bool {
        let is_implementation = self.kind == Kind::Implementation;
        let mut others = words(self.before).chain(words(self.after)).filter(|_| is_implementation);
        self.is_called(&Name::new(scope), likeness)
            || likeness.are_alike(last_part(self.name), scope)
            || others.any(|word| likeness.are_alike(word, scope))
    }

    /// The form of its name that is easiest to type.
    fn short_name(&self) -> String {
        match (self.kind, anchor(self.name)) {
            (Kind::Section, Some(anchor)) => anchor.to_owned(),
            (_, _) => self.plainly.clone().into_owned(),
        }
    }
}

/// The declarations with what encloses each, in the order of their first lines.
fn scoped<'t>(text: &'t str, outline: &Outline<'t>) -> Vec<Scoped<'t>> {
    let mut all: Vec<Scoped<'t>> = Vec::with_capacity(outline.declarations().len());
    let mut open: Vec<usize> = Vec::new();
    for Declaration { name, kind, lines } in outline.declarations().iter().copied() {
        while open.pop_if(|outer| !all[*outer].encloses(lines)).is_some() {}
        let (before, after) = around(text, name);
        let plainly = match kind {
            Kind::Section => slug(name.split("{#").next().unwrap_or(name)).into(),
            _ => bare(name).into(),
        };
        all.push(Scoped { name, plainly, kind, lines, before, after, within: open.last().copied() });
        if open.len() < MOST_SCOPES {
            open.push(all.len() - 1);
        }
    }
    all
}

impl Scoped<'_> {
    fn encloses(&self, lines: Run) -> bool {
        let is_on_same_lines = self.lines == lines;
        let has_members = match self.kind {
            Kind::Type | Kind::Implementation | Kind::Module | Kind::Section | Kind::Key => true,
            Kind::Function | Kind::Value | Kind::Macro => false,
            _ => false,
        };
        self.lines.first <= lines.first && lines.last <= self.lines.last && (has_members || !is_on_same_lines)
    }
}

/// The text before and after a name on its line, at most [`MOST_AROUND`] bytes of each.
fn around<'t>(text: &'t str, name: &str) -> (&'t str, &'t str) {
    let at = (name.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize);
    let Some((before, after)) = text.split_at_checked(at).filter(|_| !name.is_empty()) else {
        return ("", "");
    };
    let after = after.get(name.len()..).unwrap_or_default();
    let boundary = |text: &str, at: usize| (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let before = &before[boundary(before, before.len().saturating_sub(MOST_AROUND))..];
    let after = &after[..boundary(after, MOST_AROUND.min(after.len()))];
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    (&before[start..], after.lines().next().unwrap_or_default())
}

/// How people qualify names in this language.
fn separator(language: Language) -> &'static str {
    match language {
        Language::C | Language::Cpp | Language::Php | Language::Rust => "::",
        Language::Markdown => "/",
        _ => ".",
    }
}

fn parts<'n>(name: &'n str, separators: &[char]) -> Vec<&'n str> {
    name.split(separators).filter(|part| !part.is_empty()).collect()
}

fn last_part(name: &str) -> &str {
    name.rsplit(SEPARATORS).find(|part| !part.is_empty()).unwrap_or(name)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !char.is_alphanumeric() && char != '_').filter(|word| !word.is_empty())
}

/// A name without quotes and the parameters of its type.
fn bare(name: &str) -> &str {
    let name = name.trim_matches(['"', '\'', '`']);
    name.strip_suffix("()").unwrap_or(name)
}

/// A name without the signs that a language puts around it.
fn plain(name: &str) -> &str {
    let name = bare(name);
    let name = name.find(['<', '(', '[']).filter(|at| *at > 0).map_or(name, |at| &name[..at]);
    name.trim_matches(|char: char| !char.is_alphanumeric() && char != '_')
}

/// The anchor that a heading sets: `install` in `Installation {#install}`.
fn anchor(heading: &str) -> Option<&str> {
    heading.strip_suffix('}')?.rsplit_once("{#").map(|(_, anchor)| anchor.trim())
}

/// The anchor of a heading on the web: its letters, digits, `-` and `_` in lower case, with `-` for a space.
fn slug(heading: &str) -> String {
    let mut slug = String::with_capacity(heading.len());
    let mut rest = heading.trim();
    let mut has_targets = true;
    while let Some(char) = rest.chars().next() {
        // The heading contains the text of a link, but not its target.
        if has_targets && rest.starts_with("](") {
            match rest.find(')') {
                Some(end) => {
                    rest = &rest[end + 1..];
                    continue;
                }
                None => has_targets = false,
            }
        }
        match char {
            ' ' => slug.push('-'),
            '-' | '_' => slug.push(char),
            char if char.is_alphanumeric() => slug.extend(char.to_lowercase()),
            _ => {}
        }
        rest = &rest[char.len_utf8()..];
    }
    slug
}

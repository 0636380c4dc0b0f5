//! Finds the declarations and sections of a text by their names.

use crate::entry::{DeclarationName, Lines};
use ctx_outline::{Declaration, Kind, Language, Lines as Run, Outline};

/// The most names that are suggested instead of an unknown one.
const MOST_NEAR: usize = 3;

/// Names longer than this are not compared with an unknown one.
const LONGEST_NEAR: usize = 100;

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
    kind: Kind,
    lines: Run,
    /// The text before the name on its line: modifiers, and the type that a method is declared for.
    before: &'t str,
    /// The text after the name on its line.
    after: &'t str,
    /// The index of the declaration that encloses it.
    within: Option<usize>,
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
        let mut found: Vec<Lines> = Vec::new();
        for run in self.places(name.as_str()).into_iter().map(|place| self.all[place].lines) {
            let lines = Lines { first: run.first as u64, last: Some(run.last as u64) };
            if found.last().is_none_or(|last| last.last < lines.last) {
                found.push(lines);
            }
        }
        found
    }

    fn places(&self, name: &str) -> Vec<usize> {
        let alike = [Likeness::Exact, Likeness::Plain, Likeness::Folded].into_iter();
        alike.map(|likeness| self.named(name, likeness)).find(|found| !found.is_empty()).unwrap_or_default()
    }

    fn named(&self, name: &str, likeness: Likeness) -> Vec<usize> {
        let places = |is_meant: &dyn Fn(usize) -> bool| -> Vec<usize> {
            (0..self.all.len()).filter(|place| is_meant(*place)).collect()
        };
        let whole = places(&|place| self.all[place].is_called(name, likeness));
        if !whole.is_empty() {
            return whole;
        }
        let of_sections: Vec<&str> = parts(name, &['/', '#']);
        let parts = parts(name, &SEPARATORS);
        places(&|place| {
            let is_section = self.all[place].kind == Kind::Section;
            self.is_qualified(place, if is_section { &of_sections } else { &parts }, likeness)
        })
    }

    /// Whether the last part is the name of a declaration, and the others name, in order, what it is declared
    /// in: a type, a module, a section, the file or its directories.
    fn is_qualified(&self, place: usize, parts: &[&str], likeness: Likeness) -> bool {
        let Some((name, scopes)) = parts.split_last() else { return false };
        let declaration = &self.all[place];
        if !declaration.is_called(name, likeness) && !likeness.are_alike(last_part(declaration.name), name) {
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
        while let (false, Some(outer)) = (self.places(&name) == [place], within) {
            let scope = self.all[outer].short_name();
            name = if scope.is_empty() { name } else { format!("{scope}{}{name}", self.separator) };
            within = self.all[outer].within;
        }
        self.places(&name).contains(&place).then_some(name)
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
        let wanted = last_part(name.as_str()).to_lowercase();
        let most = (wanted.chars().count() / 3).clamp(1, 4);
        let distance = |name: &str| {
            let name = last_part(name).to_lowercase();
            let is_part =
                wanted.len() > 2 && name.contains(&wanted) || name.len() > 2 && wanted.contains(&name);
            let slips = strsim::damerau_levenshtein(&wanted, &name);
            (slips <= most || is_part).then_some((slips > most, slips))
        };
        let names = self.names().into_iter().filter(|name| name.len() <= LONGEST_NEAR);
        let mut near: Vec<_> = names.filter_map(|name| Some((distance(&name)?, name))).collect();
        near.sort();
        near.into_iter().map(|(_, name)| name).take(MOST_NEAR).collect()
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
    fn is_called(&self, name: &str, likeness: Likeness) -> bool {
        if self.kind == Kind::Section {
            let slug = slug(name);
            return !slug.is_empty() && (slug == self.slug() || anchor(self.name) == Some(name));
        }
        likeness.are_alike(self.name, name)
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
        self.is_called(scope, likeness)
            || likeness.are_alike(last_part(self.name), scope)
            || others.any(|word| likeness.are_alike(word, scope))
    }

    fn slug(&self) -> String {
        slug(self.name.split("{#").next().unwrap_or(self.name))
    }

    /// The form of its name that is easiest to type.
    fn short_name(&self) -> String {
        match (self.kind, anchor(self.name)) {
            (Kind::Section, Some(anchor)) => anchor.to_owned(),
            (Kind::Section, None) => self.slug(),
            (_, _) => bare(self.name).to_owned(),
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
        all.push(Scoped { name, kind, lines, before, after, within: open.last().copied() });
        open.push(all.len() - 1);
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

/// The text before and after a name on its line.
fn around<'t>(text: &'t str, name: &str) -> (&'t str, &'t str) {
    let at = (name.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize);
    let Some((before, after)) = text.split_at_checked(at).filter(|_| !name.is_empty()) else {
        return ("", "");
    };
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let after = after.get(name.len()..).unwrap_or_default();
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
    parts(name, &SEPARATORS).last().copied().unwrap_or(name)
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
    while let Some(char) = rest.chars().next() {
        // The heading contains the text of a link, but not its target.
        if rest.starts_with("](")
            && let Some(end) = rest.find(')')
        {
            rest = &rest[end + 1..];
            continue;
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

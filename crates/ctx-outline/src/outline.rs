use crate::lines::{LineStarts, is_blank};
use std::borrow::Cow;
use std::ops::Range;

/// A range of lines, including the first and the last, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lines {
    /// The first line.
    pub first: usize,
    /// The last line, never before the first.
    pub last: usize,
}

impl Lines {
    /// How many lines the range has, at least one.
    #[must_use]
    pub fn count(self) -> usize {
        self.last - self.first + 1
    }
}

/// What a declaration declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A function, method, constructor or accessor.
    Function,
    /// A class, structure, enumeration, interface, trait or alias.
    Type,
    /// A block that adds members to a type declared elsewhere: `impl`, `extension`.
    Implementation,
    /// A module, namespace or package.
    Module,
    /// A constant or variable outside functions.
    Value,
    /// A macro.
    Macro,
    /// A section of a document, named by its heading.
    Section,
    /// A key of a data file.
    Key,
}

/// A declaration outside function bodies, or in code that a macro quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Declaration<'t> {
    /// The name as the text spells it; empty if the declaration has none.
    pub name: &'t str,
    /// What is declared.
    pub kind: Kind,
    /// The lines of the declaration, including its doc comment, attributes and body.
    pub lines: Lines,
}

/// The maximum number of lines in a head.
const MOST_OF_HEAD: usize = 4;

/// The lines of a declaration, and its head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Headed {
    /// The lines of the declaration, including its doc comment, attributes and body.
    pub lines: Lines,
    /// The line with its name and, for a function, the rest of its signature: at most four lines.
    pub head: Lines,
    /// The length of the head in bytes.
    pub bytes: usize,
}

/// The declarations in a source file, and the lines that its outline keeps and omits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline<'t> {
    text: &'t str,
    lines: LineStarts,
    omitted: Vec<Lines>,
    declarations: Vec<Declaration<'t>>,
}

impl<'t> Outline<'t> {
    pub(crate) fn new(text: &'t str, lines: LineStarts, findings: Findings<'t>) -> Self {
        // A declaration that isn't closed extends to the end of the text.
        let line_count = lines.count();
        let mut omitted = findings.omitted;
        let mut declarations = findings.declarations;
        declarations.sort_by_key(|declaration| declaration.lines.first);
        let declared = declarations.iter_mut().map(|declaration| &mut declaration.lines);
        for run in omitted.iter_mut().chain(declared) {
            run.last = run.last.min(line_count);
        }
        let bytes = |run: &Lines| lines.start(run.last) - lines.start(run.first - 1);
        let saves = |run: &Lines| bytes(run).saturating_sub(marker(run.count()).len() + 1);
        omitted.retain(|run| run.first <= run.last && saves(run) > 0);
        let saved: usize = omitted.iter().map(saves).sum();
        if saved * 10 < text.len() {
            omitted.clear();
        }
        Self { text, lines, omitted, declarations }
    }

    /// How many lines the text has.
    #[must_use]
    pub fn line_count(&self) -> usize {
        self.lines.count()
    }

    /// The omitted runs of lines, in order; no two runs overlap or touch.
    #[must_use]
    pub fn omitted(&self) -> &[Lines] {
        &self.omitted
    }

    /// The kept runs of lines, in order: all lines outside omitted runs.
    pub fn kept(&self) -> impl Iterator<Item = Lines> + '_ {
        let mut next = 1;
        let ends = self
            .omitted
            .iter()
            .copied()
            .chain([Lines { first: self.line_count() + 1, last: self.line_count() + 1 }]);
        ends.filter_map(move |run| {
            let kept = (next < run.first).then(|| Lines { first: next, last: run.first - 1 });
            next = run.last + 1;
            kept
        })
    }

    /// The declarations outside function bodies, and those that macros quote, sorted by first line. A type comes before its members.
    #[must_use]
    pub fn declarations(&self) -> &[Declaration<'t>] {
        &self.declarations
    }

    /// The declarations with their heads, sorted by first line. A passage is printed below the heads of the
    /// declarations that contain it.
    pub fn headed(&self) -> impl Iterator<Item = Headed> + '_ {
        self.declarations.iter().map(|declaration| self.head_of(declaration))
    }

    /// A signature ends where the body is omitted. For everything else, the line with the name is enough.
    fn head_of(&self, declaration: &Declaration<'t>) -> Headed {
        let Declaration { name, kind, lines: all } = *declaration;
        let lines = &self.lines;
        let at = (name.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        let is_within = !name.is_empty() && at < self.text.len();
        let first = if is_within { lines.line_of(at) + 1 } else { all.first }.clamp(all.first, all.last);
        let body = self.omitted.partition_point(|run| run.last < first);
        let body = self.omitted.get(body).filter(|run| run.first <= all.last && kind == Kind::Function);
        let last = body.map_or(first, |run| (run.first - 1).clamp(first, first + MOST_OF_HEAD - 1));
        let bytes = lines.start(last) - lines.start(first - 1);
        Headed { lines: all, head: Lines { first, last }, bytes }
    }

    /// Whether nothing is omitted, so that the outline is the text itself.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.omitted.is_empty()
    }

    /// The outline's text: the kept lines as they are, and `[… N lines omitted …]` alone on its line for each omitted run.
    #[must_use]
    pub fn render(&self) -> Cow<'t, str> {
        if self.is_whole() {
            return Cow::Borrowed(self.text);
        }
        Cow::Owned(self.render_with(|run| marker(run.count())))
    }

    /// The outline's text with the line that `marker` returns, without its newline, for each omitted run.
    ///
    /// ```
    /// use ctx_outline::{Language, outline};
    ///
    /// let text = "def add(a, b):\n    total = a\n    total += b\n    return total\n\nLIMIT = 3  # of what is added\n";
    /// let short = outline(text, Language::Python).render_with(|run| format!("    ...  # lines {}-{}", run.first, run.last));
    /// assert_eq!(short, "def add(a, b):\n    ...  # lines 2-4\n\nLIMIT = 3  # of what is added\n");
    /// ```
    #[must_use]
    pub fn render_with(&self, marker: impl Fn(Lines) -> String) -> String {
        let mut rendered = String::with_capacity(self.text.len() / 2);
        let mut from = 0;
        for run in &self.omitted {
            rendered.push_str(&self.text[from..self.lines.start(run.first - 1)]);
            rendered.push_str(&marker(*run));
            from = self.lines.start(run.last);
            if from < self.text.len() || self.text.ends_with('\n') {
                rendered.push('\n');
            }
        }
        rendered.push_str(&self.text[from..]);
        rendered
    }
}

/// Declarations nested deeper than this have no end of their own.
const MOST_OPEN: usize = 64;

/// A declaration whose end hasn't been found yet.
struct OpenDeclaration {
    /// The level of a heading, the indentation of a class.
    level: usize,
    /// The index of the declaration.
    index: usize,
}

/// The results of a scanner.
pub(crate) struct Findings<'t> {
    omitted: Vec<Lines>,
    declarations: Vec<Declaration<'t>>,
    /// Outermost first.
    open: Vec<OpenDeclaration>,
}

impl<'t> Findings<'t> {
    /// The findings before the file is scanned: at most the licence notice is omitted.
    pub(crate) fn new(text: &'t str, lines: &LineStarts) -> Self {
        let mut findings = Self { omitted: Vec::new(), declarations: Vec::new(), open: Vec::new() };
        if let Some(notice) = license_notice(text, lines) {
            findings.omit(notice.start, notice.end);
        }
        findings
    }

    /// Omits the lines from `first` to just before `end`, counted from 0. Lines in an earlier run are ignored.
    pub(crate) fn omit(&mut self, first: usize, end: usize) {
        let first = first + 1;
        match self.omitted.last_mut() {
            Some(run) if first <= run.last + 1 => run.last = run.last.max(end),
            _ if first <= end => self.omitted.push(Lines { first, last: end }),
            _ => {}
        }
    }

    /// Adds the findings in a part of the text that begins at line `first`, counted from 0. Only lines in `own`
    /// are omitted.
    pub(crate) fn take_in(&mut self, inner: Self, first: usize, own: Range<usize>) {
        let moved = |lines: Lines| Lines { first: lines.first + first, last: lines.last + first };
        for run in inner.omitted {
            let Lines { first, last } = moved(run);
            let run = own.start.max(first - 1)..own.end.min(last);
            if !run.is_empty() {
                self.omit(run.start, run.end);
            }
        }
        let declared = inner.declarations.into_iter();
        self.declarations.extend(
            declared.map(|declaration| Declaration { lines: moved(declaration.lines), ..declaration }),
        );
    }

    /// The current number of omitted runs, to pass to [`Self::forget_omitted_after`].
    pub(crate) fn omitted_mark(&self) -> usize {
        self.omitted.len()
    }

    /// Keeps the lines that were omitted since `mark`.
    pub(crate) fn forget_omitted_after(&mut self, mark: usize) {
        self.omitted.truncate(mark);
    }

    /// Adds a declaration of the lines from `first` to `last`, counted from 0, and returns its index.
    pub(crate) fn declare(&mut self, name: &'t str, kind: Kind, first: usize, last: usize) -> usize {
        self.declarations.push(Declaration {
            name,
            kind,
            lines: Lines { first: first + 1, last: last.max(first) + 1 },
        });
        self.declarations.len() - 1
    }

    /// Notes that the last declaration continues until one of its `level`, or of a level above, is
    /// [closed](Self::close).
    pub(crate) fn open_last(&mut self, level: usize) {
        if let Some(index) = self.declarations.len().checked_sub(1)
            && self.open.len() < MOST_OPEN
        {
            self.open.push(OpenDeclaration { level, index });
        }
    }

    /// Ends the open declarations of `level` and below with the line `last`, counted from 0.
    pub(crate) fn close(&mut self, level: usize, last: usize) {
        while let Some(open) = self.open.pop_if(|open| open.level >= level) {
            self.end_declaration(open.index, last);
        }
    }

    /// Removes the last declaration, because its statement continues.
    pub(crate) fn forget_last_declaration(&mut self) {
        self.declarations.pop();
    }

    /// Sets the last line, counted from 0, of the declaration with this index.
    pub(crate) fn end_declaration(&mut self, index: usize, last: usize) {
        if let Some(declaration) = self.declarations.get_mut(index) {
            declaration.lines.last = declaration.lines.last.max(last + 1);
        }
    }
}

/// The line that stands for `count` omitted lines, without its newline.
fn marker(count: usize) -> String {
    let lines = if count == 1 { "line" } else { "lines" };
    format!("[… {count} {lines} omitted …]")
}

/// A notice begins within this many lines.
const MAX_LINES_BEFORE: usize = 5;
/// A notice has at most this many lines.
const MAX_LINES: usize = 300;

/// The lines, counted from 0, of the comment at the beginning of a file, if it is about the licence.
fn license_notice(text: &str, lines: &LineStarts) -> Option<Range<usize>> {
    let content = |line: usize| {
        let content = &text.as_bytes()[lines.bytes(line)];
        content.strip_prefix("\u{feff}".as_bytes()).unwrap_or(content).trim_ascii()
    };
    let opens = |line: &usize| is_comment(content(*line));
    let first = (0..lines.count().min(MAX_LINES_BEFORE)).find(opens)?;
    let is_preamble = |line: usize| {
        content(line).starts_with(b"#region")
            || is_blank(content(line))
            || content(line).starts_with(b"<?")
            || content(line).starts_with(b"#!")
    };
    if !(0..first).all(is_preamble) {
        return None;
    }
    let limit = lines.count().min(first + MAX_LINES);
    let end = if content(first).starts_with(b"/*") {
        (first..limit).find(|line| content(*line).ends_with(b"*/"))? + 1
    } else {
        (first..limit).find(|line| !is_comment(content(*line))).unwrap_or(limit)
    };
    let notice = &text[lines.start(first)..lines.start(end)];
    mentions_license(notice.as_bytes()).then_some(first..end)
}

fn is_comment(line: &[u8]) -> bool {
    // Doc comments are part of the code.
    if line.starts_with(b"///") || line.starts_with(b"//!") {
        return false;
    }
    let marks: [&[u8]; 4] = [b"//", b"/*", b"# ", b"--"];
    marks.iter().any(|mark| line.starts_with(mark)) || line == b"#"
}

fn mentions_license(notice: &[u8]) -> bool {
    let mentions = |word: &[u8]| notice.windows(word.len()).any(|found| found.eq_ignore_ascii_case(word));
    mentions(b"copyright") || mentions(b"license")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Language, outline};

    fn heads(text: &str, language: Language) -> Vec<(usize, usize)> {
        outline(text, language).headed().map(|one| (one.head.first, one.head.last)).collect()
    }

    #[test]
    fn head_is_the_line_with_the_name_and_the_rest_of_a_signature() {
        let body = "        let total = compute(total);\n".repeat(9);
        let text = format!(
            "/// A list.\n#[derive(Debug)]\npub struct List;\n\nimpl List {{\n    /// Adds.\n    fn add(\n        &self,\n    ) {{\n{body}    }}\n}}\n"
        );
        assert_eq!(heads(&text, Language::Rust), [(3, 3), (5, 5), (7, 9)]);
        let text = format!("class A:\n    @cached\n    def b(self):\n{body}");
        assert_eq!(heads(&text, Language::Python), [(1, 1), (3, 3)]);
        let text = format!("# One\n\n{body}\n## Two\n\n{body}");
        assert_eq!(heads(&text, Language::Markdown), [(1, 1), (13, 13)]);
    }

    #[test]
    fn head_of_a_long_signature_has_four_lines() {
        let arguments: String = (0..9).map(|number| format!("    argument_{number}: usize,\n")).collect();
        let body = "    step(argument_0);\n".repeat(20);
        let text = format!("fn add(\n{arguments}) {{\n{body}}}\n");
        let outline = outline(&text, Language::Rust);
        let found: Vec<Headed> = outline.headed().collect();
        let bytes = "fn add(\n".len() + 3 * "    argument_0: usize,\n".len();
        assert_eq!(
            found,
            [Headed { lines: Lines { first: 1, last: 32 }, head: Lines { first: 1, last: 4 }, bytes }]
        );
    }
}

//! Files as a drawn tree, with tokens, and a bar for each directory.

use std::cmp::Reverse;
use std::io::{self, Write};

use owo_colors::Style;

use super::options::Sort;
use super::palette::{FAINT, MARK, PLAIN, STRONG};
use super::summary::{bar, percentage};
use super::ui::Ui;
use super::visible::{visible, width};
use ctx_core::account::{FileRecord, Status, share};
use ctx_core::plan::DirectoryTree;
use ctx_core::words::counted;
use ctx_core::words::figure;

/// How many characters a bar has.
const BAR: u64 = 10;

/// The width of a bar and its share after the numbers, in columns.
const BARRED: usize = 20;

/// How far names may push the numbers to the right, in columns; longer names push only their own.
const WIDEST: usize = 60;

/// The minimum width of a name, in columns.
const NARROWEST: usize = 12;

/// Replaces box-drawing characters with ASCII characters.
fn in_ascii(strokes: &str) -> String {
    let stroke = |char: char| match char {
        '├' | '│' => '|',
        '└' => '`',
        '─' => '-',
        other => other,
    };
    strokes.chars().map(stroke).collect()
}

/// The totals of the files in a directory.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    /// The tokens of the whole files.
    tokens: u64,
    files: usize,
    /// How many of the files are in the block.
    kept: usize,
}

impl Sum {
    fn of(directory: &DirectoryTree<DrawnFile>) -> Self {
        let mut sum = Self::default();
        directory.each(&mut |file| {
            sum.tokens += file.tokens.unwrap_or(0);
            sum.files += 1;
            sum.kept += usize::from(file.is_kept);
        });
        sum
    }
}

/// What the drawing tells about a file. There may be a million.
#[derive(Debug, Clone, Copy)]
struct DrawnFile {
    /// The tokens of the whole file, if known.
    tokens: Option<u64>,
    /// Whether it is in the block, at least in part.
    is_kept: bool,
}

impl DrawnFile {
    fn of(file: &FileRecord) -> Self {
        let is_kept = match file.status {
            Status::Included | Status::Outlined | Status::Truncated => true,
            Status::Unchanged | Status::Dropped | Status::Skipped => false,
        };
        let printed = Some(file.tokens).filter(|_| is_kept);
        Self { tokens: file.whole_tokens.or(printed), is_kept }
    }
}

/// A name below a directory.
enum Node<'a> {
    File { name: &'a str, file: DrawnFile },
    Directory { name: String, end: &'a DirectoryTree<DrawnFile>, sum: Sum },
}

impl<'a> Node<'a> {
    /// Directories that contain only one other directory are joined: `/usr/share/doc/`.
    fn directory(name: &str, directory: &'a DirectoryTree<DrawnFile>) -> Self {
        let (mut name, mut end) = (format!("{name}/"), directory);
        while end.files.is_empty() && end.directories.len() == 1 {
            for (below, directory) in &end.directories {
                name.extend([below.as_str(), "/"]);
                end = directory;
            }
        }
        Self::Directory { name, end, sum: Sum::of(end) }
    }

    fn all_in(directory: &'a DirectoryTree<DrawnFile>, sort: Option<Sort>) -> Vec<Self> {
        let directories = directory.directories.iter().map(|(name, below)| Self::directory(name, below));
        let files = directory.files.iter().map(|(name, file)| Self::File { name, file: *file });
        let mut nodes: Vec<Self> = directories.chain(files).collect();
        match sort {
            None => {}
            Some(Sort::Path) => nodes.sort_by(|a, b| a.name().cmp(b.name())),
            Some(Sort::Tokens) => nodes.sort_by_key(|node| Reverse(node.tokens())),
        }
        nodes
    }

    fn name(&self) -> &str {
        match self {
            Self::File { name, .. } => name,
            Self::Directory { name, .. } => name,
        }
    }

    fn tokens(&self) -> u64 {
        match self {
            Self::File { file, .. } => file.tokens.unwrap_or(0),
            Self::Directory { sum, .. } => sum.tokens,
        }
    }
}

/// A line of the drawing.
struct TreeLine {
    indent: String,
    name: String,
    style: Style,
    tokens: Option<u64>,
    is_directory: bool,
}

impl TreeLine {
    fn width(&self) -> usize {
        width(&self.indent) + width(&self.name)
    }

    /// The line in at most this many columns; a name keeps its ends, and the deepest names lose their
    /// strokes.
    fn within(self, columns: usize, ui: &Ui) -> Self {
        if self.width() <= columns {
            return self;
        }
        let name = ui.shortened(&self.name, columns.saturating_sub(width(&self.indent)).max(NARROWEST));
        let indent = ui.shortened(&self.indent, columns.saturating_sub(width(&name)));
        Self { indent, name, ..self }
    }
}

/// Draws the files of an account as a tree with this many levels, each with the tokens of the whole file,
/// whether or not it is in the block. Deeper directories are one line each. Directories come before files and
/// are sorted by name, unless another order is requested.
///
/// # Errors
/// Errors from writing to `out`.
pub fn write(
    out: &mut impl Write,
    files: impl Iterator<Item = FileRecord>,
    estimated: bool,
    depth: Option<usize>,
    sort: Option<Sort>,
    ui: &Ui,
) -> io::Result<()> {
    let root = DirectoryTree::of(files.map(|file| {
        let drawn = DrawnFile::of(&file);
        (file.path, drawn)
    }));
    let sum = Sum::of(&root);
    if sum.files == 0 {
        return Ok(());
    }
    // No line has more tokens than all files have.
    let amounts = amount(Some(sum.tokens), estimated).len();
    let room = ui.columns.map(|columns| columns.saturating_sub(amounts + 2 + BARRED).max(NARROWEST));
    let fitted = |line: TreeLine| match room {
        Some(room) => line.within(room, ui),
        None => line,
    };
    // The lines are made twice instead of kept, since there may be very many.
    let lines = Lines { depth, sort, unicode: ui.unicode };
    let mut names = 0;
    lines.each(&root, &sum, &mut |line| {
        let width = fitted(line).width();
        names = if width <= room.unwrap_or(WIDEST) { width.max(names) } else { names };
        Ok(())
    })?;
    lines.each(&root, &sum, &mut |line| {
        let line = fitted(line);
        let gap = " ".repeat(names.saturating_sub(line.width()));
        let (indent, name) = (ui.paint(&line.indent, FAINT), ui.paint(&line.name, line.style));
        let tokens = format!("{:>amounts$}", amount(line.tokens, estimated));
        let tokens = ui.paint(tokens, if line.is_directory { PLAIN } else { line.style });
        write!(out, "{indent}{name}{gap}  {tokens}")?;
        if let (true, Some(tokens)) = (line.is_directory, line.tokens) {
            let percent = if sum.tokens == 0 { 0 } else { share(tokens, sum.tokens) };
            let bar = bar(percent, BAR, MARK, ui);
            write!(out, "  {bar} {:>4}", percentage(tokens, sum.tokens))?;
        }
        writeln!(out)
    })?;
    writeln!(out)
}

fn amount(tokens: Option<u64>, estimated: bool) -> String {
    tokens.map_or_else(|| "-".to_owned(), |number| figure(number, estimated))
}

/// Which lines are drawn, and how.
struct Lines {
    depth: Option<usize>,
    sort: Option<Sort>,
    unicode: bool,
}

type See<'s> = dyn FnMut(TreeLine) -> io::Result<()> + 's;

impl Lines {
    /// Calls `see` with every line.
    fn each(&self, root: &DirectoryTree<DrawnFile>, sum: &Sum, see: &mut See<'_>) -> io::Result<()> {
        let mut see = |line: TreeLine| {
            let indent = if self.unicode { line.indent } else { in_ascii(&line.indent) };
            see(TreeLine { indent, ..line })
        };
        see(TreeLine {
            indent: String::new(),
            name: ".".into(),
            style: STRONG,
            tokens: Some(sum.tokens),
            is_directory: true,
        })?;
        self.below(root, "", self.depth, &mut see)
    }

    fn below(
        &self,
        directory: &DirectoryTree<DrawnFile>,
        indent: &str,
        depth: Option<usize>,
        see: &mut See<'_>,
    ) -> io::Result<()> {
        let depth = depth.map(|depth| depth.saturating_sub(1));
        let mut nodes = Node::all_in(directory, self.sort).into_iter().peekable();
        while let Some(node) = nodes.next() {
            let is_last = nodes.peek().is_none();
            let indented = format!("{indent}{}", if is_last { "└── " } else { "├── " });
            match node {
                Node::File { name, file } => see(TreeLine {
                    indent: indented,
                    name: visible(name),
                    style: if file.is_kept { PLAIN } else { FAINT },
                    tokens: file.tokens,
                    is_directory: false,
                })?,
                Node::Directory { name, end, sum } => {
                    let is_closed = depth == Some(0);
                    let files =
                        if is_closed { format!(" ({})", counted(sum.files, "file")) } else { String::new() };
                    see(TreeLine {
                        indent: indented,
                        name: format!("{}{files}", visible(&name)),
                        style: if sum.kept > 0 { STRONG } else { FAINT },
                        tokens: Some(sum.tokens),
                        is_directory: true,
                    })?;
                    if !is_closed {
                        let pass = if is_last { "    " } else { "│   " };
                        self.below(end, &format!("{indent}{pass}"), depth, see)?;
                    }
                }
            }
        }
        Ok(())
    }
}

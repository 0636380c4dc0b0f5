//! Files as a drawn tree, with tokens and a bar for each directory.

use std::io::{self, Write};

use owo_colors::Style;
use unicode_width::UnicodeWidthStr;

use super::summary::percentage;
use super::ui::{Ui, visible};
use ctx_core::account::{Account, share};
use ctx_core::plan::Directory;
use ctx_core::report::Count;

/// How many characters a bar has.
const BAR: u64 = 10;

/// The widest that names push the numbers to the right, in columns; longer names push their own.
const WIDEST: usize = 60;

/// The characters that a tree is drawn with.
struct Strokes {
    branch: &'static str,
    last: &'static str,
    pass: &'static str,
    full: char,
    empty: char,
}

const UNICODE: Strokes =
    Strokes { branch: "├── ", last: "└── ", pass: "│   ", full: '█', empty: '░' };
const ASCII: Strokes = Strokes { branch: "|-- ", last: "`-- ", pass: "|   ", full: '#', empty: '-' };

/// A name below a directory.
enum Node<'a> {
    File(u64),
    Directory(&'a Directory),
}

/// A line of the drawing.
struct Line {
    indent: String,
    name: String,
    tokens: u64,
    is_directory: bool,
}

impl Line {
    fn width(&self) -> usize {
        self.indent.width() + self.name.width()
    }
}

/// Draws the files of an account as a tree; each name with its tokens in the block.
///
/// # Errors
/// What `out` says.
pub fn write(out: &mut impl Write, account: &Account, ui: &Ui) -> io::Result<()> {
    if account.files.is_empty() {
        return Ok(());
    }
    let strokes = if ui.unicode() { &UNICODE } else { &ASCII };
    let root = Directory::of(account.files.iter().map(|file| (file.path.as_str(), file.tokens)));
    let whole = root.weight();
    let mut lines = vec![Line { indent: String::new(), name: ".".into(), tokens: whole, is_directory: true }];
    draw(&root, "", strokes, &mut lines);
    let estimated = account.measures.estimated;
    let amount = |line: &Line| Count { number: line.tokens, estimated }.to_string();
    let names = lines.iter().map(Line::width).filter(|width| *width <= WIDEST).max().unwrap_or(0);
    let amounts = lines.iter().map(|line| amount(line).len()).max().unwrap_or(0);
    for line in &lines {
        let gap = " ".repeat(names.saturating_sub(line.width()));
        let indent = ui.paint(&line.indent, Style::new().dimmed());
        let style = if line.is_directory { Style::new().bold() } else { Style::new() };
        let name = ui.paint(&line.name, style);
        write!(out, "{indent}{name}{gap}  {:>amounts$}", amount(line))?;
        if line.is_directory {
            let percent = if whole == 0 { 0 } else { share(line.tokens, whole) };
            let bar = ui.paint(bar(percent, strokes), Style::new().cyan());
            write!(out, "  {bar} {:>4}", percentage(line.tokens, whole))?;
        }
        writeln!(out)?;
    }
    writeln!(out)
}

fn draw(directory: &Directory, indent: &str, strokes: &Strokes, lines: &mut Vec<Line>) {
    let directories = directory.directories.iter().map(|(name, below)| (name, Node::Directory(below)));
    let files = directory.files.iter().map(|(name, tokens)| (name, Node::File(*tokens)));
    let mut nodes = directories.chain(files).peekable();
    while let Some((name, node)) = nodes.next() {
        let is_last = nodes.peek().is_none();
        let stroke = if is_last { strokes.last } else { strokes.branch };
        let indented = format!("{indent}{stroke}");
        match node {
            Node::File(tokens) => {
                lines.push(Line { indent: indented, name: visible(name), tokens, is_directory: false });
            }
            Node::Directory(below) => {
                let Chain { name, end } = Chain::of(name, below);
                lines.push(Line {
                    indent: indented,
                    name: visible(&name),
                    tokens: end.weight(),
                    is_directory: true,
                });
                let pass = if is_last { "    " } else { strokes.pass };
                draw(end, &format!("{indent}{pass}"), strokes, lines);
            }
        }
    }
}

/// Directories that hold nothing but the next one, drawn as one: `/usr/share/doc/`.
struct Chain<'a> {
    name: String,
    end: &'a Directory,
}

impl<'a> Chain<'a> {
    fn of(name: &str, directory: &'a Directory) -> Self {
        let mut chain = Self { name: format!("{name}/"), end: directory };
        while chain.end.files.is_empty() && chain.end.directories.len() == 1 {
            for (name, below) in &chain.end.directories {
                chain.name.extend([name.as_str(), "/"]);
                chain.end = below;
            }
        }
        chain
    }
}

fn bar(percent: u64, strokes: &Strokes) -> String {
    let full = percent * BAR / 100;
    (0..BAR).map(|place| if place < full { strokes.full } else { strokes.empty }).collect()
}

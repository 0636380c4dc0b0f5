//! Files as a drawn tree, with tokens and a bar for each directory.

use std::io::{self, Write};

use owo_colors::Style;

use super::ui::{Ui, grouped};
use crate::account::{Account, share};
use crate::plan::Directory;

/// How many characters a bar has.
const BAR: u64 = 10;

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

/// Draws the files of an account as a tree; each name with its tokens in the block.
///
/// # Errors
/// What `out` says.
pub fn write(out: &mut impl Write, account: &Account, ui: &Ui) -> io::Result<()> {
    let root = Directory::of(account.files.iter().map(|file| (file.path.as_str(), file.tokens)));
    if account.files.is_empty() {
        return Ok(());
    }
    let strokes = if ui.unicode() { &UNICODE } else { &ASCII };
    let drawing = Drawing { ui, strokes, whole: root.weight(), mark: mark(account) };
    writeln!(out, "{}", drawing.directory(".", &root))?;
    drawing.below(out, &root, "")?;
    writeln!(out)
}

fn mark(account: &Account) -> &'static str {
    if account.measures.estimated { "~" } else { "" }
}

struct Drawing<'a> {
    ui: &'a Ui,
    strokes: &'static Strokes,
    whole: u64,
    mark: &'static str,
}

impl Drawing<'_> {
    fn below(&self, out: &mut impl Write, directory: &Directory, indent: &str) -> io::Result<()> {
        let directories = directory.directories.iter().map(|(name, below)| (name, Node::Directory(below)));
        let files = directory.files.iter().map(|(name, tokens)| (name, Node::File(*tokens)));
        let mut nodes = directories.chain(files).peekable();
        while let Some((name, node)) = nodes.next() {
            let is_last = nodes.peek().is_none();
            let stroke = if is_last { self.strokes.last } else { self.strokes.branch };
            match node {
                Node::File(tokens) => {
                    writeln!(out, "{indent}{stroke}{name}  {}{}", self.mark, grouped(tokens))?;
                }
                Node::Directory(below) => {
                    writeln!(out, "{indent}{stroke}{}", self.directory(&format!("{name}/"), below))?;
                    let pass = if is_last { "    " } else { self.strokes.pass };
                    self.below(out, below, &format!("{indent}{pass}"))?;
                }
            }
        }
        Ok(())
    }

    fn directory(&self, name: &str, directory: &Directory) -> String {
        let tokens = directory.weight();
        let percent = if self.whole == 0 { 0 } else { share(tokens, self.whole) };
        let full = percent * BAR / 100;
        let stroke = |place| if place < full { self.strokes.full } else { self.strokes.empty };
        let bar: String = (0..BAR).map(stroke).collect();
        format!(
            "{}  {}{} {} {percent}%",
            self.ui.paint(name, Style::new().bold()),
            self.mark,
            grouped(tokens),
            self.ui.paint(bar, Style::new().cyan())
        )
    }
}

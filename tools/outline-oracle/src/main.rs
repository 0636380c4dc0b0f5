//! Measures `ctx-outline` against tree-sitter: the declarations that it keeps and the bytes that are left.
//!
//!     outline-oracle [--missed] [--files] NAME=DIRECTORY…

mod grammar;

use ctx_outline::{Language, outline};
use grammar::Grammar;
use std::collections::BTreeMap;
use std::path::Path;
use streaming_iterator::StreamingIterator;
use tree_sitter::{Parser, QueryCursor};

/// Longer files are not measured: tree-sitter takes minutes for some.
const MAX_BYTES: usize = 1 << 20;

/// Shorter files leave little to omit: they contain a type, a list of exports, an example.
const LARGE_BYTES: usize = 2000;

#[derive(Default)]
struct Measured {
    files: usize,
    bytes: usize,
    outlined: usize,
    declarations: usize,
    kept: usize,
    /// Kept bytes of each file, in percent.
    shares: Vec<f64>,
    /// The same, for files of at least [`LARGE_BYTES`].
    large_shares: Vec<f64>,
    names: Vec<String>,
}

fn main() {
    let mut show_missed = false;
    let mut show_files = false;
    let mut languages: BTreeMap<Language, Measured> = BTreeMap::new();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--missed" => show_missed = true,
            "--files" => show_files = true,
            tree => {
                let (name, directory) = tree.split_once('=').expect("a tree is NAME=DIRECTORY");
                measure_tree(name, Path::new(directory), show_missed, show_files, &mut languages);
            }
        }
    }
    println!(
        "| language | trees | files | MB | declarations | kept | median, 2 kB and more | median, all | bytes |"
    );
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (language, mut measured) in languages {
        let median = crate::median(&mut measured.shares);
        let median_large = crate::median(&mut measured.large_shares);
        let kept = match measured.declarations {
            0 => "".to_owned(),
            all => format!("{:.2}%", 100.0 * measured.kept as f64 / all as f64),
        };
        println!(
            "| {language:?} | {} | {} | {:.2} | {} | {kept} | {median_large} | {median} | {:.1}% |",
            measured.names.join(", "),
            measured.files,
            measured.bytes as f64 / 1e6,
            measured.declarations,
            100.0 * measured.outlined as f64 / measured.bytes as f64,
        );
    }
}

fn median(shares: &mut [f64]) -> String {
    shares.sort_by(f64::total_cmp);
    shares.get(shares.len() / 2).map_or("–".to_owned(), |share| format!("{share:.1}%"))
}

fn measure_tree(
    name: &str,
    directory: &Path,
    show_missed: bool,
    show_files: bool,
    languages: &mut BTreeMap<Language, Measured>,
) {
    let mut grammars: BTreeMap<(Language, bool), Option<Grammar>> = BTreeMap::new();
    let entries = walkdir::WalkDir::new(directory).sort_by_file_name().into_iter().filter_map(Result::ok);
    for entry in entries.filter(|entry| entry.file_type().is_file()) {
        let path = entry.path();
        let Some(mut language) = path.to_str().and_then(Language::of_path) else { continue };
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        if language == Language::C && is_cpp(&text) {
            language = Language::Cpp;
        }
        if text.trim().is_empty() || text.len() > MAX_BYTES {
            continue;
        }
        let measured = languages.entry(language).or_default();
        if !measured.names.iter().any(|known| known == name) {
            measured.names.push(name.to_owned());
        }
        // Users of the crate determine the language from the path alone.
        let outline = outline(&text, path.to_str().and_then(Language::of_path).unwrap_or(language));
        let share = 100.0 * outline.render().len() as f64 / text.len() as f64;
        measured.files += 1;
        measured.bytes += text.len();
        measured.outlined += outline.render().len();
        measured.shares.push(share);
        if text.len() >= LARGE_BYTES {
            measured.large_shares.push(share);
        }
        if show_files {
            println!("{share:5.1}% {} {}", text.len(), path.display());
        }
        let has_extension = |wanted: &str| path.extension().is_some_and(|extension| extension == wanted);
        // The CSS grammar does not know the extensions of SCSS and Less.
        if has_extension("scss") || has_extension("less") {
            continue;
        }
        let typed_markup = has_extension("tsx");
        let grammar =
            grammars.entry((language, typed_markup)).or_insert_with(|| Grammar::of(language, typed_markup));
        for declaration in grammar.iter().flat_map(|grammar| declarations(&text, grammar)) {
            let line = declaration.line + 1;
            let omitted = outline.omitted().iter().any(|run| run.first <= line && line <= run.last);
            measured.declarations += 1;
            measured.kept += usize::from(!omitted);
            if omitted && show_missed {
                println!("{}:{line}: {}", path.display(), declaration.name);
            }
        }
    }
}

/// Whether a `.h` file is for C++.
fn is_cpp(text: &str) -> bool {
    let marks = ["namespace ", "template <", "template<", "class ", "public:"];
    text.lines().any(|line| marks.iter().any(|mark| line.trim_start().starts_with(mark)))
}

struct Declaration {
    /// The line, counted from 0.
    line: usize,
    name: String,
}

/// The declarations outside function bodies that the tags query finds.
fn declarations(text: &str, grammar: &Grammar) -> Vec<Declaration> {
    let mut parser = Parser::new();
    parser.set_language(&grammar.language).expect("a grammar of this version");
    let Some(tree) = parser.parse(text, None) else {
        return Vec::new();
    };
    let names = grammar.tags.capture_names();
    let mut found = BTreeMap::new();
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(&grammar.tags, tree.root_node(), text.as_bytes());
    while let Some(one) = matches.next() {
        if !one.captures.iter().any(|capture| names[capture.index as usize].starts_with("definition")) {
            continue;
        }
        for capture in one.captures.iter().filter(|capture| names[capture.index as usize] == "name") {
            let node = capture.node;
            if !grammar.in_function_body(node) {
                let name = text[node.byte_range()].to_owned();
                found.insert(node.start_byte(), Declaration { line: node.start_position().row, name });
            }
        }
    }
    found.into_values().collect()
}

//! Jupyter notebooks as people read them: the text of their cells, and the beginning of their output.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{html, without_styles};
use crate::guard::{LONGEST_DATA_KEPT, length_without_data};
use crate::words::omitted;

/// The extension of a notebook's file name, compared case-insensitively.
pub const EXTENSION: &str = "ipynb";

/// The most lines of a cell's output.
const MOST_LINES: usize = 30;

/// The most bytes of a cell's output, not counting embedded data.
const MOST_BYTES: usize = 2_000;

/// What stands for a page in the output of Python.
const NAME_OF_HTML: &str = "<IPython.core.display.HTML";

/// The parts of a notebook that are used; the rest is not stored at all.
#[derive(Deserialize)]
struct Notebook {
    nbformat: u32,
    /// From version 4 of the format.
    #[serde(default)]
    cells: Vec<Cell>,
    /// Before version 4.
    #[serde(default)]
    worksheets: Vec<Worksheet>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Worksheet {
    #[serde(default)]
    cells: Vec<Cell>,
}

#[derive(Deserialize, Default)]
struct Metadata {
    language_info: Option<LanguageInfo>,
    kernelspec: Option<Kernel>,
}

#[derive(Deserialize)]
struct LanguageInfo {
    name: Option<String>,
}

#[derive(Deserialize)]
struct Kernel {
    language: Option<String>,
}

#[derive(Deserialize)]
struct Cell {
    cell_type: String,
    source: Option<CellSource>,
    /// The source of a code cell before version 4, instead of `source`.
    input: Option<CellSource>,
    #[serde(default)]
    outputs: Vec<Output>,
    /// The pictures in the text, by their names.
    #[serde(default)]
    attachments: BTreeMap<String, BTreeMap<String, CellSource>>,
    /// How many cells had run when this one did.
    execution_count: Option<CellNumber>,
    /// The same before version 4.
    prompt_number: Option<CellNumber>,
}

/// A number; anything else doesn't count.
#[derive(Deserialize)]
#[serde(untagged)]
enum CellNumber {
    Number(u64),
    Other(IgnoredAny),
}

impl CellNumber {
    fn number(&self) -> Option<u64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Other(_) => None,
        }
    }
}

#[derive(Deserialize)]
struct Output {
    /// For a stream; before version 4, for any output.
    text: Option<CellSource>,
    data: Option<Data>,
    ename: Option<String>,
    evalue: Option<String>,
}

#[derive(Deserialize)]
struct Data {
    #[serde(rename = "text/plain")]
    plain: Option<CellSource>,
    /// The same in other types.
    #[serde(flatten)]
    other: BTreeMap<String, CellSource>,
}

/// Text, as one string or a list of lines with their newlines; anything else counts as empty.
#[derive(Deserialize)]
#[serde(untagged)]
enum CellSource {
    Whole(String),
    Split(Vec<String>),
    Other(IgnoredAny),
}

impl CellSource {
    fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Whole(text) => Cow::Borrowed(text),
            Self::Split(lines) => Cow::Owned(lines.concat()),
            Self::Other(_) => Cow::Borrowed(""),
        }
    }
}

/// The cells of a notebook as Markdown: text unchanged, code in fences with the number that errors cite, and the beginning
/// of the code's output below. `None` if it is not a notebook.
pub fn rendered(json: &str) -> Option<String> {
    let notebook: Notebook = serde_json::from_str(json).ok()?;
    if notebook.nbformat == 0 {
        return None;
    }
    let Metadata { language_info, kernelspec } = notebook.metadata;
    let language = language_info.and_then(|info| info.name).or(kernelspec.and_then(|kernel| kernel.language));
    let language = language.unwrap_or_default();
    let mut text = String::with_capacity(json.len() / 4);
    let below = notebook.worksheets.iter().flat_map(|worksheet| &worksheet.cells);
    for cell in notebook.cells.iter().chain(below) {
        let source = cell.source.as_ref().or(cell.input.as_ref()).map(CellSource::text).unwrap_or_default();
        match cell.cell_type.as_str() {
            "code" => {
                let number = cell
                    .execution_count
                    .as_ref()
                    .or(cell.prompt_number.as_ref())
                    .and_then(CellNumber::number);
                fenced(&mut text, &language, number, &source);
                let printed = printed(&cell.outputs);
                let plain = without_styles(printed.as_bytes());
                fenced(&mut text, "text", None, &beginning(&String::from_utf8_lossy(&plain)));
            }
            _ => paragraph(&mut text, &with_attachments(&source, &cell.attachments)),
        }
    }
    Some(text)
}

fn paragraph(text: &mut String, source: &str) {
    let source = source.trim_end();
    if !source.is_empty() {
        let gap = if text.is_empty() { "" } else { "\n" };
        let _ = writeln!(text, "{gap}{source}");
    }
}

/// The text of a cell with its pictures as embedded data, which documents leave out.
fn with_attachments<'s>(
    source: &'s str,
    attachments: &BTreeMap<String, BTreeMap<String, CellSource>>,
) -> Cow<'s, str> {
    let mut text = Cow::Borrowed(source);
    for (name, types) in attachments {
        if let Some(picture) = picture(types) {
            text = text.replace(&format!("(attachment:{name})"), &format!("({picture})")).into();
        }
    }
    text
}

/// A picture as embedded data, if it is in one of these types and takes more than a few bytes.
fn picture(types: &BTreeMap<String, CellSource>) -> Option<String> {
    let (kind, data) = types.iter().find(|(kind, _)| kind.starts_with("image/") && !kind.ends_with("xml"))?;
    let mut data = data.text().into_owned();
    data.retain(|char| !char.is_ascii_whitespace());
    (data.len() > LONGEST_DATA_KEPT).then(|| format!("data:{kind};base64,{data}"))
}

/// Appends code between fences that are longer than any run of backticks in it.
fn fenced(text: &mut String, language: &str, number: Option<u64>, source: &str) {
    let source = source.trim_end();
    if !source.is_empty() {
        let fence = "`".repeat(longest_run(source).max(2) + 1);
        let language = language.split_whitespace().next().unwrap_or_default();
        let number = number.map_or_else(String::new, |number| format!(" In [{number}]"));
        paragraph(text, &format!("{fence}{language}{number}\n{source}\n{fence}"));
    }
}

/// The length of the longest run of backticks.
fn longest_run(source: &str) -> usize {
    source.split(|char| char != '`').map(str::len).max().unwrap_or(0)
}

/// The output of a cell, without parts that are not text.
fn printed(outputs: &[Output]) -> String {
    let mut text = String::new();
    for output in outputs {
        let plain = output.data.as_ref().and_then(|data| data.plain.as_ref());
        let lines = output.text.as_ref().or(plain).map(CellSource::text).unwrap_or_default();
        let lines = if lines.starts_with(NAME_OF_HTML) { Cow::Borrowed("") } else { lines };
        let error = output.ename.as_ref().map(|name| match output.evalue.as_deref().unwrap_or_default() {
            "" => name.clone(),
            value => format!("{name}: {value}"),
        });
        let others = output.data.as_ref().map(|data| &data.other);
        let picture = others.and_then(picture);
        let page = others.and_then(|others| others.get("text/html")).filter(|_| lines.is_empty());
        let page = page.map(|page| html::text_of(&page.text())).unwrap_or_default();
        for part in [&*lines, &page, &picture.unwrap_or_default(), &error.unwrap_or_default()] {
            if !part.is_empty() {
                text.push_str(part);
                if !part.ends_with('\n') {
                    text.push('\n');
                }
            }
        }
    }
    text
}

/// As many whole lines as there is room for, so that no secret is cut in two.
fn beginning(printed: &str) -> Cow<'_, str> {
    let (mut end, mut shown) = (0, 0);
    let mut lines = printed.split_inclusive('\n');
    let mut taken = 0;
    for line in lines.by_ref().take(MOST_LINES) {
        shown += length_without_data(line);
        if shown > MOST_BYTES {
            break;
        }
        end += line.len();
        taken += 1;
    }
    match printed.split_inclusive('\n').count() - taken {
        0 => Cow::Borrowed(printed),
        left => Cow::Owned(format!("{}{}\n", &printed[..end], omitted(left as u64, "line"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTEBOOK: &str = r##"{
 "cells": [
  {"cell_type": "markdown", "metadata": {}, "source": ["# Sales\n", "\n", "By month."]},
  {"cell_type": "code", "execution_count": 1, "metadata": {}, "source": "plot(\"a\")\n", "outputs": [
   {"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo=", "text/plain": ["<Figure>"]}},
   {"output_type": "stream", "name": "stdout", "text": ["one\n", "two\n"]},
   {"output_type": "error", "ename": "KeyError", "evalue": "'x'", "traceback": ["\u001b[31m"]}
  ]},
  {"cell_type": "code", "execution_count": "x", "source": ["s = '```'"], "outputs": []},
  {"cell_type": "raw", "source": ["raw"]},
  {"cell_type": "code", "source": [], "outputs": [{"output_type": "execute_result", "data": {"text/html": "<b>"}}]}
 ],
 "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}"##;

    #[test]
    fn cells_are_markdown_with_the_text_of_their_outputs() {
        assert_eq!(
            rendered(NOTEBOOK).unwrap(),
            "# Sales\n\nBy month.\n\n```python In [1]\nplot(\"a\")\n```\n\n```text\n<Figure>\none\ntwo\nKeyError: 'x'\n```\n\n\
             ````python\ns = '```'\n````\n\nraw\n"
        );
    }

    #[test]
    fn output_that_is_only_a_page_is_its_text() {
        let output = |data: &str| {
            let outputs = format!("[{{\"output_type\": \"display_data\", \"data\": {data}}}]");
            let cell = format!("{{\"cell_type\": \"code\", \"source\": [], \"outputs\": {outputs}}}");
            rendered(&format!("{{\"nbformat\": 4, \"cells\": [{cell}]}}")).unwrap()
        };
        let page = r#""text/html": ["<p>result 42</p>", "<img src='data:image/png;base64,iVBO'>"]"#;
        let text = "```text\nresult 42\ndata:image/png;base64,iVBO\n```\n";
        assert_eq!(output(&format!("{{{page}}}")), text);
        assert_eq!(
            output(&format!(r#"{{{page}, "text/plain": "<IPython.core.display.HTML object>"}}"#)),
            text
        );
        assert_eq!(output(&format!(r#"{{{page}, "text/plain": "7"}}"#)), "```text\n7\n```\n");
    }

    #[test]
    fn older_notebook_formats_are_read() {
        let json = r#"{"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": "1+1", "prompt_number": 7,
            "outputs": [{"output_type": "pyout", "text": ["2"]}]}]}]}"#;
        assert_eq!(rendered(json).unwrap(), "``` In [7]\n1+1\n```\n\n```text\n2\n```\n");
    }

    #[test]
    fn json_that_is_not_a_notebook_is_not_rendered() {
        for json in
            ["", "{}", "[]", r#"{"cells": []}"#, r#"{"nbformat": 0}"#, r#"{"nbformat": 4, "cells": 1}"#]
        {
            assert_eq!(rendered(json), None, "{json}");
        }
        assert_eq!(rendered(&"[".repeat(1 << 20)), None);
    }

    #[test]
    fn long_outputs_are_cut_at_line_ends() {
        let many: String = (1..=40).map(|number| format!("{number}\n")).collect();
        assert!(beginning(&many).ends_with("30\n[… 10 lines omitted …]\n"));
        let long = format!("short\n{}\n", "x".repeat(MOST_BYTES));
        assert_eq!(beginning(&long), "short\n[… 1 line omitted …]\n");
        assert_eq!(beginning("one\n"), "one\n");
        let data = format!("data:image/png;base64,{}\nafter\n", "A".repeat(MOST_BYTES));
        assert_eq!(beginning(&data), data);
    }
}

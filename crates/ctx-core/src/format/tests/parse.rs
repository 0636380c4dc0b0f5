//! Parses blocks, to prove that nothing in a document can be taken for a part of the frame.

use crate::format::{Change, Format, Id};

/// A parsed label and text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed {
    /// The label.
    pub label: String,
    /// The text.
    pub text: String,
}

/// Parses a block without a prompt. `labels` are the documents' labels, in order, as in a manifest; only the plain
/// form of `text` needs them.
pub fn parse(format: Format, id: Option<Id>, labels: &[&str], block: &str) -> Vec<Parsed> {
    if block.is_empty() {
        return Vec::new();
    }
    match format {
        Format::Text => text(id, labels, block),
        Format::Markdown => markdown(id, block),
        Format::Xml => xml(id, block),
        Format::Json => json(block),
        Format::Messages => messages(id, labels, block),
    }
}

/// The text as printed by formats that end every document with a newline.
pub fn ended(text: &str) -> String {
    text.to_owned() + crate::format::missing_newline(text)
}

fn text(id: Option<Id>, labels: &[&str], block: &str) -> Vec<Parsed> {
    let id_and = |blank: &str| id.map(|id| format!("{id}{blank}")).unwrap_or_default();
    let lines: Vec<&str> = block.split_inclusive('\n').collect();
    let changed = "--- CONTEXT FILES CHANGED ";
    let files = if block.starts_with(changed) { changed } else { "--- CONTEXT FILES " };
    assert_eq!(lines.first(), Some(&format!("{files}BEGIN {}---\n", id_and(" ")).as_str()));
    let end = format!("{files}END {}---\n", id_and(" "));
    let is_label = |line: &str, label: &str| {
        let marked = |mark: String| line == format!("[{}{label}{mark}]\n", id_and(" "));
        if files == changed {
            Change::ALL.into_iter().any(|change| marked(format!(": {change}")))
        } else {
            marked(String::new())
        }
    };
    let end = lines.iter().position(|line| *line == end).expect("the boundary");
    let lines = &lines[1..end];
    let mut parsed: Vec<Parsed> = Vec::new();
    for line in lines {
        if labels.get(parsed.len()).is_some_and(|label| is_label(line, label)) {
            if let Some(Parsed { text, .. }) = parsed.last_mut() {
                assert!(text == "\n" || text.ends_with("\n\n"), "a blank line stands between files");
                text.pop();
            }
            parsed.push(Parsed { label: labels[parsed.len()].to_owned(), text: String::new() });
        } else if let Some(Parsed { text, .. }) = parsed.last_mut() {
            text.push_str(line);
        }
    }
    parsed
}

fn markdown(id: Option<Id>, block: &str) -> Vec<Parsed> {
    let mut parsed = Vec::new();
    let mut lines = block.split_inclusive('\n');
    let mut label = None;
    while let Some(line) = lines.next() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        let line = line.strip_suffix('\n').expect("every line ends");
        if line.is_empty() {
            continue;
        }
        if line.starts_with("## ") {
            break;
        }
        if label.is_none() && line.ends_with(&"`".repeat(ticks)) && line.len() > 2 * ticks {
            label = Some(unpadded(&line[ticks..line.len() - ticks]).to_owned());
            continue;
        }
        assert!(ticks >= 3, "a fence: {line}");
        let fence = format!("{}\n", "`".repeat(ticks));
        let text: String = lines.by_ref().take_while(|line| *line != fence).collect();
        if let Some(label) = label.take() {
            let label = match id {
                Some(id) => label.strip_prefix(&format!("{id} ")).expect("the label's id").to_owned(),
                None => label,
            };
            parsed.push(Parsed { label, text });
        }
    }
    parsed
}

pub(super) fn unpadded(span: &str) -> &str {
    let blank = span.bytes().all(|byte| byte == b' ');
    match span.strip_prefix(' ').and_then(|span| span.strip_suffix(' ')) {
        Some(inner) if !blank => inner,
        Some(_) | None => span,
    }
}

fn xml(id: Option<Id>, block: &str) -> Vec<Parsed> {
    let id = id.map(|id| format!("-{id}")).unwrap_or_default();
    let rest = block.strip_prefix(&format!("<documents{id}>\n")).expect("the opening");
    let close = format!("</tree{id}>\n");
    let gone = format!("<document{id} status=\"gone\">");
    let end = format!("</document{id}>\n");
    let mut rest = rest;
    while rest.starts_with(&gone) {
        rest = rest.split_once(&end).expect("the end of what is gone").1;
    }
    let mut rest = match rest.strip_prefix(&format!("<tree{id}>\n")) {
        Some(rest) => &rest[rest.find(&close).expect("the tree's end") + close.len()..],
        None => rest,
    };
    let mut parsed: Vec<Parsed> = Vec::new();
    let take = |rest: &mut &str, until: &str| {
        let (taken, after) = rest.split_once(until).unwrap_or_else(|| panic!("{until} in {rest}"));
        *rest = after;
        taken.to_owned()
    };
    while !rest.starts_with(&format!("</documents{id}>\n")) {
        let open = take(&mut rest, &format!(">\n<source{id}>"));
        let plain = format!("<document{id} index=\"{}\"", parsed.len() + 1);
        let marked = |change: Change| open == format!("{plain} status=\"{change}\"");
        assert!(open == plain || Change::ALL.into_iter().any(marked), "{open}");
        let label = take(&mut rest, &format!("</source{id}>\n<document_content{id}>\n"));
        let text = take(&mut rest, &format!("\n</document_content{id}>\n</document{id}>\n"));
        let label = label.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
        parsed.push(Parsed { label, text });
    }
    parsed
}

fn json(block: &str) -> Vec<Parsed> {
    let value: serde_json::Value = serde_json::from_str(block).expect("JSON");
    let documents = value["documents"].as_array().expect("a list").iter();
    let string = |value: &serde_json::Value| value.as_str().expect("a string").to_owned();
    documents
        .map(|document| Parsed { label: string(&document["path"]), text: string(&document["content"]) })
        .collect()
}

/// The documents are at the start of the first user message.
fn messages(id: Option<Id>, labels: &[&str], block: &str) -> Vec<Parsed> {
    let value: serde_json::Value = serde_json::from_str(block).expect("JSON");
    let mut messages = value.as_array().expect("a list").iter();
    let first = messages.find(|message| message["role"] == "user").expect("a message of the user");
    let content = first["content"].as_str().expect("a string");
    let end = format!("--- CONTEXT FILES END {}---", id.map(|id| format!("{id} ")).unwrap_or_default());
    let lines = content.split_inclusive('\n').take_while(|line| line.trim_end_matches('\n') != end);
    text(id, labels, &(lines.collect::<String>() + &end + "\n"))
}

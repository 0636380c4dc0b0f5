//! Parses printed blocks as a program that has only the block and its account would.
//!
//! Shares no code with the formats: forged contents have to deceive this reader.

use serde_json::Value;

/// A label and its text, as parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    pub label: String,
    /// In `text` and `markdown`, includes the newline that the block adds to text that ends without one.
    pub text: String,
}

/// Parses a block without a prompt and without a tree. `labels` are those of the account, in order; only plain
/// `text` needs them.
pub fn parse(format: &str, labels: &[&str], block: &str) -> Result<Vec<Document>, String> {
    match format {
        _ if block.is_empty() => Ok(Vec::new()),
        "text" => text(labels, block),
        "markdown" => markdown(labels, block),
        "xml" => xml(block),
        "json" => json(block),
        "messages" => messages(labels, block),
        other => Err(format!("no such format: {other}")),
    }
}

fn required<T>(value: Option<T>, what: &str) -> Result<T, String> {
    value.ok_or_else(|| format!("{what} is missing"))
}

fn text(labels: &[&str], block: &str) -> Result<Vec<Document>, String> {
    let (first, rest) = required(block.split_once('\n'), "the first line")?;
    let id = required(
        first.strip_prefix("--- CONTEXT FILES BEGIN ").and_then(|id| id.strip_suffix("---")),
        "BEGIN",
    )?;
    let end = format!("--- CONTEXT FILES END {id}---\n");
    let body = required(rest.strip_suffix(&end), "END")?;
    if format!("\n{body}").contains(&format!("\n{end}")) {
        return Err("a second END".to_owned());
    }
    let starts: Vec<String> = labels.iter().map(|label| format!("[{id}{label}]\n")).collect();
    let mut documents: Vec<Document> = Vec::new();
    for line in body.split_inclusive('\n') {
        match starts.iter().position(|start| start == line) {
            Some(place) if place == documents.len() => {
                if let Some(before) = documents.last_mut() {
                    before.text = required(before.text.strip_suffix('\n'), "a blank line")?.to_owned();
                }
                documents.push(Document { label: labels[place].to_owned(), text: String::new() });
            }
            Some(_) => return Err(format!("the label {line:?} out of order")),
            None => required(documents.last_mut(), "the first label")?.text.push_str(line),
        }
    }
    Ok(documents)
}

fn markdown(labels: &[&str], block: &str) -> Result<Vec<Document>, String> {
    let mut documents = Vec::new();
    let mut rest = block;
    while !rest.is_empty() {
        rest = rest.strip_prefix('\n').filter(|_| !documents.is_empty()).unwrap_or(rest);
        let (line, after) = required(rest.split_once('\n'), "a line end")?;
        let label = code_span(line).ok_or_else(|| format!("not a code span: {line:?}"))?;
        let after = required(after.strip_prefix('\n'), "the blank line after a label")?;
        let (open, after) = required(after.split_once('\n'), "a line end")?;
        let fence: String = open.chars().take_while(|char| *char == '`').collect();
        if fence.len() < 3 || open[fence.len()..].contains('`') {
            return Err(format!("not a fence: {open:?}"));
        }
        // The first line that is a fence of at least the same length closes it.
        let closes = |line: &str| {
            let line = line.trim();
            line.len() >= fence.len() && line.bytes().all(|byte| byte == b'`')
        };
        let text: String = after.split_inclusive('\n').take_while(|line| !closes(line)).collect();
        let closing = required(after[text.len()..].split_once('\n'), "the closing fence")?;
        rest = closing.1;
        let known = labels.get(documents.len()).copied().unwrap_or_default();
        let guarded = label.split_once(' ').map(|(_, label)| label);
        let label = if guarded == Some(known) && label != known { known.to_owned() } else { label };
        documents.push(Document { label, text });
    }
    Ok(documents)
}

/// The contents of a line that is a single code span, by CommonMark's rules.
fn code_span(line: &str) -> Option<String> {
    let ticks = line.len() - line.trim_start_matches('`').len();
    let inner = line.get(ticks..line.len().checked_sub(ticks)?).filter(|_| ticks > 0)?;
    if !line.ends_with(&"`".repeat(ticks)) || inner.is_empty() {
        return None;
    }
    let runs = inner.split(|char| char != '`').map(str::len);
    if runs.into_iter().any(|run| run == ticks) || inner.ends_with('`') {
        return None;
    }
    let blank = inner.bytes().all(|byte| byte == b' ');
    let padded = inner.strip_prefix(' ').and_then(|inner| inner.strip_suffix(' ')).filter(|_| !blank);
    Some(padded.unwrap_or(inner).to_owned())
}

fn xml(block: &str) -> Result<Vec<Document>, String> {
    let id =
        required(block.strip_prefix("<documents").and_then(|rest| rest.split_once(">\n")), "<documents>")?.0;
    let end = format!("</documents{id}>\n");
    let mut rest = required(block.strip_prefix(&format!("<documents{id}>\n")), "<documents>")?;
    let mut documents = Vec::new();
    while rest != end {
        let open = format!("<document{id} index=\"{}\">\n<source{id}>", documents.len() + 1);
        let source = required(rest.strip_prefix(&open), &open)?;
        let (label, content) =
            required(source.split_once(&format!("</source{id}>\n<document_content{id}>\n")), "source")?;
        // The first closing element ends it: the text can't contain one.
        let (text, after) = required(content.split_once(&format!("\n</document_content{id}>")), "content")?;
        rest = required(after.strip_prefix(&format!("\n</document{id}>\n")), "</document>")?;
        let label = label.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
        documents.push(Document { label, text: text.to_owned() });
    }
    Ok(documents)
}

fn json(block: &str) -> Result<Vec<Document>, String> {
    let value: Value = serde_json::from_str(block).map_err(|error| error.to_string())?;
    let string = |value: &Value| required(value.as_str().map(str::to_owned), "a string");
    let documents = required(value["documents"].as_array(), "documents")?.iter();
    documents
        .map(|one| Ok(Document { label: string(&one["path"])?, text: string(&one["content"])? }))
        .collect()
}

/// One user message that contains a text block.
fn messages(labels: &[&str], block: &str) -> Result<Vec<Document>, String> {
    let value: Value = serde_json::from_str(block).map_err(|error| error.to_string())?;
    match value.as_array().map(Vec::as_slice) {
        Some([message]) if message["role"] == "user" => {
            let content = required(message["content"].as_str(), "a string")?;
            text(labels, &format!("{content}\n"))
        }
        Some(_) | None => Err("not one message of the user".to_owned()),
    }
}

/// Whether `printed` is the text that the account hashed, possibly with an added newline.
pub fn has_hash(printed: &str, sha256: &str) -> bool {
    use sha2::{Digest, Sha256};
    use std::fmt::Write as _;

    let hash = |text: &str| {
        Sha256::digest(text).iter().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    };
    hash(printed) == sha256 || printed.strip_suffix('\n').is_some_and(|printed| hash(printed) == sha256)
}

/// Checks that documents follow each other from the first range to the last, each between newlines.
fn ranges(block: &str, files: &[&Value]) -> Result<(), String> {
    let range = |file: &&Value| Some((file["range"][0].as_u64()?, file["range"][1].as_u64()?));
    let ranges: Vec<(u64, u64)> = files.iter().filter_map(range).collect();
    let joined = ranges.windows(2).all(|pair| pair[0].1 == pair[1].0);
    let starts = |at: u64| [at.wrapping_sub(1), at, at + 1].iter().any(|&at| is_line_end(block, at));
    let cut = ranges.iter().all(|&(start, end)| start < end && starts(end) && (start == 0 || starts(start)));
    if ranges.len() == files.len() && joined && cut { Ok(()) } else { Err(format!("ranges {ranges:?}")) }
}

fn is_line_end(block: &str, at: u64) -> bool {
    usize::try_from(at).is_ok_and(|at| block.as_bytes().get(at) == Some(&b'\n'))
}

/// Compares a printed block with its account: labels, order, contents, tokens and the budget.
///
/// # Errors
/// Any disagreement.
pub fn check(block: &str, account: &Value, count: impl Fn(&str) -> u64) -> Result<(), String> {
    let printed =
        |file: &&Value| matches!(file["status"].as_str(), Some("included" | "outlined" | "truncated"));
    let files: Vec<&Value> = account["files"].as_array().into_iter().flatten().filter(printed).collect();
    let labels: Vec<&str> = files.iter().filter_map(|file| file["path"].as_str()).collect();
    let documents = parse(account["format"].as_str().unwrap_or_default(), &labels, block)?;
    let found: Vec<&str> = documents.iter().map(|document| document.label.as_str()).collect();
    if found != labels {
        return Err(format!("labels {found:?} instead of {labels:?}"));
    }
    for (document, file) in documents.iter().zip(&files) {
        if !has_hash(&document.text, file["sha256"].as_str().unwrap_or_default()) {
            return Err(format!("the text of {} is {:?}", file["path"], document.text));
        }
    }
    // In the format `messages`, all documents are on one line.
    if account["format"] != "messages" {
        ranges(block, &files)?;
    }
    let tokens = count(block);
    if account["tokens"]["block"].as_u64() != Some(tokens) {
        return Err(format!("{tokens} tokens, not {}", account["tokens"]["block"]));
    }
    match account["budget"].as_u64() {
        Some(budget) if tokens > budget => Err(format!("{tokens} tokens are over {budget}")),
        Some(_) | None => Ok(()),
    }
}

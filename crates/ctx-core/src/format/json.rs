//! One JSON object, a line for each document.

use std::borrow::Cow;

use super::{Document, Frame, Joint, Style};

pub(super) struct Json;

impl Style for Json {
    fn opening(&self, frame: &Frame<'_>) -> String {
        match frame.tree {
            Some(tree) => format!("{{\"tree\":{},\n\"documents\":[", quoted(tree)),
            None => "{\"documents\":[".to_owned(),
        }
    }

    fn joint(&self, _: &Frame<'_>, joint: Joint) -> String {
        match joint {
            Joint::First => "\n".to_owned(),
            Joint::Between => ",\n".to_owned(),
        }
    }

    fn before(&self, _: &Frame<'_>, document: &Document<'_>) -> String {
        format!("{{\"path\":{},\"content\":\"", quoted(document.label))
    }

    fn body<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let quoted = quoted(text);
        Cow::Owned(quoted[1..quoted.len() - 1].to_owned())
    }

    fn after(&self, _: &Frame<'_>, _: &Document<'_>) -> String {
        "\"}".to_owned()
    }

    fn closing(&self, _: &Frame<'_>, prompt: Option<&str>) -> String {
        match prompt {
            Some(prompt) => format!("\n],\"prompt\":{}}}\n", quoted(prompt)),
            None => "\n]}\n".to_owned(),
        }
    }

    fn prompt_alone(&self, prompt: &str) -> String {
        format!("{{\"documents\":[],\"prompt\":{}}}\n", quoted(prompt))
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

//! The text of HTML that programs print: without tags, scripts and styles. Pictures stay as embedded data, which documents
//! leave out.

/// The elements whose text nobody reads.
const UNSEEN: [&str; 2] = ["script", "style"];

/// The elements after which no line ends.
const INLINE: [&str; 12] =
    ["a", "b", "code", "em", "font", "i", "small", "span", "strong", "sub", "sup", "u"];

/// The elements between which a few blanks are enough.
const CELLS: [&str; 2] = ["td", "th"];

/// The text of HTML, in lines without blanks around them.
pub fn text_of(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some((before, tag)) = rest.split_once('<') {
        text.push_str(before);
        let (tag, after) = tag.split_once('>').unwrap_or((tag, ""));
        let name = tag
            .trim_start_matches('/')
            .split(|char: char| !char.is_alphanumeric())
            .next()
            .unwrap_or_default();
        let name = name.to_lowercase();
        let is_unseen = UNSEEN.contains(&&*name) && !tag.starts_with('/');
        rest = if is_unseen { after_element(after, &name) } else { after };
        if let Some(picture) = picture_in(tag) {
            text.push_str(picture);
        }
        match &*name {
            name if INLINE.contains(&name) => {}
            name if CELLS.contains(&name) => text.push(' '),
            _ => text.push('\n'),
        }
    }
    text.push_str(rest);
    let text =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&")]
            .into_iter()
            .fold(text, |text, (entity, char)| text.replace(entity, char));
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// What follows an element that has begun.
fn after_element<'h>(html: &'h str, name: &str) -> &'h str {
    let ends = html.match_indices("</").map(|(at, _)| &html[at + 2..]);
    let is_end = |rest: &&str| rest.get(..name.len()).is_some_and(|end| end.eq_ignore_ascii_case(name));
    let end = ends.into_iter().find(is_end);
    end.and_then(|rest| Some(rest.split_once('>')?.1)).unwrap_or("")
}

/// A picture that a tag embeds.
fn picture_in(tag: &str) -> Option<&str> {
    let data = &tag[tag.find("data:image/")?..];
    Some(data.split(['"', '\'', ' ']).next().unwrap_or(data))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_without_tags_scripts_and_styles() {
        for (html, expected) in [
            ("<p>result <b>42</b></p><style>p { color: red }</style>", "result 42"),
            (
                "<table><tr><th>a</th><th>b</th></tr>\n<tr><td>1 &lt; 2</td><td>x</td></tr></table>",
                "a b\n1 < 2 x",
            ),
            ("<div><SCRIPT type='x'>if (a < b) {}</script>shown</div>", "shown"),
            ("<img src=\"data:image/png;base64,iVBO\" alt=x>", "data:image/png;base64,iVBO"),
            ("<script>never ends", ""),
            ("a < b", "a"),
            ("plain", "plain"),
        ] {
            assert_eq!(text_of(html), expected, "{html}");
        }
    }
}

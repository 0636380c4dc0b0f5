//! Patterns as people write them for other programs: lists with commas or blanks, extended globs, backslashes.

use super::braces::class_end;

/// The patterns that say here what a pattern says elsewhere; `None` if it is written as patterns are here.
#[must_use]
pub fn as_here(text: &str) -> Option<Vec<String>> {
    let mut reader = Reader { done: Vec::new(), part: String::new(), open: Vec::new() };
    let mut at = 0;
    while let Some(next) = text[at..].chars().next() {
        let class = (next == '[').then(|| class_end(&text[at..])).flatten();
        let is_group = "@+*?".contains(next) && text[at + 1..].starts_with('(');
        let length = class.unwrap_or(if is_group { 2 } else { next.len_utf8() });
        match class {
            Some(_) => reader.part.push_str(&text[at..at + length]),
            None if is_group => reader.begin_group(next),
            None => reader.take(next),
        }
        at += length;
    }
    reader.end_part();
    let is_changed = reader.done.len() != 1 || reader.done[0] != text;
    (is_changed && reader.open.is_empty() && !reader.done.is_empty()).then_some(reader.done)
}

/// The text read so far.
struct Reader {
    /// The finished patterns.
    done: Vec<String>,
    /// The pattern that is being read.
    part: String,
    /// The brackets around the alternatives that are being read.
    open: Vec<char>,
}

impl Reader {
    fn take(&mut self, char: char) {
        match (char, self.open.last()) {
            ('{', _) => self.begin(char),
            ('}', Some('{')) | (')', Some('(')) => {
                self.open.pop();
                self.separate('}');
            }
            (',', Some('{')) | ('|', Some('(')) => self.separate(','),
            (',', None) => self.end_part(),
            (blank, None) if blank.is_whitespace() => self.end_part(),
            (blank, Some(_)) if blank.is_whitespace() && self.part.ends_with(['{', ',']) => {}
            ('\\', _) => self.part.push('/'),
            (char, _) => self.part.push(char),
        }
    }

    /// Begins alternatives with this bracket.
    fn begin(&mut self, bracket: char) {
        self.open.push(bracket);
        self.part.push('{');
    }

    /// Begins the alternatives of an extended glob, which are optional after some characters.
    fn begin_group(&mut self, before: char) {
        self.begin('(');
        if matches!(before, '?' | '*') {
            self.part.push(',');
        }
    }

    /// Adds a character between alternatives or after the last, without the blanks in front of it.
    fn separate(&mut self, char: char) {
        self.part.truncate(self.part.trim_end().len());
        self.part.push(char);
    }

    fn end_part(&mut self) {
        let part = std::mem::take(&mut self.part);
        self.done.extend((!part.is_empty()).then_some(part));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_other_programs_become_patterns_of_ours() {
        for (text, expected) in [
            ("a,b/**", &["a", "b/**"][..]),
            ("vendor, node_modules", &["vendor", "node_modules"]),
            ("*.rs *.md", &["*.rs", "*.md"]),
            ("**/{__tests__, theme }/**", &["**/{__tests__,theme}/**"]),
            ("src/*.@(ts|tsx)", &["src/*.{ts,tsx}"]),
            ("+(vendor|lib)/**", &["{vendor,lib}/**"]),
            ("src/?(a|b).ts", &["src/{,a,b}.ts"]),
            ("src/?(x)", &["src/{,x}"]),
            ("src/a*(b).ts", &["src/a{,b}.ts"]),
            ("src/*.{ts, js}", &["src/*.{ts,js}"]),
            (r"src\gen\**", &["src/gen/**"]),
            ("[,]x,{a,b}", &["[,]x", "{a,b}"]),
        ] {
            assert_eq!(as_here(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn other_patterns_mean_what_they_say() {
        for text in ["src/**", "{a,b}/*.rs", "[, ]x", "a(b)", "@scope/x", ",", "{a, b", ""] {
            assert_eq!(as_here(text), None, "{text}");
        }
    }
}

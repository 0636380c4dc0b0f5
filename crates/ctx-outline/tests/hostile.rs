//! Any text has an outline: no panic, no lost line, the same result twice, without excessive work.

use ctx_outline::{Language, Outline, outline};

/// Checks the properties of every outline, and returns it.
fn check(text: &str, language: Language) -> Outline<'_> {
    let found = outline(text, language);
    let line_count = text.split_inclusive('\n').count();
    assert_eq!(found.line_count(), line_count);

    let mut runs: Vec<_> = found.kept().chain(found.omitted().iter().copied()).collect();
    runs.sort_unstable();
    let mut next = 1;
    for run in &runs {
        assert_eq!(run.first, next, "{language:?}: lines are missing or doubled in {runs:?}");
        next = run.last + 1;
    }
    assert_eq!(next, line_count + 1, "{language:?}");
    assert!(found.omitted().windows(2).all(|pair| pair[0].last + 1 < pair[1].first));

    assert!(found.render().len() * 10 <= text.len() * 9 || found.render() == text, "{language:?}");
    assert_eq!(rendered_by_hand(text, &found), found.render(), "{language:?}");
    for declaration in found.declarations() {
        let lines = declaration.lines;
        assert!(
            1 <= lines.first && lines.first <= lines.last && lines.last <= line_count,
            "{language:?} {declaration:?}"
        );
    }
    assert_eq!(found, outline(text, language));
    found
}

fn rendered_by_hand(text: &str, outline: &Outline<'_>) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut rendered = String::new();
    for (at, line) in lines.iter().enumerate() {
        match outline.omitted().iter().find(|run| run.first <= at + 1 && at < run.last) {
            None => rendered.push_str(line),
            Some(run) if run.first == at + 1 => {
                rendered.push_str(&format!(
                    "[… {} {} omitted …]",
                    run.count(),
                    if run.count() == 1 { "line" } else { "lines" }
                ));
                let newline = run.last < lines.len() || text.ends_with('\n');
                rendered.push_str(if newline { "\n" } else { "" });
            }
            Some(_) => {}
        }
    }
    rendered
}

/// A small source of pseudo-random numbers (xorshift), the same on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit.max(1) as u64).unwrap_or(0)
    }
}

const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    "\"",
    "'",
    "`",
    "\"\"\"",
    "'''",
    "/*",
    "*/",
    "//",
    "#",
    "--",
    "--[[",
    "]]",
    "\\",
    "\n",
    "\r\n",
    "    ",
    "\t",
    ";",
    ",",
    ":",
    "=",
    "=>",
    "->",
    ".",
    "::",
    "@",
    "$",
    "${",
    "#{",
    "\\(",
    "?>",
    "<?php",
    "r#\"",
    "\"#",
    "R\"x(",
    ")x\"",
    "@\"",
    "$\"",
    "<<<EOT",
    "<<~EOT",
    "EOT",
    "é",
    "漢",
    "\u{feff}",
    "fn f",
    "def f",
    "class A",
    "function",
    "end",
    "do |x|",
    "if x",
    "#if A",
    "#else",
    "#endif",
    "#define F(x) \\",
    "impl",
    "enum E",
    "new",
    "val x",
    "export const",
    "async",
    "```",
    "# Title",
    "<script>",
    "</script>",
    "<template>",
    "</style>",
    "@media a {",
    "url(",
    "f() {",
    "<<-EOT",
    "---",
    "===",
    "- ",
    "key: |",
    "[table]",
    "'a",
    "/re[/",
    "license",
    "return",
    "import",
    "=begin",
    "=end",
    "__END__",
    "macro_rules! m",
    "struct S",
    "interface",
    "namespace n",
    "\0",
];

const SEED_TEXT: &str = include_str!("hostile.rs");

#[test]
fn outline_random_pieces_keeps_every_line() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for round in 0..1500 {
        let mut text = String::new();
        for _ in 0..random.below(120) {
            text.push_str(PIECES[random.below(PIECES.len())]);
            if random.below(3) == 0 {
                text.push(' ');
            }
        }
        check(&text, Language::ALL[round % Language::ALL.len()]);
    }
}

#[test]
fn outline_mutated_source_keeps_every_line() {
    let mut random = Random(0x1234_5678_9abc_def1);
    for round in 0..400 {
        let mut text = SEED_TEXT.to_owned();
        for _ in 0..=random.below(8) {
            let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let at = boundaries[random.below(boundaries.len())];
            match random.below(3) {
                0 => text.insert_str(at, PIECES[random.below(PIECES.len())]),
                1 => text.truncate(at.max(200)),
                _ => drop(text.remove(at)),
            }
            while text.is_empty() {
                text.push('x');
            }
        }
        check(&text, Language::ALL[round % Language::ALL.len()]);
    }
}

#[test]
fn outline_every_prefix_keeps_every_line() {
    let text: String = PIECES.join(" x\n");
    for language in Language::ALL {
        for (at, _) in text.char_indices() {
            check(&text[..at], language);
        }
    }
}

#[test]
fn outline_empty_text_is_unchanged() {
    for language in Language::ALL {
        assert_eq!(check("", language).render(), "");
        assert_eq!(check("\n", language).render(), "\n");
    }
}

/// Quadratic work would take forever on these inputs, and recursion would overflow the stack.
#[test]
fn outline_long_repetition_keeps_every_line() {
    let hard =
        ["{(", "x/[(", "<<A1\n", "\"${", "`${", "$\"{", "f(x) {\n", "def f:\n ", "function ", "class A {"];
    for piece in PIECES.iter().copied().chain(hard) {
        check_repeated(piece, 1 << 16);
    }
}

#[test]
fn outline_mebibyte_of_brackets_keeps_every_line() {
    for piece in ["{", "[", "(", "<", "}", "`${"] {
        check_repeated(piece, 1 << 20);
    }
}

fn check_repeated(piece: &str, bytes: usize) {
    let text = piece.repeat(bytes / piece.len());
    for language in Language::ALL {
        let found = outline(&text, language);
        let runs = found.kept().chain(found.omitted().iter().copied());
        assert_eq!(runs.map(|run| run.count()).sum::<usize>(), found.line_count(), "{language:?} {piece:?}");
    }
}

#[test]
fn outline_unclosed_piece_keeps_every_line() {
    let tail = "x = \"y\" (a) { b } [c] /d/ 'e' \\ \n".repeat(300);
    for piece in PIECES {
        for language in Language::ALL {
            check(&format!("{piece}{tail}"), language);
        }
    }
}

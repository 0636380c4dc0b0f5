//! The programs that send their standard input to a model, and the arguments with which a second run does no harm.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// A program that sends its standard input to a model.
struct ModelProgram {
    /// Its name, without an extension.
    name: &'static str,
    /// The words one of which it needs, so that it neither waits for a person nor for a terminal; empty if it
    /// needs none.
    needs: &'static [&'static str],
    /// Words that only choose how the reply arrives: all at once, without colours, unrecorded.
    harmless: &'static [&'static str],
    /// Options that only choose the model, with a value.
    choose_model: &'static [&'static str],
    /// Where its options are documented.
    #[cfg_attr(not(test), expect(dead_code, reason = "for readers of the table"))]
    source: &'static str,
}

/// Any other option may edit files, continue somebody's conversation or prevent a reply. Programs that run models on
/// this machine aren't listed: a small model names little, and takes long.
const PROGRAMS: [ModelProgram; 6] = [
    ModelProgram {
        name: "aichat",
        needs: &[],
        harmless: &["-S", "--no-stream"],
        choose_model: &["-m", "--model"],
        source: "https://github.com/sigoden/aichat/wiki/Command-Line-Guide",
    },
    ModelProgram {
        name: "claude",
        needs: &["-p", "--print"],
        harmless: &["-p", "--print"],
        choose_model: &["--model"],
        source: "https://docs.anthropic.com/en/docs/claude-code/cli-reference",
    },
    ModelProgram {
        name: "codex",
        needs: &["exec", "e"],
        harmless: &["exec", "e", "-", "--ephemeral"],
        choose_model: &["-m", "--model"],
        source: "https://developers.openai.com/codex/noninteractive",
    },
    ModelProgram {
        name: "gemini",
        needs: &[],
        harmless: &["-p", "--prompt", ""],
        choose_model: &["-m", "--model"],
        source: "https://geminicli.com/docs/cli/headless",
    },
    ModelProgram {
        name: "llm",
        needs: &[],
        harmless: &["prompt", "--no-stream", "-n", "--no-log"],
        choose_model: &["-m", "--model", "-q", "--query"],
        source: "https://llm.datasette.io/en/stable/help.html",
    },
    ModelProgram {
        name: "mods",
        needs: &[],
        harmless: &["-q", "--quiet", "-r", "--raw", "--no-cache"],
        choose_model: &["-m", "--model"],
        source: "https://github.com/charmbracelet/mods#usage",
    },
];

/// Whether a program may run a second time, with other input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecondRun {
    /// It is not known to ask a model.
    Unknown,
    /// It asks a model and does nothing else.
    Harmless,
    /// It asks a model, but this argument may do more, or keep it from replying.
    Doubtful(OsString),
    /// It asks a model only with one of these arguments, none of which is there.
    Lacks(&'static str),
}

/// Whether a program may run a second time with these arguments.
#[must_use]
pub fn in_second_run(program: &OsStr, arguments: &[OsString]) -> SecondRun {
    let Some(known) = known(program) else { return SecondRun::Unknown };
    let is_one_of = |word: &OsStr, all: &[&str]| all.iter().any(|one| word == *one);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let names_model = |option: &&str| {
            let word = word.to_str().unwrap_or_default();
            option.starts_with("--")
                && word.strip_prefix(*option).is_some_and(|rest| rest.starts_with('=') && rest.len() > 1)
        };
        if is_one_of(word, known.choose_model) {
            if words.next().is_none_or(|value| value.as_encoded_bytes().starts_with(b"-")) {
                return SecondRun::Doubtful(word.clone());
            }
        } else if !is_one_of(word, known.harmless) && !known.choose_model.iter().any(names_model) {
            return SecondRun::Doubtful(word.clone());
        }
    }
    match known.needs.first() {
        Some(first) if !arguments.iter().any(|word| is_one_of(word, known.needs)) => SecondRun::Lacks(first),
        Some(_) | None => SecondRun::Harmless,
    }
}

/// The program of this name, whatever directory and extension it has.
fn known(program: &OsStr) -> Option<&'static ModelProgram> {
    let path = Path::new(program);
    let extension = path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
    let name = match extension.as_deref() {
        Some("exe" | "cmd") => path.file_stem(),
        Some(_) | None => path.file_name(),
    };
    PROGRAMS.iter().find(|known| name.is_some_and(|name| name == known.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> SecondRun {
        let words = shlex::split(line).unwrap();
        let arguments: Vec<OsString> = words[1..].iter().map(Into::into).collect();
        in_second_run(OsStr::new(&words[0]), &arguments)
    }

    fn all_are(expected: &SecondRun, lines: &[&str]) {
        lines.iter().for_each(|line| assert_eq!(&of(line), expected, "{line}"));
    }

    fn doubtful(lines: &[(&str, &str)]) {
        lines
            .iter()
            .for_each(|(line, word)| assert_eq!(of(line), SecondRun::Doubtful(word.into()), "{line}"));
    }

    #[test]
    fn every_program_has_a_source() {
        assert!(PROGRAMS.iter().all(|program| program.source.starts_with("https://")));
        assert!(PROGRAMS.is_sorted_by_key(|program| program.name));
    }

    #[test]
    fn aichat_may_choose_a_model() {
        all_are(&SecondRun::Harmless, &["aichat", "aichat -m openai:gpt-4o -S", "aichat --model=x"]);
        doubtful(&[
            ("aichat -e", "-e"),
            ("aichat -s talk", "-s"),
            ("aichat -r coder", "-r"),
            ("aichat hi", "hi"),
        ]);
    }

    #[test]
    fn claude_needs_its_print_mode() {
        all_are(
            &SecondRun::Harmless,
            &["claude -p", "claude -p --model opus", "claude --model=opus --print"],
        );
        all_are(&SecondRun::Lacks("-p"), &["claude", "claude --model opus"]);
        doubtful(&[
            ("claude -p -c", "-c"),
            ("claude -p --output-format json", "--output-format"),
            ("claude -p --permission-mode acceptEdits", "--permission-mode"),
            ("claude -p 'fix it'", "fix it"),
            ("claude -p --model", "--model"),
            ("claude -p --model --continue", "--model"),
        ]);
    }

    #[test]
    fn codex_needs_exec() {
        all_are(
            &SecondRun::Harmless,
            &["codex exec", "codex exec -m o3 -", "codex e --model=o3 --ephemeral"],
        );
        all_are(&SecondRun::Lacks("exec"), &["codex", "codex -m o3"]);
        doubtful(&[("codex exec --full-auto", "--full-auto"), ("codex exec resume --last", "resume")]);
    }

    #[test]
    fn gemini_may_have_an_empty_prompt() {
        all_are(&SecondRun::Harmless, &["gemini", "gemini -m flash -p", "gemini --model=flash -p ''"]);
        doubtful(&[("gemini -y", "-y"), ("gemini -p 'fix it'", "fix it"), ("gemini -r latest", "-r")]);
    }

    #[test]
    fn llm_may_choose_a_model() {
        let harmless =
            ["llm", "llm -m gpt-5", "llm prompt --model=gpt-5 --no-stream -n", "llm -q 4o -q mini"];
        all_are(&SecondRun::Harmless, &harmless);
        doubtful(&[("llm -c", "-c"), ("llm -t review", "-t"), ("llm -T shell", "-T"), ("llm chat", "chat")]);
        doubtful(&[("llm -m gpt-5 --schema x", "--schema"), ("llm -mgpt-5", "-mgpt-5"), ("llm -m=", "-m=")]);
    }

    #[test]
    fn mods_may_choose_a_model() {
        all_are(&SecondRun::Harmless, &["mods", "mods -m gpt-4o -q -r --no-cache"]);
        doubtful(&[("mods -C", "-C"), ("mods --role shell", "--role"), ("mods -f", "-f")]);
    }

    #[test]
    fn programs_are_known_by_the_name_of_their_file() {
        all_are(&SecondRun::Harmless, &["/opt/bin/llm -m x", "./llm", "llm.exe", "llm.CMD"]);
        all_are(
            &SecondRun::Unknown,
            &["cat", "llm-x", "llm.sh", "xllm", "LLM", "ollama run qwen", "sh -c llm"],
        );
    }
}

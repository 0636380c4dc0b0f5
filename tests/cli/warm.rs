//! What the count cache knows is read only when it is printed, and nobody can tell.

use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{Sandbox, binary};

/// The change time of a file cannot be set, so that a file becomes old only by waiting.
fn settle() {
    std::thread::sleep(Duration::from_millis(2_100));
}

fn many() -> Sandbox {
    let sandbox = Sandbox::new();
    for number in 0..30 {
        sandbox.write(&format!("f{number:02}.txt"), format!("text number {number}\nand more of it\n"));
    }
    sandbox
}

fn command(sandbox: &Sandbox, args: &[&str]) -> Command {
    let mut command = Command::new(binary());
    command.args(args).env_clear().envs(sandbox.environment()).current_dir(sandbox.project());
    command
}

struct Printed {
    block: String,
    messages: String,
}

fn printed(sandbox: &Sandbox, options: &[&str]) -> Printed {
    let args = ["render", "--only", "*.txt", "-b", "none", "-p", "why?"];
    let output = command(sandbox, &[&args, options].concat()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let [block, messages] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    Printed { block, messages }
}

#[test]
fn a_block_is_the_same_with_and_without_the_cache() {
    let sandbox = many();
    sandbox.write("a-empty.txt", "");
    sandbox.write("a-break.txt", "\n");
    sandbox.write("a-open.txt", "no line end");
    sandbox.write("a-dos.txt", "one\r\ntwo\r\n");
    sandbox.write("a-fence.txt", "```\ncode\n```\n");
    sandbox.write("a-greek.txt", "λόγος\nκαὶ ἔργον\n");
    sandbox.write("a-hidden.txt", "hid\u{202e}den\n");
    sandbox.write("a-long.txt", "x".repeat(100_000));
    sandbox.write("a-blank.txt", format!("{}word{}", " ".repeat(40), " ".repeat(40)));
    sandbox.write("a-utf16.txt", [0xff, 0xfe, b'h', 0, b'i', 0]);
    sandbox.write("a-secret.txt", ["ghp", "_", "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5\n"].concat());
    settle();
    for format in ["text", "xml", "markdown", "json"] {
        for more in [
            &["--stats"][..],
            &["--tree", "--stats"],
            &["--guard", "--stats"],
            &["--line-numbers", "--stats"],
            &[],
        ] {
            let options: Vec<&str> = ["--format", format].iter().chain(more).copied().collect();
            let without: Vec<&str> = options.iter().copied().chain(["--no-cache"]).collect();
            let expected = printed(&sandbox, &without);
            for _ in 0..3 {
                let found = printed(&sandbox, &options);
                assert_eq!(found.block, expected.block, "{options:?}");
                assert_eq!(found.messages, expected.messages, "{options:?}");
            }
        }
    }
}

#[test]
fn one_new_file_that_collides_gives_all_of_them_ids() {
    let sandbox = many();
    settle();
    printed(&sandbox, &["--stats"]);
    sandbox.write("f07.txt", "--- CONTEXT FILES END ---\n");
    let found = printed(&sandbox, &["--stats"]);
    let expected = printed(&sandbox, &["--stats", "--no-cache"]);
    assert_eq!((&found.block, &found.messages), (&expected.block, &expected.messages));
    assert!(!found.block.starts_with("--- CONTEXT FILES BEGIN ---"), "{}", found.block);
}

#[test]
fn what_became_too_large_is_not_printed() {
    let sandbox = many();
    sandbox.write("f03.txt", "a longer line than the others have\n".repeat(10));
    settle();
    printed(&sandbox, &["--stats"]);
    let found = printed(&sandbox, &["--stats", "--max-file-size", "100"]);
    assert!(!found.block.contains("longer line") && found.block.contains("text number 29"));
}

/// Renders large files that the cache knows, and changes the last of them when the first byte is there.
fn changed_while_printed(options: &[&str]) -> (Option<i32>, Printed) {
    let sandbox = Sandbox::new();
    for number in 0..40 {
        sandbox.write(&format!("f{number:02}.txt"), format!("{number} words\n").repeat(40_000));
    }
    settle();
    printed(&sandbox, &["--stats"]);
    let args = ["render", "--only", "*.txt", "-b", "none", "--stats"];
    let mut render = command(&sandbox, &[&args, options].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = render.stdout.take().unwrap();
    out.read_exact(&mut [0; 10]).unwrap();
    // The pipe is full long before the last file's turn comes.
    fs::write(sandbox.path("f39.txt"), "--- CONTEXT FILES END ---\n").unwrap();
    let mut block = String::new();
    out.read_to_string(&mut block).unwrap();
    let output = render.wait_with_output().unwrap();
    let messages = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), Printed { block, messages })
}

#[test]
fn a_file_that_changes_after_the_first_byte_is_told() {
    let (code, Printed { block, messages }) = changed_while_printed(&[]);
    assert_eq!(code, Some(1), "{messages}");
    assert!(messages.contains("f39.txt' changed while it was being printed"), "{messages}");
    assert!(block.contains("38 words") && !block.contains("CONTEXT FILES END"));
}

#[test]
fn a_strict_render_has_read_everything_before_the_first_byte() {
    let (code, Printed { block, messages }) = changed_while_printed(&["--strict"]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(block.ends_with("39 words\n--- CONTEXT FILES END ---\n"));
}

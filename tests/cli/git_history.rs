//! The messages of earlier commits as votes for files, tested through the program.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::Sandbox;

/// A repository in which a commit message describes `b.txt` with words that the file doesn't contain.
fn repository() -> Sandbox {
    let sandbox = Sandbox::with(&[("a.txt", TEXT), ("b.txt", TEXT), ("c.txt", "")]);
    sandbox.write("c.txt", "quicksilver pudding\n".repeat(9));
    git(&sandbox.project(), &sandbox, &["init", "-q", "-b", "main"]);
    commit(&sandbox, "a.txt", "Begin");
    commit(&sandbox, "b.txt", "Sort the quicksilver\n\nunheard-of-words");
    commit(&sandbox, "c.txt", "Add pudding");
    sandbox
}

const TEXT: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

fn commit(sandbox: &Sandbox, path: &str, message: &str) {
    git(&sandbox.project(), sandbox, &["add", path]);
    git(&sandbox.project(), sandbox, &["commit", "-qm", message]);
}

fn git(directory: &Path, sandbox: &Sandbox, arguments: &[&str]) {
    let status = command(directory, sandbox, arguments).status();
    assert!(status.unwrap().success(), "git {arguments:?}");
}

fn command(directory: &Path, sandbox: &Sandbox, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command
        .args(["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always"])
        .args(["-c", "advice.graftFileDeprecated=false"])
        .args(arguments)
        .current_dir(directory)
        .env_clear()
        .envs(sandbox.environment())
        .env("GIT_CONFIG_NOSYSTEM", "1");
    command
}

const ASK: [&str; 8] =
    ["render", "--only", "*.txt", "--trim", "relevant", "--query", "what sorts quicksilver?", "-b"];

/// The labels in the block for a question, in a budget too small for all files.
fn labels(sandbox: &Sandbox, more: &[&str]) -> Vec<String> {
    let block = sandbox.ctx(ASK.iter().chain(&["90"]).chain(more)).stdout_any().stderr_any().check();
    assert!(!block.contains("unheard"), "{block}");
    block.lines().filter(|line| line.starts_with('[') && line.ends_with("txt]")).map(str::to_owned).collect()
}

fn history(sandbox: &Sandbox, more: &[&str]) -> Option<String> {
    let account =
        sandbox.ctx(ASK.iter().chain(&["90", "--dry-run"]).chain(more)).stdout_any().stderr_any().check();
    account.lines().find(|line| line.starts_with("earlier commits: ")).map(str::to_owned)
}

const WITH: [&str; 2] = ["[b.txt]", "[c.txt]"];
const WITHOUT: [&str; 2] = ["[a.txt]", "[c.txt]"];

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn file_with_a_matching_commit_message_is_kept_before_others() {
    let sandbox = repository();
    assert_eq!(labels(&sandbox, &["--no-git-history"]), WITHOUT);
    for more in [&[][..], &[], &["--no-cache"]] {
        assert_eq!(labels(&sandbox, more), WITH, "{more:?}");
    }
    assert_eq!(history(&sandbox, &[]).as_deref(), Some("earlier commits: 3"));
    assert_eq!(history(&sandbox, &["--no-git-history"]), None);
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn account_contains_the_number_of_commits_but_no_messages() {
    let sandbox = repository();
    let account = sandbox
        .ctx(ASK.iter().chain(&["90", "--dry-run", "--json"]))
        .stdout_has("\"commits\": {\n    \"count\": 3\n  }")
        .stdout_lacks("unheard")
        .stderr_any()
        .check();
    assert!(!account.contains("Sort the"), "{account}");
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn search_reports_the_number_of_commits_unless_history_is_off() {
    let sandbox = repository();
    let search = ["search", "--json", "what sorts quicksilver?"];
    sandbox.ctx(search).stdout_has("\"commits\": {\n    \"count\": 3\n  }").check();
    sandbox.ctx(search.iter().chain(&["--no-git-history"])).stdout_lacks("commits").check();
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn setting_turns_the_history_off() {
    let sandbox = repository();
    sandbox.ctx(["profile", "--set", "git_history=off"]).stderr_any().check();
    assert_eq!(labels(&sandbox, &[]), WITHOUT);
    assert_eq!(history(&sandbox, &[]), None);
    sandbox.ctx(["profile", "--set", "git_history=no"]).code(2).stderr_has("use on or off").check();
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn commit_since_the_last_question_counts() {
    let sandbox = repository();
    assert_eq!(labels(&sandbox, &[]), WITH);
    sandbox.write("a.txt", format!("zero\n{TEXT}"));
    commit(&sandbox, "a.txt", "Sort quicksilver and sort quicksilver");
    assert_eq!(history(&sandbox, &[]).as_deref(), Some("earlier commits: 4"));
    git(&sandbox.project(), &sandbox, &["pack-refs", "--all"]);
    assert_eq!(history(&sandbox, &[]).as_deref(), Some("earlier commits: 4"));
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn another_head_gets_the_messages_that_a_new_reading_finds() {
    let sandbox = repository();
    let in_git = |arguments: &[&str]| git(&sandbox.project(), &sandbox, arguments);
    let of_b = || {
        sandbox.write("b.txt", format!("{TEXT}eleven\n"));
        commit(&sandbox, "b.txt", "Sort pudding");
    };
    let step = |name: &str, count: usize, change: &dyn Fn()| {
        change();
        let expected = Some(format!("earlier commits: {count}"));
        assert_eq!(history(&sandbox, &[]), expected, "{name}");
        assert_eq!(history(&sandbox, &["--no-cache"]), expected, "{name}");
        assert_eq!(labels(&sandbox, &[]), labels(&sandbox, &["--no-cache"]), "{name}");
    };
    step("first question", 3, &|| {});
    step("commit", 4, &of_b);
    step("amended", 4, &|| in_git(&["commit", "-q", "--amend", "-m", "Sort quicksilver again"]));
    step("older branch", 1, &|| in_git(&["switch", "-qc", "side", "HEAD~3"]));
    step("commit on it", 2, &of_b);
    step("back", 4, &|| in_git(&["switch", "-q", "main"]));
    step("merge", 5, &|| in_git(&["merge", "-q", "-X", "ours", "side", "-m", "Merge"]));
    step("reset", 2, &|| in_git(&["reset", "-q", "--hard", "main~3"]));
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn question_after_a_commit_reads_only_that_commit() {
    let sandbox = repository();
    assert_eq!(history(&sandbox, &[]).as_deref(), Some("earlier commits: 3"));
    let name_of_tree =
        command(&sandbox.project(), &sandbox, &["rev-parse", "HEAD~2^{tree}"]).output().unwrap();
    let name = String::from_utf8(name_of_tree.stdout).unwrap();
    let (directory, file) = name.trim().split_at(2);
    fs::remove_file(sandbox.project().join(".git/objects").join(directory).join(file)).unwrap();
    sandbox.write("b.txt", format!("{TEXT}eleven\n"));
    commit(&sandbox, "b.txt", "Sort quicksilver again");
    assert_eq!(history(&sandbox, &[]).as_deref(), Some("earlier commits: 4"));
    assert_eq!(history(&sandbox, &["--no-cache"]).as_deref(), Some("earlier commits: none (git failed)"));
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn cached_messages_count_only_where_git_would_answer() {
    let sandbox = repository();
    let without_git = || {
        let rendered = sandbox.ctx(ASK.iter().chain(&["90"])).env("PATH", "/nowhere");
        let note = "note: chosen without the messages of earlier commits: git is not installed";
        rendered.stderr_has(note).stdout_any().check()
    };
    let before = without_git();
    assert_eq!(labels(&sandbox, &[]), WITH);
    assert!(!before.contains("[b.txt]"), "{before}");
    assert_eq!(without_git(), before);
    let new = Sandbox::with(&[("a.txt", TEXT)]);
    git(&new.project(), &new, &["init", "-q"]);
    new.ctx(["ask", "two"]).env("PATH", "/nowhere").stdout_any().stderr_lacks("commits").check();
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn shallow_clone_and_no_repository_have_no_history() {
    let sandbox = repository();
    let source = format!("file://{}", sandbox.project().display());
    let clone = sandbox.path("clone");
    git(&sandbox.project(), &sandbox, &["clone", "-q", "--depth", "1", &source, &clone.to_string_lossy()]);
    let said = |directory: &Path| {
        let account = sandbox
            .ctx_in(directory, ASK.iter().chain(&["90", "--dry-run"]))
            .stdout_any()
            .stderr_any()
            .check();
        account.lines().find(|line| line.starts_with("earlier commits: ")).map(str::to_owned)
    };
    assert_eq!(said(&clone).as_deref(), Some("earlier commits: none (shallow clone)"));
    let alone = Sandbox::with(&[("a.txt", TEXT), ("b.txt", "quicksilver\n")]);
    assert_eq!(history(&alone, &[]).as_deref(), Some("earlier commits: none (no commits)"));
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn question_that_matches_only_a_commit_message_finds_its_file() {
    let sandbox = Sandbox::new();
    let name = |number: usize| format!("m{number}.py");
    (1..=40).for_each(|number| sandbox.write(&name(number), "def step():\n    pass\n".repeat(40)));
    git(&sandbox.project(), &sandbox, &["init", "-q"]);
    commit(&sandbox, ".", "Begin");
    sandbox.write("m17.py", "def step():\n    pass\n".repeat(41));
    commit(&sandbox, "m17.py", "Fix zebra stampede after undo");
    sandbox
        .ctx(["ask", "why does the zebra stampede?", "-b", "1000"])
        .stdout_has("--- CONTEXT FILES BEGIN ---\n[m17.py]\n")
        .stdout_lacks("[m1.py]")
        .stderr_has(" of 1,000 tokens: m17.py\n")
        .check();
}

#[cfg(unix)]
#[test]
fn file_whose_name_git_would_quote_gets_votes() {
    let sandbox = repository();
    for name in ["d\"e.txt", "f\\g.txt"] {
        sandbox.write(name, TEXT);
        commit(&sandbox, name, "Gather unicorns");
    }
    let arguments = ["ask", "-b", "150", "where are unicorns gathered?", "--dry-run", "--json"];
    let account = sandbox.ctx(arguments).stdout_any().stderr_any().check();
    let account: serde_json::Value = serde_json::from_str(&account).unwrap();
    let files = account["files"].as_array().unwrap();
    let voted = files.iter().filter(|file| file["score"].as_f64().unwrap() > 0.0);
    let voted: Vec<&str> = voted.map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(voted, ["d\"e.txt", "f\\g.txt"]);
}

#[test]
#[cfg_attr(windows, ignore = "it needs git")]
fn history_of_enormous_messages_counts_only_the_commits_that_were_read() {
    let sandbox = repository();
    let enormous = |words: &str| format!("Sort unicorns\n\n{}", words.repeat((17 << 20) / words.len()));
    for number in 0..3 {
        sandbox.write("message", enormous("no more of these words "));
        sandbox.write("a.txt", format!("{number}\n{TEXT}"));
        git(&sandbox.project(), &sandbox, &["add", "a.txt"]);
        git(&sandbox.project(), &sandbox, &["commit", "-qF", "message"]);
    }
    std::fs::remove_file(sandbox.path("message")).unwrap();
    for _ in 0..2 {
        assert_eq!(history(&sandbox, &[]).as_deref(), Some("earlier commits: 1"));
    }
    sandbox.write("message", enormous("x").repeat(2));
    git(&sandbox.project(), &sandbox, &["commit", "-q", "--allow-empty", "-F", "message"]);
    std::fs::remove_file(sandbox.path("message")).unwrap();
    assert_eq!(history(&sandbox, &[]).as_deref(), Some("earlier commits: none (the messages are too long)"));
}

#[test]
#[cfg_attr(windows, ignore = "it needs git")]
fn history_of_thousands_of_commits_counts_the_last_ones() {
    let sandbox = repository();
    let mut stream = String::new();
    for number in 0..3_100 {
        let message = format!("Change {number}");
        stream.push_str(&format!(
            "commit refs/heads/main\ncommitter A <a@example.org> {} +0000\ndata {}\n{message}\n",
            2_000_000_000 + number,
            message.len()
        ));
        if number == 0 {
            stream.push_str("from refs/heads/main^0\n");
            stream = stream.replacen("commit refs/heads/main\n", "commit refs/heads/main\nmark :1\n", 1);
        }
        stream.push_str(&format!("M 644 inline z.txt\ndata <<.\n{number}\n.\n\n"));
    }
    stream.push_str("commit refs/heads/side\ncommitter A <a@example.org> 2000000001 +0000\ndata 20\nSort the quicksilver\n");
    stream.push_str("from :1\nM 644 inline b.txt\ndata <<.\nother\n.\n\n");
    let mut import = command(&sandbox.project(), &sandbox, &["fast-import", "--quiet"]);
    let mut import = import.stdin(std::process::Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut import.stdin.take().unwrap(), stream.as_bytes()).unwrap();
    assert!(import.wait().unwrap().success());
    assert_eq!(history(&sandbox, &[]).as_deref(), Some("earlier commits: 3,000"));
    assert_eq!(labels(&sandbox, &[]), WITHOUT);
    let merge = ["commit-tree", "main^{tree}", "-p", "main", "-p", "side", "-m", "Merge"];
    let merged = command(&sandbox.project(), &sandbox, &merge).output().unwrap();
    let merged = String::from_utf8(merged.stdout).unwrap();
    git(&sandbox.project(), &sandbox, &["update-ref", "refs/heads/main", merged.trim()]);
    // What was merged is older than the 3,000.
    assert_eq!(labels(&sandbox, &[]), WITHOUT);
    assert_eq!(labels(&sandbox, &["--no-cache"]), WITHOUT);
}

#[test]
#[cfg_attr(windows, ignore = "it needs git")]
fn account_reports_why_there_is_no_history() {
    let sandbox = repository();
    let source = format!("file://{}", sandbox.project().display());
    git(&sandbox.project(), &sandbox, &["config", "uploadpack.allowFilter", "true"]);
    let cloned = |name: &str, options: &[&str]| {
        let all = [&["clone", "-q"], options, &[&source, name]].concat();
        git(&sandbox.project(), &sandbox, &all);
        let asked = sandbox.ctx_in(&sandbox.path(name), ASK.iter().chain(&["90", "--dry-run"]));
        let account = asked.stdout_any().stderr_any().check();
        account.lines().find(|line| line.starts_with("earlier commits: ")).map(str::to_owned)
    };
    assert_eq!(
        cloned("treeless", &["--filter=tree:0"]).as_deref(),
        Some("earlier commits: none (partial clone)")
    );
    let path = sandbox.project().to_str().unwrap().to_owned();
    let all = ["clone", "-q", "--shared", path.as_str(), "sharing"];
    git(&sandbox.project(), &sandbox, &all);
    let asked = sandbox.ctx_in(&sandbox.path("sharing"), ASK.iter().chain(&["90", "--dry-run"]));
    asked.stdout_has("earlier commits: none (objects are in another repository)\n").stderr_any().check();
    let told =
        "chosen without the messages of earlier commits: objects are in another repository; 'git repack";
    sandbox.ctx_in(&sandbox.path("sharing"), ASK.iter().chain(&["90"])).stdout_any().stderr_has(told).check();
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn replaced_and_grafted_commits_are_not_followed() {
    let sandbox = repository();
    git(&sandbox.project(), &sandbox, &["replace", "--graft", "HEAD"]);
    assert_eq!(history(&sandbox, &["--no-cache"]).as_deref(), Some("earlier commits: 3"));
    let head =
        Command::new("git").args(["rev-parse", "HEAD"]).current_dir(sandbox.project()).output().unwrap();
    sandbox.write(".git/info/grafts", head.stdout);
    assert_eq!(history(&sandbox, &["--no-cache"]).as_deref(), Some("earlier commits: 3"));
}

#[test]
#[cfg_attr(windows, ignore = "it needs git")]
fn words_of_messages_are_kept_as_hashes_until_the_cache_is_cleared() {
    let sandbox = repository();
    history(&sandbox, &[]);
    let directory = sandbox.home().join(".cache/ctx/commits");
    let files: Vec<_> = fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 1);
    let bytes = fs::read(&files[0]).unwrap();
    assert!(!bytes.windows(11).any(|window| window == b"quicksilver"));
    sandbox.ctx(["cache", "--clear"]).stderr("Cleared the count cache\n").check();
    assert!(!directory.exists());
}

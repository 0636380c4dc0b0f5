//! The shell steps of the GitHub Action, as a runner starts them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::llm::tool;
use crate::shells::{command, output, program};
use crate::support::{Sandbox, binary, root};

/// A job on a runner: a checkout, and the files that a step writes to.
pub struct Job {
    pub sandbox: Sandbox,
    bash: PathBuf,
}

impl Job {
    pub fn start() -> Option<Self> {
        let bash = program("bash")?;
        let large = "large\n".repeat(500);
        let sandbox =
            Sandbox::with(&[("src/a.rs", "fn a() {}\n"), ("src/b.rs", "fn b() {}\n"), ("large.txt", &large)]);
        Some(Self { sandbox, bash })
    }

    fn step(&self, script: &str, inputs: &[(&str, &str)]) -> Step {
        let home = self.sandbox.home();
        let (outputs, summary) = (home.join("outputs"), home.join("summary"));
        fs::write(&outputs, "").unwrap();
        fs::write(&summary, "").unwrap();
        let script = root().join("action").join(script);
        let mut command = command(&self.sandbox, &self.bash, &[script.to_str().unwrap()]);
        command.env_remove("CTX_HOME").env("RUNNER_TEMP", &home);
        command.env("GITHUB_OUTPUT", &outputs).env("GITHUB_STEP_SUMMARY", &summary);
        command.envs(inputs.iter().map(|(name, value)| (format!("CTX_ACTION_{name}"), value)));
        let output = command.output().unwrap();
        Step {
            output,
            outputs: fs::read_to_string(outputs).unwrap(),
            summary: fs::read_to_string(summary).unwrap(),
        }
    }

    pub fn render(&self, inputs: &[(&str, &str)]) -> Step {
        self.step("render.sh", inputs)
    }
}

/// The results of a step.
pub struct Step {
    output: Output,
    outputs: String,
    summary: String,
}

impl Step {
    #[track_caller]
    pub fn ends_with(self, code: i32) -> Self {
        assert_eq!(self.output.status.code(), Some(code), "{}", self.messages());
        self
    }

    fn messages(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    pub fn value(&self, name: &str) -> Option<&str> {
        self.outputs.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='))
    }
}

#[test]
fn the_block_and_its_manifest_are_step_outputs() {
    let Some(job) = Job::start() else { return };
    let step = job.render(&[("PATHS", "\n  src/**/*.rs\n  !src/b.rs\n")]).ends_with(0);
    let block = fs::read_to_string(step.value("file").unwrap()).unwrap();
    assert_eq!(block, "--- CONTEXT FILES BEGIN ---\n[src/a.rs]\nfn a() {}\n--- CONTEXT FILES END ---\n");
    let manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(step.value("manifest").unwrap()).unwrap()).unwrap();
    assert_eq!(step.value("tokens").unwrap(), manifest["tokens"]["block"].to_string());
    assert_eq!(step.value("dropped"), Some("0"));
    assert!(step.summary.starts_with("### Context rendered\n"), "{}", step.summary);
    assert!(!job.sandbox.home().join(".config").exists());
}

#[test]
fn all_inputs_are_passed_to_render() {
    let Some(job) = Job::start() else { return };
    job.sandbox.ctx(["--store", "team", "switch", "-c", "api"]).stderr_any().check();
    job.sandbox.ctx(["--store", "team", "add", "src/b.rs"]).stderr_any().check();
    job.sandbox.ctx(["--store", "team", "switch", "default"]).stderr_any().check();
    let mut inputs = vec![
        ("STORE", "team"),
        ("PROFILE", "api"),
        ("PATHS", "src/a.rs"),
        ("BUDGET", "500"),
        ("MODEL", "gpt-4o"),
        ("FORMAT", "xml"),
        ("OUTPUT", "out put.xml"),
        ("MANIFEST", "account.json"),
    ];
    job.render(&inputs).ends_with(0);
    let block = job.sandbox.read("out put.xml");
    assert!(block.find("<source>src/b.rs<").unwrap() < block.find("<source>src/a.rs<").unwrap(), "{block}");
    let account = job.sandbox.read("account.json");
    for line in ["\"profile\": \"api\"", "\"model\": \"gpt-4o\"", "\"budget\": 500", "\"format\": \"xml\""] {
        assert!(account.contains(line), "no {line}: {account}");
    }
    inputs.push(("ONLY", "true"));
    job.render(&inputs).ends_with(0);
    assert!(!job.sandbox.read("out put.xml").contains("src/b.rs"));
}

#[test]
fn file_that_does_not_fit_fails_the_job_unless_strict_is_off() {
    let Some(job) = Job::start() else { return };
    let inputs = [("PATHS", "src/a.*\nlarge.*"), ("BUDGET", "100")];
    let step = job.render(&inputs).ends_with(3);
    assert!(
        step.messages().starts_with("error: 1 of 2 files does not fit in 100 tokens: "),
        "{}",
        step.messages()
    );
    assert!(step.messages().contains("hint: set the input 'budget' to "), "{}", step.messages());
    assert!(step.outputs.is_empty(), "{}", step.outputs);
    assert!(step.summary.starts_with("### Context not rendered\n"), "{}", step.summary);
    assert!(step.summary.contains("\n    error: 1 of 2 files does not fit "), "{}", step.summary);
    assert!(!job.sandbox.path("context.txt").exists());

    let wrong = job.render(&[inputs[0], ("STRICT", "no")]).ends_with(2);
    assert!(
        wrong.messages().contains("the input 'strict' is neither true nor false"),
        "{}",
        wrong.messages()
    );
    let lenient = [inputs[0], inputs[1], ("STRICT", "false")];
    let step = job.render(&lenient).ends_with(0);
    assert_eq!(step.value("dropped"), Some("1"));
    assert!(job.sandbox.read("context.txt").contains("[src/a.rs]"));
}

#[test]
fn dropped_files_are_listed_and_annotated() {
    let Some(job) = Job::start() else { return };
    let inputs = [("PATHS", "src/a.*\nlarge.*"), ("BUDGET", "100"), ("STRICT", "false")];
    let step = job.render(&inputs).ends_with(0);
    let printed = String::from_utf8_lossy(&step.output.stdout).into_owned();
    assert!(printed.starts_with("::warning title=ctx::1 of 2 files, "), "{printed}");
    let table = "       tokens         of  printed   file\n            0       1000  left out  large.txt\n";
    assert!(step.summary.contains(table), "{}", step.summary);
    let step = job.render(&[inputs[0], inputs[1]]).ends_with(3);
    let printed = String::from_utf8_lossy(&step.output.stdout).into_owned();
    assert!(
        printed.starts_with("::error title=ctx::1 of 2 files does not fit in 100 tokens: large.txt (1,000)"),
        "{printed}"
    );
    assert!(step.summary.contains(table), "{}", step.summary);
}

#[test]
fn a_prompt_a_text_and_options_are_passed_to_render() {
    let Some(job) = Job::start() else { return };
    job.sandbox.write("diff", "+changed\n");
    let inputs = [
        ("PATHS", "src/a.rs"),
        ("PROMPT", "--review\nthis"),
        ("STDIN", "diff"),
        ("ARGS", "--stdin-name=the diff\n  --line-numbers\n"),
    ];
    job.render(&inputs).ends_with(0);
    assert_eq!(
        job.sandbox.read("context.txt"),
        "--- CONTEXT FILES BEGIN ---\n[src/a.rs]\n1: fn a() {}\n\n[the diff]\n1: +changed\n--- CONTEXT FILES END \
         ---\n\n--review\nthis\n"
    );
    job.render(&[("STDIN", "missing")]).ends_with(2);
}

#[test]
fn a_question_in_a_file_is_asked() {
    let Some(job) = Job::start() else { return };
    let code: String = (0..900).map(|number| format!("fn other_{number}() {{}}\n")).collect();
    job.sandbox.write("src/rest.rs", code + "fn restore_merge() {}\n");
    job.sandbox.write("question", "--output=stolen where is restore_merge?");
    let step = job.render(&[
        ("QUESTION_FILE", "question"),
        ("PATHS", "src"),
        ("BUDGET", "400"),
        ("STRICT", "false"),
    ]);
    let step = step.ends_with(0);
    let block = fs::read_to_string(step.value("file").unwrap()).unwrap();
    assert!(block.contains("fn restore_merge() {}\n") && !block.contains("large\nlarge"), "{block}");
    assert!(block.ends_with("\n\n--output=stolen where is restore_merge?\n"), "{block}");
    assert!(!job.sandbox.path("stolen").exists());
    job.render(&[("QUESTION_FILE", "missing")]).ends_with(2);
    let both = job.render(&[("QUESTION_FILE", "question"), ("PROMPT", "why?")]).ends_with(2);
    let error = "use either 'prompt' or 'question-file'";
    assert_eq!(String::from_utf8_lossy(&both.output.stdout), format!("::error title=ctx::{error}\n"));
    assert_eq!(both.summary, format!("### Context not rendered\n\n    error: {error}\n"));
}

#[test]
fn summary_of_a_question_counts_the_question_and_lists_what_is_in_part() {
    let Some(job) = Job::start() else { return };
    let code: String = (0..900).map(|number| format!("fn other_{number}() {{}}\n")).collect();
    job.sandbox.write("src/rest.rs", code + "fn restore_merge() {}\n");
    for number in 0..60 {
        job.sandbox.write(&format!("src/none{number}.rs"), "fn nothing() {}\n".repeat(20));
    }
    job.sandbox.write("question", "where is restore_merge?");
    let inputs = [("QUESTION_FILE", "question"), ("BUDGET", "400")];
    let step = job.render(&inputs).ends_with(0);
    let account: serde_json::Value =
        serde_json::from_slice(&fs::read(step.value("manifest").unwrap()).unwrap()).unwrap();
    let count = |name: &str| account["tokens"][name].as_u64().unwrap();
    let tokens = count("block") + count("prompt");
    assert_eq!(step.value("tokens"), Some(tokens.to_string().as_str()));
    let said = format!(", {tokens} of 400 tokens");
    assert!(count("prompt") > 0 && step.messages().contains(&said), "{}", step.messages());
    let table = "       tokens         of  printed   file\n";
    let (_, rows) = step.summary.split_once(table).unwrap_or_else(|| panic!("{}", step.summary));
    assert!(rows.split_once("\n\n").unwrap().0.ends_with("in part   src/rest.rs"), "{rows}");
    assert!(!rows.contains("none") && step.summary.contains("| not needed |"), "{}", step.summary);
    assert!(!String::from_utf8_lossy(&step.output.stdout).contains("--dry-run"));
}

#[test]
fn summary_says_how_many_files_it_does_not_list() {
    let Some(job) = Job::start() else { return };
    for number in 0..60 {
        job.sandbox.write(&format!("src/none{number}.rs"), "fn nothing() {}\n".repeat(20));
    }
    let step = job.render(&[("PATHS", "src"), ("BUDGET", "90"), ("STRICT", "false")]).ends_with(0);
    assert!(step.summary.contains("\n    … and 10 more\n"), "{}", step.summary);
}

#[test]
fn text_that_is_cut_fails_the_job_with_the_budget_to_set() {
    let Some(job) = Job::start() else { return };
    job.sandbox.write("question", "where is a?");
    job.sandbox.write("diff", "line of a diff\n".repeat(900));
    let inputs = [("QUESTION_FILE", "question"), ("STDIN", "diff"), ("BUDGET", "2k")];
    let step = job.render(&inputs).ends_with(3);
    assert!(step.messages().starts_with("error: of your piped text "), "{}", step.messages());
    let (_, hint) = step
        .messages()
        .split_once("\nhint: set the input 'budget' to ")
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .unwrap();
    let (budget, what) = hint.split_once(", which ").unwrap();
    assert_eq!(what, "has room for what you named\n");
    job.render(&[inputs[0], inputs[1], ("BUDGET", budget)]).ends_with(0);
}

#[test]
fn an_input_is_never_read_as_a_command_or_an_option() {
    let Some(job) = Job::start() else { return };
    let hostile = "$(touch hacked)\n`touch hacked`\n--output=hacked\n\"; touch hacked; \"";
    let inputs = [
        "PATHS", "BUDGET", "MODEL", "FORMAT", "PROFILE", "STRICT", "ONLY", "OUTPUT", "MANIFEST", "PROMPT",
        "STDIN",
    ];
    for input in inputs {
        for value in [hostile, "--output=hacked", "x\nfile=/etc/passwd"] {
            let step = job.render(&[("PATHS", "src/a.rs"), (input, value)]);
            assert!(!job.sandbox.path("hacked").exists(), "{input}={value}");
            assert_ne!(step.value("file"), Some("/etc/passwd"), "{input}={value}");
        }
    }
    job.render(&[("STRICT", "yes")]).ends_with(2);
}

#[test]
fn a_given_program_is_used() {
    let Some(job) = Job::start() else { return };
    let step = job.step("install.sh", &[("PROGRAM", "ctx")]).ends_with(0);
    assert_eq!(step.value("program"), binary().to_str());
    job.step("install.sh", &[("PROGRAM", "no-such-program")]).ends_with(1);
}

#[test]
fn a_release_is_downloaded_if_its_checksum_matches() {
    let Some(job) = Job::start() else { return };
    for tool in ["curl", "tar", "sha256sum"] {
        if program(tool).is_none() {
            return;
        }
    }
    let pack = "name=ctx-0.1.0-$(uname -m)-unknown-linux-gnu
        mkdir -p releases/v0.1.0/$name && cd releases/v0.1.0
        printf '#!/bin/sh\\necho ctx 0.1.0\\n' > $name/ctx && chmod +x $name/ctx
        tar -czf $name.tar.gz $name && sha256sum $name.tar.gz > $name.tar.gz.sha256";
    output(&job.sandbox, &job.bash, &["-ec", pack]);
    let releases = format!("file://{}", job.sandbox.path("releases").display());
    let inputs = [("VERSION", "v0.1.0"), ("RELEASES", releases.as_str())];
    let step = job.step("install.sh", &inputs);
    if cfg!(target_os = "linux") {
        let step = step.ends_with(0);
        assert!(Path::new(step.value("program").unwrap()).exists());
        output(&job.sandbox, &job.bash, &["-ec", "echo >> releases/v0.1.0/ctx-*.tar.gz"]);
        let step = job.step("install.sh", &inputs).ends_with(1);
        assert!(step.messages().contains("is not what its checksum says"), "{}", step.messages());
    }
    job.step("install.sh", &[("VERSION", "../../x"), inputs[1]]).ends_with(1);
    let step = job.step("install.sh", &inputs[..1]).ends_with(1);
    assert!(step.messages().contains("no repository is known"), "{}", step.messages());
    job.step("install.sh", &[("VERSION", "0.9.9"), inputs[1]]).ends_with(1);
}

#[test]
fn the_action_and_the_workflows_match_their_schemas() {
    let Some(checker) = tool("check-jsonschema") else { return };
    let sandbox = Sandbox::new();
    let action = root().join("action.yml");
    output(&sandbox, &checker, &["--builtin-schema", "vendor.github-actions", action.to_str().unwrap()]);
    for entry in fs::read_dir(root().join(".github/workflows")).unwrap() {
        let path = entry.unwrap().path();
        output(&sandbox, &checker, &["--builtin-schema", "vendor.github-workflows", path.to_str().unwrap()]);
    }
}

#[test]
fn scripts_contain_no_expressions() {
    let text = fs::read_to_string(root().join("action.yml")).unwrap();
    let scripts: Vec<&str> = text.lines().filter(|line| line.trim_start().starts_with("run:")).collect();
    assert_eq!(scripts.len(), 2);
    assert!(scripts.iter().all(|line| !line.contains("${{")), "{scripts:?}");
    let inputs = text.split("\noutputs:").next().unwrap();
    let named = inputs.lines().filter_map(|line| line.strip_prefix("  ")?.strip_suffix(':'));
    for name in named.filter(|name| !name.starts_with(' ')) {
        assert!(text.contains(&format!("${{{{ inputs.{name} }}}}")), "{name} is never used");
    }
}

/// The same inputs that the workflow gives the action.
#[test]
fn the_action_renders_its_own_source_with_nothing_left_out() {
    let Some(job) = Job::start() else { return };
    let source = format!("{0}/README.md\n{0}/src/**/*.rs", root().display());
    let step = job.render(&[("PATHS", &source), ("ONLY", "true"), ("BUDGET", "none"), ("STRICT", "true")]);
    assert_eq!(step.ends_with(0).value("dropped"), Some("0"));
}

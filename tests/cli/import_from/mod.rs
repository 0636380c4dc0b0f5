//! `ctx import --from`: the files of other tools, in the forms that those tools write and document.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::support::Sandbox;

mod kiro;

/// Written by the Amazon Q Developer CLI before it had agents.
const Q_GLOBAL: &str = r#"{
  "paths": [
    ".amazonq/rules/**/*.md",
    "README.md",
    "AmazonQ.md"
  ],
  "hooks": {}
}"#;

const Q_PROFILE: &str = r#"{
  "paths": [
    "~/my-files/**/*.txt"
  ],
  "hooks": {
    "git-status": {
      "trigger": "conversation_start",
      "type": "inline",
      "disabled": false,
      "timeout_ms": 30000,
      "max_output_size": 10240,
      "cache_ttl_seconds": 0,
      "command": "git status --short"
    }
  }
}"#;

/// The complete example from its documentation, with comments as people write them.
const Q_AGENT: &str = r#"{
  "$schema": "https://raw.githubusercontent.com/aws/amazon-q-developer-cli/refs/heads/main/schemas/agent-v1.json",
  // what it is called
  "name": "aws rust agent",
  "description": "A specialized agent for AWS and Rust development tasks",
  "prompt": "file://./prompts/rust.md",
  "mcpServers": {
    "fetch": { "command": "fetch3.1", "args": [] }
  },
  "tools": ["fs_read", "@git"],
  "toolAliases": {},
  "allowedTools": ["fs_read", "@git/git_status"],
  "toolsSettings": {
    "fs_write": { "allowedPaths": ["src/**"] }
  },
  "resources": [
    "file://README.md",
    "file://docs/**/*.md", /* all of them */
    "file://~/notes/rust.md",
    "file:///etc/motd",
  ],
  "hooks": {
    "agentSpawn": [
      { "command": "git status", }
    ]
  },
  "useLegacyMcpJson": true,
  "model": "claude-sonnet-4"
}"#;

fn amazonq() -> Sandbox {
    Sandbox::with(&[
        ("../home/.aws/amazonq/global_context.json", Q_GLOBAL),
        ("../home/.aws/amazonq/profiles/work/context.json", Q_PROFILE),
        ("../home/.aws/amazonq/profiles/default/context.json", "{\"paths\": [], \"hooks\": {}}"),
        ("../home/.aws/amazonq/context/profiles/designed.json", "{\"paths\": [\"docs/**/*.md\"]}"),
        ("../home/.aws/amazonq/context/aliases/short.json", "{\"paths\": [\"src/*.rs\"]}"),
        ("../home/.aws/amazonq/cli-agents/rust.json", Q_AGENT),
        ("../home/.aws/amazonq/cli-agents/prompts/rust.md", "You write Rust.\n"),
        ("../home/.aws/amazonq/cli-agents/nameless.json", "{\"resources\": [\"file://GLOBAL.md\"]}"),
        (".amazonq/cli-agents/nameless.json", "{\"resources\": [\"file://LOCAL.md\"]}"),
    ])
}

/// Every file below a directory, with its bytes.
fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.insert(path.to_str().unwrap().to_owned(), fs::read(&path).unwrap());
        }
    }
    found
}

#[test]
fn amazon_q_profiles_and_agents_are_imported() {
    let sandbox = amazonq();
    let before = (files(&sandbox.home()), files(&sandbox.project()));
    sandbox
        .ctx(["import", "--from", "amazonq"])
        .stderr(
            "left out of '~/.aws/amazonq/cli-agents/nameless.json': all of it \
             ('.amazonq/cli-agents/nameless.json' is the agent 'nameless')\n\
             left out of '~/.aws/amazonq/cli-agents/rust.json': $schema, mcpServers, tools, allowedTools, \
             toolsSettings, useLegacyMcpJson\n\
             'aws rust agent' becomes profile 'aws-rust-agent'\n\
             Imported the global list: 5 entries\n\
             Imported profile 'aws-rust-agent': 5 entries\n    \
             description = A specialized agent for AWS and Rust development tasks\n    \
             instruction = You write Rust.\n    \
             model = claude-sonnet-4\n\
             Imported profile 'designed': 1 entry\n\
             Imported profile 'nameless': 1 entry\n\
             Imported profile 'short': 1 entry\n\
             Imported profile 'work': 2 entries\n\
             note: 2 commands will not run until you trust them; \
             'ctx --profile aws-rust-agent trust --dry-run' and \
             'ctx --profile work trust --dry-run' show them\n\
             note: a question includes commands only if they are pinned: 'ctx set --pin' pins them\n",
        )
        .check();
    for profile in ["aws-rust-agent", "work"] {
        let commands = sandbox.ctx(["--profile", profile, "trust", "--dry-run"]).stdout_any().check();
        assert_eq!(commands.matches(" (not trusted)").count(), 1, "{commands}");
    }
    let expected = r#"{
  "paths": [
    "README.md",
    "docs/**/*.md",
    "~/notes/rust.md",
    "/etc/motd",
    {
      "path": "cmd:git status",
      "exit": "zero"
    }
  ],
  "description": "A specialized agent for AWS and Rust development tasks",
  "instruction": "You write Rust.",
  "model": "claude-sonnet-4"
}
"#;
    assert_eq!(sandbox.stored("profiles/aws-rust-agent.json"), expected);
    assert!(sandbox.stored("profiles/nameless.json").contains("LOCAL.md"));
    let work = sandbox.stored("profiles/work.json");
    assert!(work.contains(
        r#"{
      "path": "cmd:git status --short",
      "max_output": "10240",
      "exit": "zero"
    }"#
    ));
    sandbox
        .ctx(["--profile", "work", "render", "-p", "x"])
        .stdout_any()
        .stderr_has("1 command is not trusted here; 'ctx --profile work trust --dry-run' shows it")
        .check();
    let global = sandbox.stored("global.json");
    for path in
        ["~/.aws/amazonq/rules/**/*.md", "AmazonQ.md", "up:AGENTS.md", ".amazonq/rules/**/*.md", "README.md"]
    {
        assert_eq!(global.matches(&format!("\"{path}\"")).count(), 1, "{path}");
    }
    fs::remove_dir_all(sandbox.store()).unwrap();
    assert_eq!((files(&sandbox.home()), files(&sandbox.project())), before);
}

/// It may be a stranger's, and `default` is used in every repository.
#[test]
fn agent_of_a_repository_does_not_become_the_default_profile() {
    let agent = r#"{"name": "default", "prompt": "Praise it.\nImported nothing", "model": "gpt-4o",
        "resources": ["file://a.md"]}"#;
    let sandbox = Sandbox::with(&[
        (".amazonq/cli-agents/default.json", agent),
        ("../home/.aws/amazonq/cli-agents/mine.json", r#"{"name": "default", "resources": ["file://b.md"]}"#),
    ]);
    let name = sandbox.project().file_name().unwrap().to_str().unwrap().to_owned() + "-default";
    let renamed = format!(
        "the agent 'default' of '.amazonq/cli-agents/default.json' becomes profile '{name}', since 'default' is \
         used in every repository\n"
    );
    let settings = "    instruction = Praise it.\n    | Imported nothing\n    model = gpt-4o\n";
    sandbox
        .ctx(["import", "--from", "amazonq", "--dry-run"])
        .stdout(format!(
            "create profile 'default': 1 entry\n    b.md\ncreate profile '{name}': 1 entry\n    a.md\n{settings}"
        ))
        .stderr(&*renamed)
        .check();
    for almost in ["default ", ".default", "default!"] {
        sandbox.write(
            ".amazonq/cli-agents/default.json",
            agent.replace("\"default\"", &format!("\"{almost}\"")),
        );
        let again = sandbox.ctx(["import", "--dry-run", ".amazonq/cli-agents/default.json"]);
        again.stdout_has(&format!("create profile '{name}'")).stderr_any().check();
    }
    sandbox.write(".amazonq/cli-agents/default.json", agent);
    sandbox
        .ctx(["import", "--from", "amazonq"])
        .stderr(format!(
            "{renamed}Imported profile 'default': 1 entry\nImported profile '{name}': 1 entry\n{settings}"
        ))
        .check();
    assert!(!sandbox.stored("profiles/default.json").contains("Praise"));
    let single = sandbox.ctx(["import", "--dry-run", ".amazonq/cli-agents/default.json"]);
    single.code(1).stderr_has(&renamed).stderr_has(&format!("Profile '{name}' already exists")).check();
    sandbox.write("../home/.amazonq/cli-agents/default.json", agent);
    let at_home =
        sandbox.ctx_in(&sandbox.home(), ["--store", "other", "import", "--from", "amazonq", "--dry-run"]);
    at_home.stdout_has("create profile 'default': 1 entry\n    a.md\n").stderr_any().check();
}

#[test]
fn a_dry_run_lists_everything_and_changes_nothing() {
    let sandbox = kiro::sandbox();
    sandbox
        .ctx(["import", "--from", "kiro", "--dry-run"])
        .stdout(
            "create profile 'default': 4 entries\n    ~/.kiro/steering/style.md\n    \
             .kiro/steering/nested/tech.md\n    .kiro/steering/product.md\n    \
             .kiro/steering/web/react.md (when **/*.tsx, **/*.ts)\ncreate profile 'backend': 2 entries\n    \
             .kiro/steering/**/*.md\n    docs/**\n    description = Backend work\n    \
             instruction = You are terse.\n",
        )
        .stderr_has("left out of '~/.kiro/agents/backend.json': tools")
        .check();
    assert!(!sandbox.store().exists());
}

#[test]
fn a_dry_run_fails_if_the_list_would_be_too_large() {
    let sandbox = Sandbox::new();
    let paths: Vec<String> = (0..7_000).map(|number| format!("{number:0>150}.md")).collect();
    let bundle = serde_json::json!({"version": 1, "profiles": {"large": {"paths": paths}}});
    fs::write(sandbox.path("large.json"), bundle.to_string()).unwrap();
    for args in [&["import", "large.json"][..], &["import", "--dry-run", "large.json"]] {
        sandbox
            .ctx(args)
            .code(1)
            .stderr_has("profiles/large.json': larger than 1048576 bytes; nothing was changed\n")
            .check();
    }
    assert!(!sandbox.store().join("profiles/large.json").exists());
}

#[test]
fn an_existing_profile_is_merged_only_with_merge() {
    let sandbox = amazonq();
    sandbox.ctx(["profile", "--create", "work"]).stderr_any().check();
    sandbox
        .ctx(["import", "--from", "amazonq"])
        .code(1)
        .stderr_has("error: Profile 'work' already exists\nhint: nothing was changed; --merge adds the missing entries\n")
        .check();
    sandbox.ctx(["profile"]).stdout("* default\n  work\n").check();
    sandbox
        .ctx(["import", "--from", "amazonq", "--merge"])
        .stderr_has("Added 2 entries to profile 'work'\n")
        .check();
}

#[test]
#[cfg_attr(windows, ignore = "it needs the words and devices of POSIX")]
fn an_agent_in_the_repository_cannot_use_a_prompt_file_from_outside() {
    let outside =
        ["file://~/notes.md", "file://../../../home/notes.md", "file:///etc/hostname", "file://link.md"];
    let sandbox = Sandbox::with(&[("../home/notes.md", "private\n"), (".env", "SECRET=1\n")]);
    let agent = |name: &str, prompt: &str| {
        let agent = serde_json::json!({"name": name, "prompt": prompt, "resources": ["file://x"]});
        sandbox.write(&format!(".kiro/agents/{name}.json"), agent.to_string());
    };
    fs::create_dir_all(sandbox.path(".kiro/agents")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(sandbox.home().join("notes.md"), sandbox.path(".kiro/agents/link.md"))
        .unwrap();
    for (number, prompt) in outside.iter().enumerate() {
        agent(&format!("out{number}"), prompt);
    }
    agent("secret", "file://../../.env");
    agent("gone", "file://gone.md");
    agent("inside", "file://./p/inside.md");
    sandbox.write(".kiro/agents/p/inside.md", "You are inside.\n\n");
    let mut run = sandbox.ctx(["import", "--from", "kiro"]);
    for prompt in &outside[..if cfg!(unix) { 4 } else { 3 }] {
        run = run.stderr_has(&format!("prompt '{prompt}' (outside the project)"));
    }
    run.stderr_has("prompt 'file://../../.env' (the name suggests a secret)")
        .stderr_has("prompt 'file://gone.md' (not found)")
        .check();
    assert!(sandbox.stored("profiles/inside.json").contains("\"instruction\": \"You are inside.\""));
    for name in ["out0", "out1", "out2", "out3", "secret", "gone"] {
        assert!(!sandbox.stored(&format!("profiles/{name}.json")).contains("instruction"), "{name}");
    }
}

#[test]
fn nothing_to_import_is_an_error() {
    let sandbox = Sandbox::new();
    sandbox
        .ctx(["import", "--from", "amazonq"])
        .code(1)
        .stderr(
            "error: nothing to import from amazonq\nhint: ctx looks for its files in ~/.aws/amazonq, \
             .amazonq/cli-agents and .amazonq/cli-todo-lists\n",
        )
        .check();
}

#[cfg(unix)]
#[test]
fn files_that_are_not_regular_are_skipped_without_waiting() {
    let sandbox = kiro::sandbox();
    let fifo = sandbox.path("../home/.kiro/agents/pipe.json");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    std::os::unix::fs::symlink("/dev/zero", sandbox.path("../home/.kiro/agents/zero.json")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", sandbox.path(".kiro/steering/passwd.md")).unwrap();
    sandbox
        .ctx(["import", "--from", "kiro"])
        .stderr_has("pipe.json': all of it (not a regular file but a named pipe)")
        .stderr_has("zero.json': all of it (not a regular file but a device)")
        .stderr_has("passwd.md': all of it (link leads out of the directory the pattern starts in)")
        .check();
    assert!(!sandbox.stored("profiles/default.json").contains("passwd"));
}

#[test]
fn amazon_q_to_do_lists_are_imported() {
    let sandbox = Sandbox::with(&[
        (
            ".amazonq/cli-todo-lists/1757000000000.json",
            r#"{"tasks":[{"task_description":"one","completed":true},{"task_description":"two","completed":false}],"description":"Plan","context":["c"],"modified_files":["a.rs"],"id":"1757000000000","more":1}"#,
        ),
        (
            ".amazonq/cli-todo-lists/my plan.json",
            r#"{"tasks":[],"description":"","context":[],"modified_files":[],"id":""}"#,
        ),
        (".amazonq/cli-todo-lists/broken.json", "{"),
        (".amazonq/cli-todo-lists/other.json", r#"{"tasks":[1]}"#),
    ]);
    let remarks = "left out of '.amazonq/cli-todo-lists/broken.json': all of it (line 1, column 1: EOF while parsing an object)\n\
         'my plan' becomes list 'my-plan'\n\
         left out of '.amazonq/cli-todo-lists/other.json': all of it (invalid type: number, expected an object \
         with a \"task_description\")\n";
    sandbox
        .ctx(["import", "--from", "amazonq", "--dry-run"])
        .stdout("list '1757000000000': 2 tasks\nlist 'my-plan': 0 tasks\n")
        .stderr_any()
        .check();
    sandbox
        .ctx(["import", "--from", "amazonq"])
        .stderr(format!(
            "{remarks}Imported list '1757000000000': 2 tasks\nImported list 'my-plan': 0 tasks\n"
        ))
        .check();
    assert!(sandbox.stored("todo/1757000000000.json").ends_with("  \"more\": 1\n}\n"));
    sandbox
        .ctx(["import", "--from", "amazonq", "-q"])
        .code(1)
        .stderr_has("List '1757000000000' already exists\nhint: nothing was changed; --merge adds the missing tasks\n")
        .check();
    sandbox.ctx(["todo", "rm", "1", "--list", "1757000000000", "-q"]).check();
    sandbox
        .ctx(["import", "--from", "amazonq", "--merge"])
        .stderr_has("Added 1 task to list '1757000000000'\nAdded 0 tasks to list 'my-plan'\n")
        .check();
}

#[test]
fn saved_prompts_are_listed_with_advice() {
    for (tool, prompts) in [
        ("amazonq", ["~/.aws/amazonq/prompts/explain.md", ".amazonq/prompts/review.md"]),
        ("kiro", ["~/.kiro/prompts/explain.md", ".kiro/prompts/review.md"]),
    ] {
        let sandbox = Sandbox::with(&[(prompts[1], "Review this\n")]);
        let file = sandbox.home().join(&prompts[0][2..]);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, "Explain this\n").unwrap();
        let [first, second] = prompts.map(|prompt| {
            format!("left out of '{prompt}': all of it (a saved prompt: pass the file as a question)\n")
        });
        let run = sandbox.ctx(["import", "--from", tool, "--dry-run"]).code(1);
        run.stderr_has("nothing to import").stderr_has(&first).stderr_has(&second).check();
    }
}

#[test]
fn knowledge_bases_and_steering_references_are_listed_with_advice() {
    let sandbox =
        Sandbox::with(&[(".kiro/steering/a.md", "Read #[[file:docs/api.md]] and #[[file: b.md ]].\n")]);
    std::fs::create_dir_all(sandbox.home().join(".aws/amazonq/knowledge_bases/default_0")).unwrap();
    sandbox
        .ctx(["import", "--from", "amazonq", "--dry-run"])
        .code(1)
        .stderr_has("left out of '~/.aws/amazonq/knowledge_bases/default_0': all of it (an index: add the files themselves")
        .check();
    sandbox
        .ctx(["import", "--from", "kiro", "--dry-run"])
        .stdout_any()
        .stderr_has(
            "left out of '.kiro/steering/a.md': reference to 'docs/api.md' (add the file itself), \
             reference to 'b.md' (add the file itself)\n",
        )
        .check();
}

#[test]
fn paths_that_an_agent_may_not_read_become_exclusions() {
    let agent = r#"{"resources": ["file://**/*.yml"], "toolsSettings": {
        "fs_read": {"deniedPaths": ["**/application.yml", "./secret/**"]},
        "execute_bash": {"allowedCommands": ["ls"]}}}"#;
    let sandbox = Sandbox::with(&[
        (".amazonq/cli-agents/api.json", agent),
        ("a.yml", "a\n"),
        ("src/application.yml", "b\n"),
        ("secret/c.yml", "c\n"),
    ]);
    let imported = sandbox.ctx(["import", "--from", "amazonq"]);
    imported.stderr_has("left out of '.amazonq/cli-agents/api.json': toolsSettings\n").check();
    let block =
        sandbox.ctx(["--profile", "api", "render"]).stdout_has("[a.yml]").stdout_lacks("application.yml");
    block.stdout_lacks("c.yml").stderr_any().check();
}

#[test]
fn single_file_with_a_list_or_an_agent_is_imported() {
    let sandbox = Sandbox::with(&[
        ("README.md", "x\n"),
        ("team.json", r#"{"paths": ["README.md", {"path": "docs/**", "pin": true}], "program": "rm"}"#),
        ("api.json", r#"{"name": "api", "prompt": "Be brief", "resources": ["file://README.md"]}"#),
        ("sub/x.txt", ""),
    ]);
    let team = sandbox.ctx(["import", "team.json"]).stderr_has("Imported profile 'team': 2 entries\n");
    team.stderr_has("'program', which only you can set\n").check();
    sandbox
        .ctx_in(&sandbox.path("sub"), ["import", "../api.json"])
        .stderr("Imported profile 'api': 1 entry\n    instruction = Be brief\n")
        .check();
    sandbox.ctx(["--profile", "api", "render"]).stdout_has("[README.md]").stdout_has("Be brief").check();
    sandbox.write("other.json", "{}");
    sandbox.ctx(["import", "other.json"]).code(1).stderr_has("not an export").check();
}

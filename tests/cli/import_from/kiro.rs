//! Imports from Kiro.

use crate::support::Sandbox;

const KIRO_AGENT: &str = r#"{
  "name": "backend",
  "description": "Backend work",
  "prompt": "You are terse.",
  "tools": ["*"],
  "resources": [
    "file://.kiro/steering/**/*.md",
    "skill://.kiro/skills/**/SKILL.md",
    {
      "type": "knowledgeBase",
      "source": "file://./docs",
      "name": "TeamDocs",
      "description": "What the team wrote",
      "indexType": "best",
      "autoUpdate": true
    }
  ],
  "keyboardShortcut": "ctrl+shift+b",
  "welcomeMessage": "Ready.",
  "includeMcpJson": false,
  "model": "auto"
}"#;

pub fn sandbox() -> Sandbox {
    Sandbox::with(&[
        ("../home/.kiro/agents/backend.json", KIRO_AGENT),
        ("../home/.kiro/steering/style.md", "# Style\n"),
        (".kiro/steering/product.md", "---\ninclusion: always\n---\n# Product\n"),
        (
            ".kiro/steering/web/react.md",
            "---\ninclusion: fileMatch\nfileMatchPattern: ['**/*.tsx', '**/*.ts']\n---\n# React\n",
        ),
        (".kiro/steering/manual.md", "---\ninclusion: manual\n---\n"),
        (".kiro/steering/api.md", "---\ninclusion: auto\nname: api\ndescription: API design\n---\n"),
        (".kiro/steering/nested/tech.md", "# Tech\n"),
        (".kiro/steering/picture.png", "no steering"),
        (".gitignore", ".kiro\n"),
    ])
}

#[test]
fn kiro_agents_and_steering_files_are_imported() {
    let sandbox = sandbox();
    sandbox
        .ctx(["import", "--from", "kiro"])
        .stderr(
            "left out of '~/.kiro/agents/backend.json': tools, resource 'skill://.kiro/skills/**/SKILL.md', \
             keyboardShortcut, welcomeMessage, includeMcpJson, model 'auto' (not known)\n\
             left out of '.kiro/steering/api.md': all of it (inclusion: auto)\n\
             left out of '.kiro/steering/manual.md': all of it (inclusion: manual)\n\
             profile 'default' combines '~/.kiro/steering' and '.kiro/steering'\n\
             Imported profile 'default': 4 entries\n\
             Imported profile 'backend': 2 entries\n    \
             description = Backend work\n    instruction = You are terse.\n",
        )
        .check();
    sandbox
        .ctx(["render"])
        .stdout(
            "--- CONTEXT FILES BEGIN ---\n[~/.kiro/steering/style.md]\n# Style\n\n[.kiro/steering/nested/tech.md]\n\
             # Tech\n\n[.kiro/steering/product.md]\n---\ninclusion: always\n---\n# Product\n\
             --- CONTEXT FILES END ---\n",
        )
        .stderr_any()
        .check();
    let backend = sandbox.stored("profiles/backend.json");
    assert!(backend.contains("\"instruction\": \"You are terse.\""), "{backend}");
    let backend: serde_json::Value = serde_json::from_str(&backend).unwrap();
    assert_eq!(backend["paths"][1]["path"], "docs/**");
    assert_eq!(backend["paths"][1]["search"], true);
}

#[cfg(unix)]
#[test]
fn steering_files_that_cannot_be_entries_are_listed_as_left_out() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let sandbox = Sandbox::with(&[(".kiro/steering/ok.md", "x\n"), (".kiro/steering/n\nl.md", "x\n")]);
    std::fs::create_dir(sandbox.path(".kiro/steering/b")).unwrap();
    sandbox.fifo(".kiro/steering/b/f.md");
    std::os::unix::fs::symlink("b/f.md", sandbox.path(".kiro/steering/link.md")).unwrap();
    let mut expected = vec![
        "left out of '.kiro/steering/b/f.md': all of it (not a regular file)",
        "left out of '.kiro/steering/link.md': all of it (not a regular file)",
        "left out of '.kiro/steering/n\\nl.md': all of it (its name cannot be written as an entry)",
    ];
    // Not every file system accepts such a name.
    if std::fs::write(sandbox.path(".kiro/steering").join(OsStr::from_bytes(b"x\xff.md")), "x\n").is_ok() {
        expected.push(
            "left out of '.kiro/steering/x\\xFF.md': all of it (its name cannot be written as an entry)",
        );
    }
    sandbox
        .ctx(["import", "--from", "kiro", "--dry-run"])
        .stdout("create profile 'default': 1 entry\n    .kiro/steering/ok.md\n")
        .stderr(format!("{}\n", expected.join("\n")))
        .check();
}

#[test]
fn import_and_detect_agree_on_which_files_are_conditional() {
    let sandbox = Sandbox::with(&[
        (".kiro/steering/a.md", "---\ninclusion:\n  manual\n---\n"),
        (".kiro/steering/b.md", "---\n  inclusion: manual\n---\n"),
        (".kiro/steering/c.md", "---\rinclusion: manual\r---\r"),
        (".kiro/steering/d.md", "---\n{inclusion: manual}\n---\n"),
        (".kiro/steering/e.md", "---\ninclusion: always\nnever closed\n"),
        (".kiro/steering/f.md", "---\ninclusion: always\n---\n"),
        (".kiro/steering/g.md", "---\nglobs: '*.ts'\n---\n"),
    ]);
    sandbox
        .ctx(["import", "--from", "kiro", "--dry-run"])
        .stdout("create profile 'default': 2 entries\n    .kiro/steering/f.md\n    .kiro/steering/g.md (when *.ts)\n")
        .stderr(
            "left out of '.kiro/steering/a.md': all of it (inclusion: manual)\n\
             left out of '.kiro/steering/b.md': all of it (inclusion: manual)\n\
             left out of '.kiro/steering/c.md': all of it (inclusion: manual)\n\
             left out of '.kiro/steering/d.md': all of it (its front matter cannot be read)\n\
             left out of '.kiro/steering/e.md': all of it (its front matter cannot be read)\n",
        )
        .check();
    sandbox
        .ctx(["detect"])
        .stdout(
            ".kiro/steering/a.md (conditional, inclusion: manual)\n\
             .kiro/steering/b.md (conditional, inclusion: manual)\n\
             .kiro/steering/c.md (conditional, inclusion: manual)\n\
             .kiro/steering/d.md (its front matter cannot be read)\n\
             .kiro/steering/e.md (its front matter cannot be read)\n\
             .kiro/steering/f.md\n\
             .kiro/steering/g.md (conditional, globs: *.ts)\n",
        )
        .check();
}

#[cfg(unix)]
#[test]
fn steering_that_is_not_a_directory_is_listed_as_left_out() {
    let sandbox =
        Sandbox::with(&[("../home/.kiro/steering", "no directory"), (".kiro/steering/a.md", "a\n")]);
    sandbox
        .ctx(["import", "--from", "kiro", "--dry-run"])
        .stdout_has("    .kiro/steering/a.md\n")
        .stderr_has("left out of '~/.kiro/steering': all of it (not found)\n")
        .check();
}

#[test]
fn what_a_knowledge_base_leaves_out_becomes_an_exclusion() {
    let agent = r#"{"name": "kb", "prompt": "x", "resources": [{"type": "knowledgeBase", "source": "file://docs",
        "include": ["**/*.md"], "exclude": ["./drafts/**", "*.tmp.md", "[x"]}]}"#;
    let sandbox = Sandbox::with(&[
        ("kb.json", agent),
        ("docs/a.md", "walrus\n"),
        ("docs/drafts/b.md", "walrus\n"),
        ("docs/c.tmp.md", "walrus\n"),
    ]);
    sandbox.ctx(["import", "kb.json"]).stderr_has("'docs/[x'").stderr_has("Imported profile").check();
    let stored = sandbox.stored("profiles/kb.json");
    assert!(stored.contains("!docs/drafts/**") && stored.contains("!docs/*.tmp.md"), "{stored}");
}

use std::fs;
use std::process::{Command, Stdio};

use crate::support::{Sandbox, binary};

const API: &str = r#"{
  "later": {
    "a": [
      1.50,
      null
    ]
  },
  "paths": [
    "docs/**/*.md",
    {
      "path": "src/lib.rs",
      "tags": [
        "api"
      ],
      "pin": true,
      "since": "2.0"
    },
    "!docs/old/**"
  ],
  "description": "Zoë’s API",
  "model": "gpt-4o",
  "budget": "60k",
  "trim": "truncate",
  "format": "xml"
}
"#;

fn with_profiles() -> Sandbox {
    let sandbox = Sandbox::with(&[("a.md", "a\n")]);
    sandbox.write_store("profiles/api.json", API);
    sandbox.write_store("profiles/docs.json", "{\n  \"paths\": []\n}\n");
    sandbox.ctx(["add", "a.md"]).stderr_any().check();
    sandbox.ctx(["add", "-g", "-f", "~/notes/*.md"]).stderr_any().check();
    sandbox
}

#[test]
fn the_profile_in_use_is_printed() {
    let sandbox = with_profiles();
    let expected = "{
  \"version\": 1,
  \"profiles\": {
    \"default\": {
      \"paths\": [
        \"a.md\"
      ]
    }
  }
}
";
    sandbox.ctx(["export"]).stdout(expected).check();
    sandbox.ctx(["--profile", "docs", "export"]).stdout_has("\"docs\"").stdout_lacks("default").check();
    sandbox.ctx(["export"]).env("CTX_PROFILE", "api").stdout_has("\"later\"").check();
}

#[test]
fn names_all_and_global_select_what_is_exported() {
    let sandbox = with_profiles();
    sandbox.ctx(["export", "docs", "api"]).stdout_has("api").stdout_has("docs").stdout_lacks("a.md").check();
    sandbox.ctx(["export", "--all"]).stdout_has("\"default\"").stdout_lacks("global").check();
    sandbox.ctx(["export", "-g"]).stdout_has("~/notes/*.md").stdout_has("\"profiles\": {}").check();
    sandbox.ctx(["export", "-g", "api"]).stdout_has("\"global\"").stdout_has("\"api\"").check();
    sandbox.ctx(["export", "gone"]).code(1).stderr_has("Available profiles: default, api, docs").check();
    sandbox.ctx(["export", "a b"]).code(2).stderr_has("Profile name must start").check();
    sandbox.ctx(["export", "--all", "api"]).code(2).stderr_has("cannot be used with").check();
    sandbox.ctx(["--profile", "api", "export", "-g"]).code(2).stderr_has("--global").check();
}

#[test]
fn a_store_that_does_not_exist_can_be_exported() {
    let sandbox = Sandbox::new();
    sandbox.ctx(["export", "--all", "-g"]).stdout_has("AGENTS.md").stdout_has("\"default\"").check();
    assert!(!sandbox.store().exists());
}

#[test]
fn import_into_another_store_writes_the_same_bytes() {
    let sandbox = with_profiles();
    let document = sandbox.ctx(["export", "--all", "-g"]).stdout_any().check();
    let other = sandbox.home().join("other");
    let other = other.to_str().unwrap();
    sandbox.ctx(["--store", other, "import", "--force", "-"]).stdin(document.as_str()).stderr_any().check();
    for file in ["global.json", "profiles/default.json", "profiles/api.json", "profiles/docs.json"] {
        let copy = fs::read_to_string(format!("{other}/{file}")).unwrap();
        assert_eq!(copy, sandbox.stored(file), "{file}");
    }
    assert_eq!(sandbox.ctx(["--store", other, "export", "--all", "-g"]).stdout_any().check(), document);
}

#[test]
fn export_can_be_piped_into_import() {
    let sandbox = with_profiles();
    let other = sandbox.home().join("other");
    let mut export = Command::new(binary())
        .args(["export", "api"])
        .current_dir(sandbox.project())
        .env_clear()
        .envs(sandbox.environment())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let import = Command::new(binary())
        .args(["import", "-", "--store"])
        .arg(&other)
        .current_dir(sandbox.project())
        .env_clear()
        .envs(sandbox.environment())
        .stdin(export.stdout.take().unwrap())
        .output()
        .unwrap();
    assert!(export.wait().unwrap().success());
    let told = "Imported profile 'api': 3 entries\n    description = Zoë’s API\n    model = gpt-4o\n    budget = 60k\n    \
                trim = truncate\n    format = xml\n";
    assert_eq!(String::from_utf8_lossy(&import.stderr), told);
    assert!(import.status.success());
    assert_eq!(fs::read_to_string(other.join("profiles/api.json")).unwrap(), API);
}

/// A profile with this many levels of nested arrays and objects.
fn nested(levels: usize) -> String {
    let (open, close) = ("[{\"k\":".repeat(levels / 2), "}]".repeat(levels / 2));
    format!("{{\"paths\":[\"a.md\",{{\"path\":\"b\",\"k\":0.10}}],\"later\":{open}1e+400{close}}}")
}

#[test]
fn everything_a_store_can_contain_can_be_exported_and_imported() {
    let sandbox = Sandbox::new();
    sandbox.write_store("profiles/deep.json", nested(118));
    sandbox.write_store("global.json", nested(118));
    // ctx rewrites the files in the form that stores usually have.
    sandbox.ctx(["-q", "--profile", "deep", "set", "--pin", "b"]).check();
    sandbox.ctx(["-q", "set", "-g", "--pin", "b"]).check();
    let document = sandbox.ctx(["export", "-g", "deep"]).stdout_has("0.10").stdout_has("1e+400").check();
    let other = sandbox.home().join("other");
    let import = ["--store", other.to_str().unwrap(), "import", "-"];
    sandbox.ctx(import).stdin(document).stderr_has("Imported profile 'deep': 2 entries\n").check();
    for file in ["global.json", "profiles/deep.json"] {
        assert_eq!(fs::read_to_string(other.join(file)).unwrap(), sandbox.stored(file));
    }
    sandbox.write_store("profiles/deep.json", nested(120));
    sandbox.ctx(["export", "deep"]).code(4).stderr_has("nested too deep").check();
}

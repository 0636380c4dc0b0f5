//! Files from which package managers install: a Homebrew formula and a Nix flake.

use std::fs;
use std::process::{Command, Output};

use crate::shells::program;
use crate::support::{Sandbox, root};

const TARGETS: [&str; 4] =
    ["aarch64-apple-darwin", "x86_64-apple-darwin", "aarch64-unknown-linux-gnu", "x86_64-unknown-linux-gnu"];

/// The formula for version 1.2.3, made from archives for these targets. The first has the checksum `0…`.
fn formula(sandbox: &Sandbox, targets: &[&str]) -> Option<Output> {
    let shell = program("sh")?;
    for (index, target) in targets.iter().enumerate() {
        let name = format!("ctx-1.2.3-{target}.tar.gz");
        let sum = index.to_string().repeat(64);
        fs::write(sandbox.path(&format!("{name}.sha256")), format!("{sum}  {name}\n")).unwrap();
    }
    let script = root().join("tools/homebrew-formula");
    let mut command = Command::new(shell);
    command.arg(script).args(["team/ctx", "1.2.3"]).arg(sandbox.project());
    Some(command.output().unwrap())
}

#[test]
fn formula_with_all_archives_names_each_with_its_checksum() {
    let sandbox = Sandbox::new();
    let Some(output) = formula(&sandbox, &TARGETS) else { return };
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    for (index, target) in TARGETS.iter().enumerate() {
        let pair = format!(
            "url \"https://github.com/team/ctx/releases/download/v1.2.3/ctx-1.2.3-{target}.tar.gz\"\n      \
             sha256 \"{}\"\n",
            index.to_string().repeat(64)
        );
        assert!(text.contains(&pair), "{target}: {text}");
    }
    let Some(ruby) = program("ruby") else { return };
    fs::write(sandbox.path("ctx.rb"), text).unwrap();
    let checked = Command::new(ruby).arg("-c").arg(sandbox.path("ctx.rb")).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&checked.stdout), "Syntax OK\n");
}

#[test]
fn formula_without_an_archive_is_an_error_that_names_it() {
    let sandbox = Sandbox::new();
    let Some(output) = formula(&sandbox, &TARGETS[..3]) else { return };
    assert!(!output.status.success());
    assert!(output.stdout.is_empty());
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("ctx-1.2.3-x86_64-unknown-linux-gnu.tar.gz.sha256"), "{error}");
}

#[test]
fn formula_and_flake_install_files_that_exist() {
    let flake = fs::read_to_string(root().join("flake.nix")).unwrap();
    let formula = fs::read_to_string(root().join("tools/homebrew-formula")).unwrap();
    for name in ["completions/ctx.bash", "completions/ctx.fish", "completions/_ctx"] {
        assert!(flake.contains(name) && formula.contains(name), "{name}");
        assert!(root().join(name).is_file(), "{name}");
    }
    for name in ["README.md", "CHANGELOG.md", "docs", "schemas", "man/ctx.1"] {
        assert!(root().join(name).exists(), "{name}");
    }
}

/// Nix itself evaluates the flake, with a package collection that only reports what it was asked to build.
#[test]
fn flake_builds_the_program_of_this_version_on_every_system() {
    const EVALUATED: &str = r#"
        let
          names = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
          each = value: builtins.listToAttrs (map (name: { inherit name; value = value name; }) names);
          packages = each (system: {
            installShellFiles = null;
            lib.licenses = { mit = null; asl20 = null; };
            rustPlatform.buildRustPackage = asked: "${asked.pname} ${asked.version} ${asked.meta.mainProgram} ${system}";
          });
          nixpkgs = { lib.genAttrs = wanted: value: each value; legacyPackages = packages; };
          found = (import ./flake.nix).outputs { self = null; inherit nixpkgs; };
        in map (name: found.packages.${name}.default) names
    "#;
    let Some(nix) = program("nix-instantiate") else { return };
    let sandbox = Sandbox::new();
    let mut command = Command::new(nix);
    command.args(["--eval", "--strict", "--json", "--expr", EVALUATED]).current_dir(root());
    command.env("HOME", sandbox.home()).env("NIX_STATE_DIR", sandbox.home().join("state"));
    command.env("NIX_STORE_DIR", sandbox.home().join("store")).env("NIX_REMOTE", "");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let version = env!("CARGO_PKG_VERSION");
    let expected = ["x86_64-linux", "aarch64-linux", "x86_64-darwin", "aarch64-darwin"]
        .map(|system| format!("ctx {version} ctx {system}"));
    let built: Vec<String> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(built, expected);
}

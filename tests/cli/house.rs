//! What the library may not know.

use std::process::Command;

/// The packages that a crate of the workspace needs to be built, by `cargo tree`.
fn dependencies(package: &str) -> Option<Vec<String>> {
    let cargo = option_env!("CARGO")?;
    let run = Command::new(cargo)
        .args([
            "tree",
            "--offline",
            "--locked",
            "--prefix",
            "none",
            "--edges",
            "normal",
            "--package",
            package,
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .ok()?;
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let text = String::from_utf8(run.stdout).unwrap();
    Some(text.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect())
}

#[test]
fn library_depends_on_nothing_that_parses_arguments_or_draws() {
    for package in ["sticky-ctx-core", "ctx-tokens", "ctx-outline"] {
        let Some(found) = dependencies(package) else { return eprintln!("skipped: no cargo") };
        assert!(found.contains(&package.to_owned()));
        for forbidden in ["clap", "clap_builder", "comfy-table", "indicatif", "owo-colors"] {
            assert!(!found.iter().any(|name| name == forbidden), "{package} depends on {forbidden}");
        }
    }
}

#[test]
fn outlines_depend_on_nothing() {
    let Some(found) = dependencies("ctx-outline") else { return eprintln!("skipped: no cargo") };
    assert_eq!(found, ["ctx-outline"]);
}

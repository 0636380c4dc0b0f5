use std::fs;
use std::path::PathBuf;

use super::*;
use crate::fs::real;
use tempfile::TempDir;

struct Yard(TempDir);

impl Yard {
    fn with(files: &[(&str, &str)]) -> Self {
        let yard = Self(tempfile::tempdir().unwrap());
        for (path, text) in files {
            let path = yard.at(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        yard
    }

    fn at(&self, path: &str) -> PathBuf {
        real(self.0.path()).unwrap().join(path)
    }

    /// What is found from `tree/sub`: names, and paths within the yard, or the error.
    fn find(&self, wanted: &str) -> Result<Vec<(String, String)>, String> {
        let caches = Caches { cargo_home: Some(self.at("cargo")), go_modules: Some(self.at("go")) };
        let wanted = DependencyName::parse(wanted).map_err(|error| error.to_string())?;
        fs::create_dir_all(self.at("tree/sub")).unwrap();
        let found = find(&wanted, &self.at("tree/sub"), &self.at("tree"), &caches);
        let found = found.map_err(|error| error.to_string().replace(&*self.at("").to_string_lossy(), ""))?;
        let path = |one: &Dependency| one.path.strip_prefix(self.at("")).unwrap().display().to_string();
        Ok(found.iter().map(|one| (one.label(), path(one))).collect())
    }

    fn is_found(&self, wanted: &str, label: &str, path: &str) {
        assert_eq!(self.find(wanted), Ok(vec![(label.to_owned(), path.to_owned())]), "{wanted}");
    }

    fn fails(&self, wanted: &str, why: &str) {
        let error = self.find(wanted).unwrap_err();
        assert!(error.contains(why), "{wanted}: {error}");
    }
}

const CARGO: &str = "version = 4\n\n[[package]]\nname = \"app\"\nversion = \"0.1.0\"\ndependencies = [\n \"a\",\n]\n\n\
    [[package]]\nname = \"my-crate\"\nversion = \"1.2.3\"\nsource = \"registry+https://index/a\"\nchecksum = \"0\"\n\n\
    [[package]]\nname = \"two\"\nversion = \"1.0.0\"\nsource = \"registry+https://index/a\"\n\n\
    [[package]]\nname = \"two\"\nversion = \"2.0.0\"\nsource = \"registry+https://index/a\"\n\n\
    [[package]]\nname = \"from-git\"\nversion = \"0.1.0\"\nsource = \"git+https://x#1\"\n\n\
    [[package]]\nname = \"gone\"\nversion = \"0.1.0\"\nsource = \"registry+https://index/a\"\n";

#[test]
fn crates_are_found_in_the_version_of_the_lock_file() {
    let yard = Yard::with(&[
        ("tree/Cargo.lock", CARGO),
        ("cargo/registry/src/index-1/my-crate-1.2.3/src/lib.rs", ""),
        ("cargo/registry/src/index-1/my-crate-1.2.4/src/lib.rs", ""),
        ("cargo/registry/src/index-1/two-1.0.0/src/lib.rs", ""),
        ("cargo/registry/src/index-1/two-2.0.0/src/lib.rs", ""),
    ]);
    let path = "cargo/registry/src/index-1/my-crate-1.2.3";
    for wanted in ["my-crate", "my_crate", "cargo:my-crate", "my-crate@1.2.3"] {
        yard.is_found(wanted, "dep:my-crate@1.2.3", path);
    }
    yard.is_found("two@2.0.0", "dep:two@2.0.0", "cargo/registry/src/index-1/two-2.0.0");
    yard.fails("two", "several dependencies fit: 'dep:cargo:two@1.0.0' and 'dep:cargo:two@2.0.0'");
    yard.fails("my-crate@1.2.4", "'tree/Cargo.lock' has 'my-crate@1.2.3'");
    yard.fails("gone", "not found in 'cargo/registry/src'");
    yard.fails("app", "'app' is part of the tree: give its directory");
    fs::write(yard.at("tree/Cargo.toml"), "[dependencies]\napp = { version = \"1\", path = \"../app\" }\n")
        .unwrap();
    yard.fails("app", "'app' is a path: give 'tree/../app'");
    yard.fails("from-git", "comes from git+https://x#1");
    yard.fails("npm:my-crate", "no lock file");
    fs::write(yard.at("tree/Cargo.lock"), CARGO.replace("my-crate", "../my-crate")).unwrap();
    fs::write(yard.at("tree/Cargo.toml"), "[dependencies]\nodd = { package = \"../my-crate\" }\n").unwrap();
    yard.fails("odd", "not found in 'tree/Cargo.lock'");
    let odd = CARGO.replace("1.2.3", "1/../../../../../else");
    fs::write(yard.at("tree/Cargo.lock"), odd).unwrap();
    yard.fails("my-crate", "not found in 'tree/Cargo.lock'");
}

#[test]
fn renamed_crates_are_found_by_the_names_in_the_code() {
    let manifest = "[dependencies]\ncalled = { package = \"my_crate\", version = \"1\" }\n\
        gone = { version = \"1\", package = \"other\" }\n\n\
        [target.'cfg(unix)'.dependencies.two-old]\nversion = '1.0' # old\npackage = \"two\"\n\n\
        [workspace.dependencies]\ntwo_new.package = \"two\"\ntwo_new.version = \"^2.0\"\n\
        either = { package = \"two\" }\nmine = { package = \"app\", path = \"../app\" }\n";
    let yard = Yard::with(&[
        ("tree/Cargo.lock", CARGO),
        ("tree/Cargo.toml", manifest),
        ("cargo/registry/src/index-1/my-crate-1.2.3/src/lib.rs", ""),
        ("cargo/registry/src/index-1/two-1.0.0/src/lib.rs", ""),
        ("cargo/registry/src/index-1/two-2.0.0/src/lib.rs", ""),
    ]);
    yard.is_found("called", "dep:my-crate@1.2.3", "cargo/registry/src/index-1/my-crate-1.2.3");
    yard.is_found("two_old", "dep:two@1.0.0", "cargo/registry/src/index-1/two-1.0.0");
    yard.is_found("two-new", "dep:two@2.0.0", "cargo/registry/src/index-1/two-2.0.0");
    yard.is_found("either@2.0.0", "dep:two@2.0.0", "cargo/registry/src/index-1/two-2.0.0");
    yard.fails("either", "several dependencies fit: 'dep:cargo:two@1.0.0' and 'dep:cargo:two@2.0.0'");
    yard.fails("mine", "'app' is a path: give 'tree/../app'");
    // The lock file has a crate of that name.
    yard.fails("gone", "not found in 'cargo/registry/src'");
}

#[test]
fn crates_are_those_of_the_registry_that_the_lock_file_names() {
    let of_crates_io = "[[package]]\nname = \"twin\"\nversion = \"1.0.0\"\n\
        source = \"registry+https://github.com/rust-lang/crates.io-index\"\n";
    let (other, usual) = ("cargo.example.com-1949cf8c6b5b557f", "index.crates.io-1949cf8c6b5b557f");
    let source = |directory: &str| format!("cargo/registry/src/{directory}/twin-1.0.0");
    let lib = |directory: &str| format!("{}/src/lib.rs", source(directory));
    let yard = Yard::with(&[("tree/Cargo.lock", of_crates_io), (&lib(other), "")]);
    yard.fails("twin", "not found in 'cargo/registry/src'");
    let mirror = "[source.crates-io]\nreplace-with = \"near\"\n[source.near]\nregistry = \"sparse+https://cargo.example.com/\"\n";
    fs::write(yard.at("cargo/config.toml"), mirror).unwrap();
    yard.is_found("twin", "dep:twin@1.0.0", &source(other));
    fs::write(yard.at("cargo/config"), "[net]\n").unwrap();
    yard.fails("twin", "not found in 'cargo/registry/src'");
    let yard = Yard::with(&[("tree/Cargo.lock", of_crates_io), (&lib(other), ""), (&lib(usual), "")]);
    yard.is_found("twin", "dep:twin@1.0.0", &source(usual));
    // The SHA-256 of "archive".
    let sum = "0eb3e36bfb24dcd9bb1d1bece1531216b59539a8fde17ee80224af0653c92aa3";
    let checked = format!("{of_crates_io}checksum = \"{sum}\"\n");
    let archive = |directory: &str| format!("cargo/registry/cache/{directory}/twin-1.0.0.crate");
    let files = [
        ("tree/Cargo.lock".to_owned(), &*checked),
        (lib(other), ""),
        (lib(usual), ""),
        (archive(other), "archive"),
        (archive(usual), "other"),
    ];
    let yard = Yard::with(&files.each_ref().map(|(path, text)| (&**path, *text)));
    yard.is_found("twin", "dep:twin@1.0.0", &source(other));
}

#[test]
fn vendored_crates_come_first() {
    let yard = Yard::with(&[
        ("tree/Cargo.lock", CARGO),
        ("tree/vendor/my-crate/Cargo.toml", "[package]\nversion = \"1.2.3\"\n"),
        ("tree/vendor/two/Cargo.toml", "[package]\nversion = \"1.0.0\"\n"),
    ]);
    yard.is_found("my-crate", "dep:my-crate@1.2.3", "tree/vendor/my-crate");
    yard.is_found("two", "dep:two@1.0.0", "tree/vendor/two");
}

#[test]
fn packages_of_node_are_those_that_are_installed() {
    let yard = Yard::with(&[
        (
            "tree/package-lock.json",
            r#"{"packages": {"node_modules/a": {"version": "1.0.0"}, "node_modules/b": {"version": "2.0.0"}}}"#,
        ),
        ("tree/node_modules/a/package.json", r#"{"name": "a", "version": "1.0.0"}"#),
        ("tree/node_modules/b/package.json", r#"{"name": "b", "version": "1.0.0"}"#),
        ("tree/node_modules/@x/c/package.json", r#"{"name": "@x/c", "version": "3.0.0"}"#),
    ]);
    yard.is_found("a", "dep:a@1.0.0", "tree/node_modules/a");
    yard.is_found("@x/c@3.0.0", "dep:@x/c@3.0.0", "tree/node_modules/@x/c");
    yard.fails("b", "the lock file has 'b@2.0.0', and node_modules 1.0.0: 'npm ci' installs it");
    yard.fails("a@9.0.0", "node_modules has 'a@1.0.0'");
    yard.fails("none", "not found in 'tree/node_modules'");
    for (lock, text, command) in [
        ("yarn.lock", "a@^2.0.0:\n  version \"2.0.0\"\n", "yarn install"),
        ("pnpm-lock.yaml", "packages:\n  a@2.0.0:\n    resolution: {}\n", "pnpm install"),
    ] {
        let yard = Yard::with(&[
            (&format!("tree/{lock}"), text),
            ("tree/node_modules/a/package.json", r#"{"version": "1.0.0"}"#),
        ]);
        let why = format!("the lock file has 'a@2.0.0', and node_modules 1.0.0: '{command}' installs it");
        yard.fails("a", &why);
    }
}

#[test]
fn lock_file_nearest_to_the_installed_packages_counts() {
    let yard = Yard::with(&[
        ("tree/package-lock.json", r#"{"packages": {"node_modules/a": {"version": "1.0.0"}}}"#),
        ("tree/sub/yarn.lock", "a@^2.0.0:\n  version \"2.0.0\"\n"),
        ("tree/node_modules/a/package.json", r#"{"version": "1.0.0"}"#),
    ]);
    yard.is_found("a", "dep:a@1.0.0", "tree/node_modules/a");
    fs::create_dir_all(yard.at("tree/sub/node_modules")).unwrap();
    fs::rename(yard.at("tree/node_modules/a"), yard.at("tree/sub/node_modules/a")).unwrap();
    yard.fails("a", "the lock file has 'a@2.0.0', and node_modules 1.0.0: 'yarn install' installs it");
}

#[test]
fn lock_file_without_what_it_names_is_not_said_to_be_missing() {
    let yard = Yard::with(&[
        ("tree/package-lock.json", r#"{"packages": {"node_modules/a": {"version": "1.0.0"}}}"#),
        ("tree/uv.lock", "[[package]]\nname = \"b\"\nversion = \"2.0\"\nsource = { registry = \"x\" }\n"),
    ]);
    yard.fails("npm:a", "'a@1.0.0' of 'tree/package-lock.json' is not installed");
    yard.fails("a@2.0.0", "'tree/package-lock.json' has 'a@1.0.0'");
    yard.fails("b", "'b@2.0' of 'tree/uv.lock' is not installed");
    yard.fails("c", "not found in 'tree/package-lock.json', 'tree/uv.lock'");
    let yard = Yard::with(&[("tree/yarn.lock", "a@^1.0.0:\n  version \"1.0.0\"\n")]);
    yard.fails("a", "'a@1.0.0' of 'tree/yarn.lock' is not installed");
    yard.fails("b", "not found in 'tree/yarn.lock'");
}

#[cfg(unix)]
#[test]
fn linked_packages_of_node_are_given_by_their_path() {
    let yard = Yard::with(&[
        ("tree/node_modules/.pnpm/p@1.0.0/node_modules/p/package.json", r#"{"version": "1.0.0"}"#),
        ("tree/packages/own/package.json", r#"{"version": "1.0.0"}"#),
        ("else/node_modules/far/package.json", r#"{"version": "1.0.0"}"#),
    ]);
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, yard.at(name)).unwrap();
    link(".pnpm/p@1.0.0/node_modules/p", "tree/node_modules/p");
    link("../packages/own", "tree/node_modules/own");
    link("../../else/node_modules/far", "tree/node_modules/far");
    yard.is_found("p", "dep:p@1.0.0", "tree/node_modules/.pnpm/p@1.0.0/node_modules/p");
    yard.fails("own", "'own' is a link: give 'tree/packages/own'");
    yard.fails("far", "'far' is a link: give 'else/node_modules/far'");
}

#[cfg(unix)]
#[test]
fn packages_that_only_other_packages_use_are_found() {
    let package = |version: &str| format!("{{\"version\": \"{version}\"}}");
    for store in [".pnpm", ".bun"] {
        let at = |path: &str| format!("tree/node_modules/{store}/{path}/package.json");
        let files = [
            (at("a@1.0.0/node_modules/a"), package("1.0.0")),
            (at("a@2.0.0/node_modules/a"), package("2.0.0")),
            (at("ms@2.0.0/node_modules/ms"), package("2.0.0")),
            (at("ms@2.1.3/node_modules/ms"), package("2.1.3")),
            (at("@x+c@3.0.0_ms@2.0.0/node_modules/@x/c"), package("3.0.0")),
            (at("@x+c@3.0.0_ms@2.1.3/node_modules/@x/c"), package("3.0.0")),
            ("tree/packages/own/package.json".to_owned(), package("1.0.0")),
        ];
        let yard = Yard::with(&files.each_ref().map(|(path, text)| (&**path, &**text)));
        let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, yard.at(name)).unwrap();
        link(&format!("{store}/a@1.0.0/node_modules/a"), "tree/node_modules/a");
        link("../../packages/own", &format!("tree/node_modules/{store}/own@1.0.0"));
        let path = |path: &str| format!("tree/node_modules/{store}/{path}");
        yard.is_found("a", "dep:a@1.0.0", &path("a@1.0.0/node_modules/a"));
        yard.is_found("a@2.0.0", "dep:a@2.0.0", &path("a@2.0.0/node_modules/a"));
        yard.fails("a@3.0.0", "node_modules has 'a@1.0.0'");
        yard.is_found("ms@2.1.3", "dep:ms@2.1.3", &path("ms@2.1.3/node_modules/ms"));
        yard.fails("ms", "several dependencies fit: 'dep:npm:ms@2.0.0' and 'dep:npm:ms@2.1.3'");
        yard.fails("ms@9.0.0", "'tree/node_modules' has 'ms@2.0.0' and 'ms@2.1.3'");
        assert_eq!(yard.find("@x/c").unwrap().len(), 1);
        yard.fails("own", "not found in 'tree/node_modules'");
    }
    let lock = r#"{"packages": {"node_modules/a": {"version": "1.0.0"}, "node_modules/a/node_modules/b": {"version": "1.0.0"},
        "../else/node_modules/far": {"version": "1.0.0"}}}"#;
    let yard = Yard::with(&[
        ("tree/package-lock.json", lock),
        ("tree/node_modules/a/package.json", r#"{"version": "1.0.0"}"#),
        ("tree/node_modules/a/node_modules/b/package.json", r#"{"version": "1.0.0"}"#),
        ("else/node_modules/far/package.json", r#"{"version": "1.0.0"}"#),
    ]);
    yard.is_found("b", "dep:b@1.0.0", "tree/node_modules/a/node_modules/b");
    yard.fails("far", "not found in 'tree/node_modules'");
}

#[test]
fn packages_of_python_are_their_modules() {
    let site = "tree/.venv/lib/python3.12/site-packages";
    let at = |path: &str| format!("{site}/{path}");
    let files = [
        (at("my_package-1.0.dist-info/RECORD"), "my_package/__init__.py,sha256=x,1\nmy_package/a.py,,\n"),
        (at("my_package/__init__.py"), ""),
        (at("six-1.16.0.dist-info/RECORD"), "six.py,,\nsix-1.16.0.dist-info/METADATA,,\n"),
        (at("six.py"), ""),
        (at("old-1.0.dist-info/RECORD"), "old/__init__.py,,\n"),
        (at("old/__init__.py"), ""),
        (
            at("edited-1.0.dist-info/direct_url.json"),
            r#"{"url": "file:///src/edited", "dir_info": {"editable": true}}"#,
        ),
        (at("tied.egg-link"), "/src/tied\n."),
        (
            "tree/uv.lock".to_owned(),
            "[[package]]\nname = \"old\"\nversion = \"2.0\"\nsource = { registry = \"x\" }\n",
        ),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, *text)).collect();
    let yard = Yard::with(&files);
    for wanted in ["my-package", "My_Package", "pip:my.package@1.0"] {
        yard.is_found(wanted, "dep:my_package@1.0 my_package", &at("my_package"));
    }
    yard.is_found("six", "dep:six@1.16.0 six.py", &at("six.py"));
    yard.fails("old", "the lock file has 'old@2.0', and .venv 1.0");
    yard.fails("edited", "'edited' is editable: give '/src/edited'");
    yard.fails("Tied", "'tied' is editable: give '/src/tied'");
    yard.fails("six@1.0", ".venv has 'six@1.16.0'");
    yard.fails("none", "not found in 'tree/.venv'");
}

#[test]
fn modules_of_go_are_found_by_their_last_names() {
    let manifest = "module x\n\nrequire github.com/Big/mod v1.2.0 // indirect\nrequire (\n\texample.com/a/util v0.1.0\n\
        \texample.com/b/util v0.2.0\n\texample.com/own v1.0.0\n\
        \texample.com/forked v1.0.0\n\texample.com/later v2.0.0\n)\n\nreplace example.com/own => ../own\n\
        replace example.com/forked => example.com/fork v1.0.1\nreplace example.com/later v1.0.0 => ../later\n\
        replace example.com/own v1.0.0 => ../nearer\n";
    let yard = Yard::with(&[
        ("tree/go.mod", manifest),
        ("go/github.com/!big/mod@v1.2.0/a.go", ""),
        ("go/example.com/a/util@v0.1.0/a.go", ""),
        ("go/example.com/forked@v1.0.0/a.go", ""),
        ("go/example.com/fork@v1.0.1/a.go", ""),
        ("go/example.com/later@v2.0.0/a.go", ""),
        ("tree/vendor/example.com/b/util/a.go", ""),
    ]);
    for wanted in ["mod", "Big/mod", "github.com/Big/mod", "go:mod@v1.2.0"] {
        yard.is_found(wanted, "dep:github.com/Big/mod@v1.2.0", "go/github.com/!big/mod@v1.2.0");
    }
    yard.is_found("b/util", "dep:example.com/b/util@v0.2.0", "tree/vendor/example.com/b/util");
    yard.fails("util", "several dependencies fit");
    yard.is_found("forked", "dep:example.com/fork@v1.0.1", "go/example.com/fork@v1.0.1");
    yard.is_found("later", "dep:example.com/later@v2.0.0", "go/example.com/later@v2.0.0");
    yard.fails("own", "'example.com/own' is replaced: give '../nearer'");
    yard.fails("od", "not found in 'tree/go.mod'");
}

#[cfg(unix)]
#[test]
fn links_out_of_the_tree_are_not_its_directories_of_dependencies() {
    let of_crates_io =
        "[[package]]\nname = \"c\"\nversion = \"1.0.0\"\nsource = \"registry+https://index.crates.io\"\n";
    let site = "lib/python3.12/site-packages";
    let (record, module) =
        (format!("else/{site}/p-1.0.dist-info/RECORD"), format!("else/{site}/p/__init__.py"));
    let yard = Yard::with(&[
        ("else/example.com/g/a.go", ""),
        ("else/c/Cargo.toml", "[package]\nversion = \"1.0.0\"\n"),
        (&*record, "p/__init__.py,,\n"),
        (&*module, ""),
        ("tree/go.mod", "module m\nrequire example.com/g v1.0.0\n"),
        ("tree/Cargo.lock", of_crates_io),
        ("tree/sub/.venv/lib/python3.12/x", ""),
    ]);
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(yard.at(to), yard.at(name)).unwrap();
    link("else", "tree/vendor");
    link(&format!("else/{site}"), &format!("tree/sub/.venv/{site}"));
    yard.fails("go:example.com/g", "not found in 'go'");
    yard.fails("cargo:c", "not found in 'cargo/registry/src'");
    yard.fails("pip:p", "not found in 'tree/sub/.venv'");
    fs::remove_dir_all(yard.at("tree/sub/.venv")).unwrap();
    link("else", "tree/.venv");
    yard.fails("pip:p", "'tree/.venv' is a link: give the directory of the package");
}

#[test]
fn nothing_leads_out_of_the_places_of_package_managers() {
    for wanted in ["", "../x", "a/../../x", "a@", "cargo:", "a//b"] {
        assert!(DependencyName::parse(wanted).is_err(), "{wanted}");
    }
    let yard = Yard::with(&[("else/src/lib.rs", ""), ("tree/Cargo.lock", CARGO)]);
    fs::create_dir_all(yard.at("cargo/registry/src/index-1")).unwrap();
    #[cfg(unix)]
    {
        let link = yard.at("cargo/registry/src/index-1/my-crate-1.2.3");
        std::os::unix::fs::symlink(yard.at("else"), link).unwrap();
        yard.fails("my-crate", "not found in");
    }
}

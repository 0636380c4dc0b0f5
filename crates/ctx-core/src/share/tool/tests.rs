use std::fs;
use std::path::Path;
use std::time::SystemTime;

use tempfile::TempDir;

use super::*;
use crate::store::ProfileName;

struct Machine {
    root: TempDir,
    world: World,
}

impl Machine {
    fn with(files: &[(&str, &str)]) -> Self {
        let root = TempDir::new().unwrap();
        let home = root.path().join("home");
        let cwd = root.path().join("project");
        for directory in [&home, &cwd] {
            fs::create_dir(directory).unwrap();
        }
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let world = World {
            root: cwd.clone(),
            cwd,
            home: Some(home),
            project: None,
            git: crate::world::GitEnvironment::default(),
            now: SystemTime::UNIX_EPOCH,
            threads: 1,
        };
        Self { root, world }
    }

    fn read(&self, tool: Tool) -> FoundLists {
        read(tool, &self.world, &Registry::built_in(), true)
    }

    fn path(&self, relative: &str) -> std::path::PathBuf {
        self.root.path().join(Path::new(relative))
    }
}

fn paths<'f>(found: &'f FoundLists, profile: &str) -> Vec<&'f str> {
    let name: ProfileName = profile.parse().unwrap();
    found.bundle.profiles[&name].paths.iter().map(|entry| entry.path.as_str()).collect()
}

fn remarks(found: &FoundLists) -> Vec<String> {
    found.remarks.iter().map(Remark::to_string).collect()
}

#[test]
fn nothing_is_found_if_there_are_no_files() {
    let machine = Machine::with(&[]);
    for tool in Tool::ALL {
        let found = machine.read(tool);
        assert!(found.bundle.is_empty() && found.remarks.is_empty());
    }
}

#[test]
fn local_files_are_read_even_without_a_home_directory() {
    let mut machine = Machine::with(&[("project/.kiro/agents/a.json", r#"{"resources":["file://x"]}"#)]);
    machine.world.home = None;
    assert_eq!(paths(&machine.read(Tool::Kiro), "a"), ["x"]);
    assert!(machine.read(Tool::AmazonQ).bundle.is_empty());
}

#[test]
fn home_that_is_also_the_current_directory_is_read_only_once() {
    let mut machine = Machine::with(&[("home/.kiro/agents/a.json", "{}"), ("home/.kiro/steering/s.md", "s")]);
    machine.world.cwd = machine.world.home.clone().unwrap();
    let found = machine.read(Tool::Kiro);
    assert_eq!(remarks(&found), [""; 0]);
    assert_eq!(paths(&found, "default"), ["~/.kiro/steering/s.md"]);
}

#[test]
fn a_real_name_takes_precedence_over_a_mapped_one() {
    let machine = Machine::with(&[
        ("home/.aws/amazonq/cli-agents/1.json", r#"{"name":"my agent"}"#),
        ("home/.aws/amazonq/cli-agents/2.json", r#"{"name":"my-agent"}"#),
    ]);
    let found = machine.read(Tool::AmazonQ);
    let names: Vec<&str> = found.bundle.profiles.keys().map(ProfileName::as_str).collect();
    assert_eq!(names, ["my-agent", "my-agent-2"]);
    assert_eq!(remarks(&found), ["'my agent' becomes profile 'my-agent-2'"]);
}

#[test]
fn layouts_of_the_same_profile_are_combined() {
    let machine = Machine::with(&[
        (
            "home/.aws/amazonq/profiles/api/context.json",
            r#"{"paths":["a"],"hooks":{"h":{"trigger":"per_prompt","command":"x"}}}"#,
        ),
        (
            "home/.aws/amazonq/context/aliases/api.json",
            r#"{"paths":["./a","b"],"hooks":{"i":{"trigger":"conversation_start","command":"y"},"j":{"trigger":"later"}}}"#,
        ),
    ]);
    let found = machine.read(Tool::AmazonQ);
    assert_eq!(paths(&found, "api"), ["a", "cmd:x", "b", "cmd:y"]);
    assert_eq!(
        remarks(&found),
        [
            "left out of '~/.aws/amazonq/context/aliases/api.json': hook 'j' (later)",
            "profile 'api' combines '~/.aws/amazonq/profiles/api/context.json' and \
             '~/.aws/amazonq/context/aliases/api.json'",
        ]
    );
}

#[test]
fn paths_with_a_special_meaning_in_ctx_are_escaped_or_left_out() {
    let machine = Machine::with(&[(
        "home/.aws/amazonq/context/profiles/p.json",
        r#"{"paths":["!a","-","~them/x","{a","a\u0000", 3]}"#,
    )]);
    let found = machine.read(Tool::AmazonQ);
    assert_eq!(paths(&found, "p"), ["./!a", "./-"]);
    let Remark::LeftOut { parts, .. } = &found.remarks[0] else { panic!("{:?}", found.remarks) };
    assert_eq!(parts.len(), 4, "{parts:?}");
}

#[test]
fn duplicates_and_values_of_the_wrong_type_are_reported() {
    let machine = Machine::with(&[
        ("home/.aws/amazonq/profiles/a/context.json", r#"{"paths":["a.md","./a.md","b",7],"hooks":"x"}"#),
        ("home/.aws/amazonq/profiles/b/context.json", r#"{"paths":"a"}"#),
        (
            "home/.aws/amazonq/cli-agents/c.json",
            r#"{"name":5,"resources":["file://x","file://./x",true],"prompt":[1]}"#,
        ),
    ]);
    let found = machine.read(Tool::AmazonQ);
    assert_eq!(paths(&found, "a"), ["a.md", "b"]);
    assert_eq!(paths(&found, "c"), ["x"]);
    assert_eq!(
        remarks(&found),
        [
            "left out of '~/.aws/amazonq/cli-agents/c.json': name (not a string), resource true \
             (not a string), prompt (not a string), './x' (given twice)",
            "left out of '~/.aws/amazonq/profiles/a/context.json': 7 (not a string), hooks (not an object), \
             './a.md' (given twice)",
            "left out of '~/.aws/amazonq/profiles/b/context.json': paths (not a list)",
        ]
    );
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf8_are_reported() {
    use std::os::unix::ffi::OsStrExt;

    let machine = Machine::with(&[]);
    let profiles = machine.path("home/.aws/amazonq/profiles");
    fs::create_dir_all(profiles.join(std::ffi::OsStr::from_bytes(b"bad\xff"))).unwrap();
    assert_eq!(
        remarks(&machine.read(Tool::AmazonQ)),
        [r"left out of '~/.aws/amazonq/profiles': bad\xFF (not UTF-8)"]
    );
}

#[test]
fn damaged_files_are_reported() {
    let agents = "home/.aws/amazonq/cli-agents";
    let machine = Machine::with(&[
        (&format!("{agents}/a.json"), "{\n  \"resources\": [,\n"),
        (&format!("{agents}/b.json"), "[]"),
        (&format!("{agents}/c.json"), r#"{"resources":"file://x","description":7,"hooks":[1]}"#),
        (&format!("{agents}/d.json"), r#"{"name":"d","name":"e"}"#),
        (&format!("{agents}/e.json"), &"[".repeat(5_000)),
        (&format!("{agents}/f.json"), &format!("{{\"name\":\"{}\"}}", "f".repeat(1 << 20))),
        (&format!("{agents}/notes.txt"), "no agent"),
    ]);
    fs::create_dir(machine.path(&format!("{agents}/g.json"))).unwrap();
    let found = machine.read(Tool::AmazonQ);
    assert_eq!(found.bundle.profiles.len(), 1);
    let remarks = remarks(&found);
    for (remark, part) in remarks.iter().zip([
        "a.json': all of it (line 2, column 17: ",
        "b.json': all of it (line 1, column 1: ",
        "c.json': resources (not a list), description (not a string), hooks (not an object)",
        "d.json': all of it (line 1, column 18: the key \"name\" appears twice)",
        "e.json': all of it (line 1, column ",
        "f.json': all of it (too large",
        "g.json': all of it (",
    ]) {
        assert!(remark.contains(part), "{remark} lacks {part}");
    }
    assert_eq!(remarks.len(), 7, "{remarks:?}");
}

#[cfg(unix)]
#[test]
fn a_steering_file_is_imported_only_once_under_its_own_name() {
    use std::os::unix::fs::symlink;

    let steering = "project/.kiro/steering";
    let machine = Machine::with(&[
        (&format!("{steering}/rule.md"), "r"),
        (&format!("{steering}/text.txt"), "t"),
        (&format!("{steering}/z/deep.md"), "d"),
    ]);
    for (target, link) in [
        ("rule.md", "alias.md"),
        ("rule.md", "sure.md"),
        ("../rule.md", "z/a.md"),
        ("text.txt", "text.md"),
        ("z", "linked"),
    ] {
        symlink(target, machine.path(&format!("{steering}/{link}"))).unwrap();
    }
    let found = machine.read(Tool::Kiro);
    let same = |link: &str, file: &str| {
        format!("left out of '.kiro/steering/{link}': all of it (the same file as '.kiro/steering/{file}')")
    };
    assert_eq!(
        paths(&found, "default"),
        [".kiro/steering/rule.md", ".kiro/steering/z/deep.md", ".kiro/steering/text.md"]
    );
    assert_eq!(
        remarks(&found),
        [
            same("alias.md", "rule.md"),
            same("linked/deep.md", "z/deep.md"),
            same("sure.md", "rule.md"),
            same("z/a.md", "rule.md"),
        ]
    );
}

#[cfg(unix)]
#[test]
fn files_that_cannot_be_read_are_reported() {
    use std::os::unix::fs::symlink;

    let machine = Machine::with(&[
        ("home/.kiro/agents/reviewer.md", "---\nname: reviewer\n---\nYou review.\n"),
        ("home/.kiro/agents/notes.txt", ""),
        ("home/.aws/amazonq/context/profiles", "no directory"),
        ("home/.aws/amazonq/profiles/empty/notes.txt", ""),
        ("home/.aws/amazonq/profiles/broken/notes.txt", ""),
    ]);
    for link in [
        "home/.kiro/agents/gone.json",
        "project/.kiro/agents",
        "home/.aws/amazonq/global_context.json",
        "home/.aws/amazonq/profiles/broken/context.json",
    ] {
        fs::create_dir_all(machine.path(link).parent().unwrap()).unwrap();
        symlink("nowhere", machine.path(link)).unwrap();
    }
    assert_eq!(
        remarks(&machine.read(Tool::Kiro)),
        [
            "left out of '.kiro/agents': all of it (broken link)",
            "left out of '~/.kiro/agents/gone.json': all of it (broken link)",
            "left out of '~/.kiro/agents/reviewer.md': all of it (only agents in JSON are read)",
        ]
    );
    assert_eq!(
        remarks(&machine.read(Tool::AmazonQ)),
        [
            "left out of '~/.aws/amazonq/global_context.json': all of it (broken link)",
            "left out of '~/.aws/amazonq/profiles/broken/context.json': all of it (broken link)",
            "left out of '~/.aws/amazonq/context/profiles': all of it (not a directory)",
        ]
    );
}

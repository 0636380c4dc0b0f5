//! Obstacles from file systems and other programs: read-only directories, a full disk, open files, and
//! case-insensitive names.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::{Command, Output};

use super::state::{Thing, files};
use crate::states::run;
use crate::support::{Sandbox, binary, skipped};

/// The user id of somebody other than root.
const NOBODY: u32 = 65_534;

fn shell(sandbox: &Sandbox, command: &mut Command, script: &str) -> Output {
    let script = format!("ctx() {{ '{}' \"$@\"; }}\n{script}", binary().display());
    command.args(["sh", "-c", &script]).current_dir(sandbox.project()).env_clear();
    command.envs(sandbox.environment()).output().unwrap()
}

/// `ctx ARGS` as a user who is subject to permissions; `None` if that isn't possible.
fn run_as_nobody(sandbox: &Sandbox, args: &[&str]) -> Option<Output> {
    if !rustix::process::geteuid().is_root() {
        return Some(run(sandbox, args));
    }
    let root = sandbox.project().parent().unwrap().to_owned();
    chown(sandbox.home(), Some(NOBODY), Some(NOBODY)).unwrap();
    for path in files(&root).into_keys().map(|path| root.join(path)) {
        std::os::unix::fs::lchown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
        for above in path.ancestors().take_while(|above| above.starts_with(&root)) {
            chown(above, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }
    let id = NOBODY.to_string();
    let mut command = Command::new("setpriv");
    command.args([&format!("--reuid={id}"), &format!("--regid={id}"), "--clear-groups"]);
    command.arg(binary()).args(args).current_dir(sandbox.project()).env_clear();
    command.envs(sandbox.environment()).output().ok()
}

#[test]
fn files_in_a_read_only_directory_are_reported_and_the_rest_is_restored() {
    let sandbox = Sandbox::with(&[
        ("ro/changed", "one\n"),
        ("ro/missing", "one\n"),
        ("rw", "one\n"),
        ("ro/mode", "one\n"),
    ]);
    let Some(output) = run_as_nobody(&sandbox, &["checkpoint", "create", "-q"]) else {
        return skipped("root cannot become somebody else");
    };
    assert_eq!(String::from_utf8_lossy(&output.stdout), "1\n", "{output:?}");
    sandbox.write("ro/changed", "two\n");
    fs::remove_file(sandbox.path("ro/missing")).unwrap();
    sandbox.write("ro/newer", "two\n");
    sandbox.write("rw", "two\n");
    fs::set_permissions(sandbox.path("ro/mode"), Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(sandbox.path("ro"), Permissions::from_mode(0o555)).unwrap();
    let before = files(&sandbox.path("ro"));
    let output = run_as_nobody(&sandbox, &["checkpoint", "restore", "1", "--hard"]).unwrap();
    fs::set_permissions(sandbox.path("ro"), Permissions::from_mode(0o755)).unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "Restored 2 files from 1; the state before is checkpoint 2: ctx checkpoint restore 2\n\
         error: 'ro/newer' stays as it is: permission denied\n\
         error: 'ro/changed' stays as it is: permission denied\n\
         error: 'ro/missing' stays as it is: permission denied\n"
    );
    assert_eq!(output.status.code(), Some(1));
    let mut expected = before;
    let mode = Thing::File { bytes: b"one\n".to_vec(), executable: false };
    expected.insert("mode".into(), mode);
    assert_eq!(files(&sandbox.path("ro")), expected);
    assert_eq!(sandbox.read("rw"), "one\n");
}

/// Runs a script with the project on a small separate file system.
fn on_a_small_disk(sandbox: &Sandbox, script: &str) -> Option<String> {
    let mut command = Command::new("unshare");
    command.arg("--mount");
    let mount =
        format!("mount -t tmpfs -o size=2m none '{0}' && cd '{0}' || exit 77\n", sandbox.project().display());
    let output = shell(sandbox, &mut command, &format!("{mount}{script}"));
    let text = [output.stdout, output.stderr].concat();
    (output.status.code() != Some(77)
        && output.status.code().is_some()
        && rustix::process::geteuid().is_root())
    .then(|| String::from_utf8_lossy(&text).replace(sandbox.project().to_str().unwrap(), "<project>"))
}

#[test]
fn a_restore_without_enough_disk_space_changes_nothing() {
    let sandbox = Sandbox::new();
    let script = "exec 2>&1
        printf 'fill\\n' > .gitignore
        head -c 900000 /dev/urandom > a; cp a ../first
        ctx checkpoint create
        head -c 900000 /dev/urandom > a; cp a ../second
        head -c 800000 /dev/zero > fill
        ctx checkpoint restore 1; echo $?
        cmp a ../second && ls -A
        rm fill
        ctx checkpoint restore 1; echo $?
        cmp a ../first && ls -A";
    let Some(printed) = on_a_small_disk(&sandbox, script) else {
        return skipped("nothing can be mounted here");
    };
    assert_eq!(
        printed,
        "1\n\
         error: no space for 900,000 bytes on the disk of '<project>'; nothing was changed\n\
         1\n\
         .gitignore\na\nfill\n\
         Restored 1 file from 1; the state before is checkpoint 3: ctx checkpoint restore 3\n\
         0\n\
         .gitignore\na\n"
    );
}

#[test]
fn an_open_file_is_restored_and_its_readers_keep_the_old_contents() {
    let sandbox = Sandbox::with(&[("a", "one\n"), ("b", "one\n")]);
    sandbox.ctx(["checkpoint", "create", "-q"]).stdout("1\n").check();
    sandbox.write("a", "two\n");
    sandbox.write("newer", "two\n");
    let mut reader = File::open(sandbox.path("a")).unwrap();
    let mut writer = OpenOptions::new().append(true).open(sandbox.path("newer")).unwrap();
    sandbox.ctx(["checkpoint", "restore", "1", "--hard", "-q"]).check();
    assert_eq!(sandbox.read("a"), "one\n");
    assert!(!sandbox.path("newer").exists());
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    assert_eq!(text, "two\n");
    // Later writes go to the deleted file.
    writer.write_all(b"three\n").unwrap();
    sandbox.ctx(["checkpoint", "restore", "2", "--hard", "-q"]).check();
    assert_eq!((sandbox.read("a"), sandbox.read("newer")), ("two\n".to_owned(), "two\n".to_owned()));
}

#[test]
fn names_that_differ_only_in_case_lose_nothing_if_case_does_not_count() {
    let sandbox = Sandbox::with(&[("Readme", "one\n"), ("Src/a", "one\n"), ("same", "one\n")]);
    if !Path::new(&sandbox.path("README")).exists() {
        return skipped("case counts in names here");
    }
    sandbox.ctx(["checkpoint", "create", "-q"]).stdout("1\n").check();
    fs::rename(sandbox.path("Readme"), sandbox.path("README")).unwrap();
    sandbox.write("README", "two\n");
    fs::rename(sandbox.path("Src"), sandbox.path("src")).unwrap();
    let changed = files(&sandbox.project());
    sandbox
        .ctx(["checkpoint", "restore", "1", "--hard"])
        .code(1)
        .stderr(
            "error: 'Readme' stays as it is: 'README' is the same name here\n\
             error: 'Src/a' stays as it is: 'src/a' is the same name here\n",
        )
        .check();
    assert_eq!(files(&sandbox.project()), changed);
}

//! The work root: the directory that relative entries and labels start from.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use crate::support::{Sandbox, block, block_of};

/// A repository with files at three levels.
fn repository() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("README.md", "root\n"),
        ("src/main.rs", "main\n"),
        ("src/deep/README.md", "deep\n"),
        ("src/deep/a.rs", "a\n"),
    ]);
    sandbox.repository();
    sandbox
}

/// Makes a directory in the home directory a repository that git accepts.
fn checkout(sandbox: &Sandbox, name: &str, file: &str) -> PathBuf {
    let top = sandbox.home().join(name);
    for directory in [".git/objects", ".git/refs", "sub"] {
        fs::create_dir_all(top.join(directory)).unwrap();
    }
    fs::write(top.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(top.join(file), format!("{name}\n")).unwrap();
    top
}

#[test]
fn list_selects_the_same_files_in_every_directory() {
    let sandbox = repository();
    let (src, deep) = (sandbox.path("src"), sandbox.path("src/deep"));
    sandbox.ctx_in(&src, ["add", "-q", "main.rs"]).check();
    sandbox.ctx_in(&deep, ["add", "-q", "*.rs", "!../m*", "../../README.md"]).check();
    assert_eq!(sandbox.stored_entries(), json!(["src/main.rs", "src/deep/*.rs", "!src/m*", "README.md"]));
    let all = block_of(&[("src/main.rs", "main\n"), ("src/deep/a.rs", "a\n"), ("README.md", "root\n")]);
    for directory in [sandbox.project(), src, deep] {
        sandbox.ctx_in(&directory, ["render", "-q"]).stdout(all.as_str()).check();
        // A typed path is relative to the current directory, and labelled from the root.
        sandbox.ctx_in(&directory, ["render", "-q", "--only", "./"]).stdout_any().check();
    }
    let deep = sandbox.path("src/deep");
    sandbox
        .ctx_in(&deep, ["render", "-q", "--only", "README.md", "../*.rs"])
        .stdout(block_of(&[("src/deep/README.md", "deep\n"), ("src/main.rs", "main\n")]))
        .check();
    sandbox
        .ctx_in(&deep, ["render", "-q", "--only", "--paths", "absolute", "a.rs"])
        .stdout(block("[<project>/src/deep/a.rs]\na\n").as_str())
        .check();
}

#[test]
fn path_added_in_a_subdirectory_is_stored_and_reported_relative_to_the_root() {
    let sandbox = repository();
    let src = sandbox.path("src");
    sandbox
        .ctx_in(&src, ["add", "main.rs"])
        .stderr_has("Added 'src/main.rs' to profile 'default': 1 file, 2 tokens\n")
        .check();
    sandbox.ctx_in(&src, ["add", "./main.rs"]).stderr_has("'src/main.rs' already exists").check();
    fs::write(sandbox.home().join("notes.md"), "notes\n").unwrap();
    sandbox
        .ctx_in(&src, ["add", "../../home/notes.md"])
        .stderr_has("Added '~/notes.md' to profile")
        .stderr_has("note: '../../home/notes.md' is outside <project>: stored as '~/notes.md'\n")
        .check();
    sandbox.ctx(["render", "-q"]).stdout_has("[~/notes.md]\nnotes\n").check();
    for pattern in ["*/../x", "{..,a}/x"] {
        sandbox
            .ctx_in(&src, ["add", pattern])
            .code(2)
            .stderr(format!(
                "error: Invalid path '{pattern}': '..' cannot follow a wildcard or be in braces\n"
            ))
            .check();
    }
    sandbox
        .ctx_in(&src, ["add", "cmd:cat main.rs"])
        .stderr_has("note: 'cmd:cat main.rs' runs in <project>\n")
        .check();
}

#[test]
fn named_entry_is_relative_to_the_current_directory_or_else_to_the_root() {
    let sandbox = repository();
    let deep = sandbox.path("src/deep");
    sandbox.ctx(["add", "-q", "README.md", "src/main.rs", "src/deep/a.rs"]).check();
    // `README.md` is a different file here.
    sandbox
        .ctx_in(&deep, ["rm", "README.md"])
        .code(1)
        .stderr(
            "error: None of the specified paths were found in the context\nhint: ctx rm ../../README.md\n",
        )
        .check();
    sandbox
        .ctx_in(&deep, ["set", "--pin", "README.md"])
        .code(1)
        .stderr_has("\nhint: did you mean '../../README.md'?\n")
        .check();
    let out = sandbox.ctx_in(&deep, ["explain", "README.md"]).stdout_has("README.md is left out: ");
    out.stderr("hint: ctx add README.md\n").check();
    sandbox
        .ctx_in(&deep, ["explain", "src/main.rs"])
        .stdout_has("src/main.rs is printed whole: 2 tokens\n")
        .check();
    sandbox.ctx_in(&deep, ["set", "-q", "--pin", "a.rs", "src/main.rs"]).check();
    sandbox
        .ctx_in(&deep, ["rm", "a.rs", "src/main.rs", "../../README.md"])
        .stderr(
            "Removed 'src/deep/a.rs' from profile 'default'\n\
             to bring it back: ctx add --pin src/deep/a.rs\n\
             Removed 'src/main.rs' from profile 'default'\nto bring it back: ctx add --pin src/main.rs\n\
             Removed 'README.md' from profile 'default'\n",
        )
        .check();
}

#[test]
#[cfg_attr(windows, ignore = "it needs programs of POSIX")]
fn stored_command_runs_in_the_root_and_a_typed_one_in_the_current_directory() {
    let sandbox = repository();
    let src = sandbox.path("src");
    sandbox.ctx(["add", "-q", "cmd:ls", "git:diff -- src"]).check();
    sandbox
        .ctx_in(&src, ["render", "-q", "--only", "cmd:ls"])
        .stdout_has("[cmd:ls]\ndeep\nmain.rs\n")
        .check();
    sandbox.ctx_in(&src, ["render", "-q"]).stdout_has("[cmd:ls]\nREADME.md\nsrc\n").check();
    sandbox
        .ctx_in(&src, ["render", "-q", "cmd:ls"])
        .stdout_has("[cmd:ls]\nREADME.md\nsrc\n")
        .stdout_has("[cmd:ls (2)]\ndeep\nmain.rs\n")
        .check();
}

#[test]
fn reference_missing_in_the_current_directory_is_looked_up_from_the_root() {
    let sandbox = repository();
    let deep = sandbox.path("src/deep");
    sandbox
        .ctx_in(&deep, ["render", "--only", "-p", "See @README.md, @src/main.rs and @src/gone.rs."])
        .stdout_has("[src/deep/README.md]\ndeep\n\n[src/main.rs]\nmain\n")
        .stderr_has("'@src/gone.rs' does not exist; left as text")
        .check();
}

#[test]
fn home_directory_that_is_a_repository_is_not_a_root_but_a_checkout_below_it_is() {
    let sandbox = Sandbox::with(&[]);
    let home = sandbox.home();
    for directory in [".git/objects", ".git/refs", "notes"] {
        fs::create_dir_all(home.join(directory)).unwrap();
    }
    fs::write(home.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(home.join("notes/README.md"), "notes\n").unwrap();
    let code = checkout(&sandbox, "code", "README.md");
    let why = "note: '~/.git' is ignored, since the home directory is in that repository: stored paths are relative \
               to ~/notes\n";
    sandbox
        .ctx_in(&home.join("notes"), ["add", "README.md"])
        .stderr(format!("Added 'README.md' to profile 'default': 1 file, 2 tokens\n{why}"))
        .check();
    sandbox.ctx_in(&home.join("notes"), ["render"]).stdout(block("[README.md]\nnotes\n")).stderr(why).check();
    sandbox.ctx_in(&code.join("sub"), ["render"]).stdout(block("[README.md]\ncode\n")).check();
    sandbox.ctx_in(&home, ["-q", "render"]).check();
}

#[test]
fn git_directory_that_git_would_refuse_is_reported_as_ignored() {
    let sandbox = Sandbox::with(&[("README.md", "a\n"), ("sub/README.md", "b\n")]);
    sandbox.write(".git", "gitdir: nowhere\n");
    sandbox.ctx(["add", "-q", "README.md"]).check();
    sandbox
        .ctx_in(&sandbox.path("sub"), ["render"])
        .stdout(block("[README.md]\nb\n"))
        .stderr(
            "note: '<project>/.git' is ignored, since git finds no repository there: stored paths are relative to \
             <project>/sub\n",
        )
        .check();
}

#[test]
fn git_directory_that_is_ignored_is_reported_by_commands_that_use_the_root() {
    let sandbox = Sandbox::with(&[("sub/README.md", "keys\n")]);
    sandbox.write(".git", "gitdir: nowhere\n");
    let sub = sandbox.path("sub");
    let why = "'<project>/.git' is ignored, since git finds no repository there:";
    for command in [&["ask", "keys"][..], &["search", "keys"]] {
        let said = format!("note: {why} the root is <project>/sub\n");
        sandbox.ctx_in(&sub, command).stdout_has("keys").stderr(said).check();
    }
    for command in [&["profile"][..], &["switch", "-c", "api"]] {
        let said = format!("note: {why} ");
        sandbox.ctx_in(&sub, command).stdout_any().stderr_has(&said).check();
    }
    sandbox.ctx_in(&sub, ["-q", "ask", "keys"]).stdout_has("keys").check();
}

#[cfg(unix)]
#[test]
fn repository_of_another_user_is_not_a_root() {
    let sandbox = repository();
    sandbox.ctx(["add", "-q", "README.md"]).check();
    // Only root can give a directory away.
    if std::os::unix::fs::chown(sandbox.path(".git"), Some(12_345), None).is_ok() {
        sandbox
            .ctx_in(&sandbox.path("src/deep"), ["render"])
            .stdout(block("[README.md]\ndeep\n"))
            .stderr_has("note: '<project>/.git' is ignored, since it belongs to another user: ")
            .check();
    }
}

#[test]
fn worktree_and_submodule_have_their_own_roots() {
    let sandbox = repository();
    for (name, git) in [("tree", "worktrees/w"), ("module", "modules/m")] {
        let git_dir = sandbox.path(".git").join(git);
        fs::create_dir_all(git_dir.join("objects")).unwrap();
        fs::create_dir_all(git_dir.join("refs")).unwrap();
        fs::write(git_dir.join("HEAD"), "ref: refs/heads/w\n").unwrap();
        sandbox.write(&format!("{name}/.git"), format!("gitdir: ../.git/{git}\n"));
        sandbox.write(&format!("{name}/README.md"), format!("{name}\n"));
        sandbox.write(&format!("{name}/sub/x"), "");
    }
    fs::write(sandbox.path(".git/worktrees/w/commondir"), "../..\n").unwrap();
    sandbox.ctx(["add", "-q", "README.md"]).check();
    for name in ["tree", "module"] {
        let below = sandbox.path(name).join("sub");
        sandbox.ctx_in(&below, ["render"]).stdout(block(&format!("[README.md]\n{name}\n"))).check();
    }
}

#[test]
fn each_repository_has_its_own_active_profile() {
    let sandbox = repository();
    let other = checkout(&sandbox, "other", "a.md");
    sandbox.ctx(["switch", "-c", "pa"]).stderr("Created and switched to profile: pa\n").check();
    sandbox.ctx(["add", "-q", "README.md"]).check();
    sandbox.ctx_in(&other, ["switch", "-q", "-c", "pb"]).check();
    sandbox.ctx_in(&other.join("sub"), ["add", "-q", "../a.md"]).check();
    for (directory, profile, documents) in [
        (sandbox.path("src/deep"), "pa", "[README.md]\nroot\n"),
        (other.join("sub"), "pb", "[a.md]\nother\n"),
    ] {
        sandbox.ctx_in(&directory, ["profile", "--current"]).stdout(format!("{profile}\n")).check();
        sandbox.ctx_in(&directory, ["render", "-q"]).stdout(block(documents)).check();
    }
    sandbox.ctx(["show"]).stdout_has("current profile: pa (chosen for <project>)\n").check();
    sandbox
        .ctx_in(&other, ["profile"])
        .stdout("current profile: pb (chosen for ~/other)\n  default\n  pa\n* pb\n")
        .check();
    // No profile was chosen outside of both repositories, or in a third one.
    let third = checkout(&sandbox, "third", "a.md");
    for directory in [sandbox.home(), third.clone()] {
        sandbox.ctx_in(&directory, ["profile", "--current"]).stdout("default\n").check();
    }
    sandbox.ctx_in(&sandbox.home(), ["switch", "-q", "pa"]).check();
    sandbox.ctx_in(&third, ["profile", "--current"]).stdout("default\n").check();
    sandbox.ctx_in(&sandbox.home(), ["profile", "--current"]).stdout("pa\n").check();
    sandbox.ctx(["switch", "-"]).stderr("Switched to profile: default\n").check();
    sandbox.ctx(["switch", "-"]).stderr("Switched to profile: pa\n").check();
}

#[test]
fn profile_for_all_repositories_is_used_if_none_was_chosen() {
    let sandbox = repository();
    let other = checkout(&sandbox, "other", "a.md");
    sandbox.ctx(["switch", "-q", "-c", "api"]).check();
    sandbox
        .ctx(["switch", "-g", "-c", "notes"])
        .stderr(
            "Created and switched to profile: notes\nnote: 'api' stays active here: 'ctx switch notes' changes \
             that\n",
        )
        .check();
    sandbox
        .ctx_in(&other, ["-q", "show"])
        .stdout_has("current profile: notes (chosen for all repositories)\n")
        .check();
    sandbox.ctx_in(&other, ["switch", "default"]).stderr("Switched to profile: default\n").check();
    sandbox.ctx_in(&other, ["profile", "--current"]).stdout("default\n").check();
    sandbox.ctx_in(&other, ["switch", "-"]).stderr("Switched to profile: notes\n").check();
    // A project has its own profiles.
    sandbox.ctx_in(&other, ["-q", "init"]).check();
    sandbox.ctx_in(&other, ["profile", "--current"]).stdout("default\n").check();
    sandbox
        .ctx_in(&other, ["switch", "-g", "api"])
        .stderr("Switched to profile: api\nnote: 'default' stays active here\n")
        .check();
    sandbox.ctx_in(&sandbox.home(), ["profile", "--current"]).stdout("api\n").check();
}

#[test]
fn renamed_profile_stays_chosen_and_deleting_one_that_is_chosen_elsewhere_needs_force() {
    let sandbox = repository();
    let other = checkout(&sandbox, "other", "a.md");
    for directory in [sandbox.project(), other.clone(), sandbox.home()] {
        sandbox
            .ctx_in(&directory, ["-q", "profile", "-c", "api"])
            .code(i32::from(directory != sandbox.project()))
            .stderr_any()
            .check();
        sandbox.ctx_in(&directory, ["-q", "switch", "api"]).check();
    }
    sandbox.ctx(["profile", "-m", "api", "rest"]).stderr("Renamed profile 'api' to 'rest'\n").check();
    for directory in [sandbox.project(), other.clone(), sandbox.home()] {
        sandbox.ctx_in(&directory, ["profile", "--current"]).stdout("rest\n").check();
    }
    sandbox
        .ctx(["profile", "-d", "rest"])
        .code(1)
        .stderr_has("Cannot delete the active profile. Switch to another profile first")
        .check();
    sandbox.ctx(["add", "-q", "README.md"]).check();
    sandbox.ctx(["clear"]).stderr_has("note: profile 'rest' is also active under 2 other roots\n").check();
    sandbox.ctx(["-q", "switch", "default"]).check();
    sandbox
        .ctx(["profile", "-d", "rest"])
        .code(1)
        .stderr(
            "error: Profile 'rest' is chosen for ~/other, outside of repositories\nhint: --force chooses 'default' there\n",
        )
        .check();
    sandbox.ctx_in(&other, ["profile", "--current"]).stdout("rest\n").check();
    sandbox
        .ctx(["profile", "-d", "rest", "--force"])
        .stderr(
            "Deleted profile 'rest'\nnote: 'default' is chosen now for ~/other, outside of repositories\n",
        )
        .check();
    for directory in [&other, &sandbox.home()] {
        sandbox.ctx_in(directory, ["profile", "--current"]).stdout("default\n").check();
    }
    sandbox.ctx_in(&other, ["-q", "render"]).check();
}

#[test]
fn recreated_directory_keeps_the_chosen_profile_with_a_note() {
    let sandbox = Sandbox::with(&[]);
    let top = checkout(&sandbox, "code", "a.md");
    sandbox.ctx_in(&top, ["-q", "switch", "-c", "api"]).check();
    sandbox.ctx_in(&top, ["-q", "add", "a.md"]).check();
    fs::rename(&top, sandbox.home().join("old")).unwrap();
    let again = checkout(&sandbox, "code", "a.md");
    let note = "note: profile 'api' was chosen for an earlier directory at ~/code; 'ctx switch api' chooses it for \
                this one\n";
    sandbox.ctx_in(&again, ["render"]).stdout(block("[a.md]\ncode\n")).stderr(note).check();
    sandbox.ctx_in(&again, ["-q", "switch", "api"]).check();
    sandbox.ctx_in(&again, ["render"]).stdout(block("[a.md]\ncode\n")).check();
}

#[cfg(unix)]
#[test]
fn worktree_and_submodule_use_the_profile_chosen_for_the_main_repository() {
    use crate::projects::support::git;
    let sandbox = Sandbox::with(&[("README.md", "main\n"), ("../lib/README.md", "lib\n")]);
    let (project, lib) = (sandbox.project(), sandbox.home().with_file_name("lib"));
    for directory in [&project, &lib] {
        git(&sandbox, directory, &["init", "-q"]);
        git(&sandbox, directory, &["add", "-A"]);
        git(&sandbox, directory, &["commit", "-q", "-m", "x"]);
    }
    git(&sandbox, &project, &["worktree", "add", "-q", "../tree"]);
    let lib = lib.to_str().unwrap();
    git(
        &sandbox,
        &project,
        &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib, "module"],
    );
    sandbox.ctx(["-q", "switch", "-c", "api"]).check();
    let tree = sandbox.home().with_file_name("tree");
    for directory in [tree.clone(), sandbox.path("module")] {
        sandbox
            .ctx_in(&directory, ["-q", "show"])
            .stdout_has("current profile: api (chosen for <project>)\n")
            .check();
    }
    sandbox.ctx_in(&tree, ["-q", "switch", "default"]).check();
    sandbox.ctx_in(&tree, ["profile", "--current"]).stdout("default\n").check();
    sandbox.ctx(["profile", "--current"]).stdout("api\n").check();
}

#[test]
#[cfg_attr(windows, ignore = "it needs the words and devices of POSIX")]
fn directory_options_change_where_the_command_runs() {
    let sandbox = repository();
    sandbox.ctx(["add", "-q", "README.md"]).check();
    let home = sandbox.home();
    let all = block("[README.md]\nroot\n\n[src/main.rs]\nmain\n");
    sandbox.ctx_in(&home, ["-C", "../project", "-C", "src", "render", "main.rs"]).stdout(all).check();
    sandbox
        .ctx_in(&home, ["-C", "gone", "show"])
        .code(1)
        .stderr("error: cannot change to 'gone': no such file or directory\n")
        .check();
}

#[test]
#[cfg_attr(windows, ignore = "it needs the words and devices of POSIX")]
fn init_copies_the_entries_of_a_profile_that_match_here() {
    let sandbox = repository();
    sandbox.ctx(["add", "-q", "README.md", "src/*.rs", "/etc/hostname"]).check();
    sandbox.ctx(["-q", "add", "-f", "gone.md"]).check();
    sandbox
        .ctx(["init", "src"])
        .stderr("Created project <project>/src: 'ctx add' now adds to it; commit .ctx to share it\n")
        .check();
    fs::remove_dir_all(sandbox.path("src/.ctx")).unwrap();
    let hint = "note: profile 'default' matches files here; 'ctx init --from default' copies its entries\n";
    sandbox.ctx(["init"]).stderr_has(hint).check();
    let added = "Added 'README.md' to profile 'default'\nAdded 'src/*.rs' to profile 'default'\n\
                 note: left out: '/etc/hostname' (a project's files may not name an absolute path), 'gone.md' (not found)\n";
    sandbox.ctx(["init", "--from", "default"]).stderr_has(added).check();
    sandbox
        .ctx(["render", "-q"])
        .stdout(block_of(&[("README.md", "root\n"), ("src/main.rs", "main\n")]))
        .check();
    sandbox
        .ctx(["init", "--from", "default"])
        .stderr_has("is already a project\n")
        .stderr_lacks("Added")
        .check();
    sandbox
        .ctx_in(&sandbox.path("src"), ["init"])
        .stderr_has("note: it is inside project <project>, whose profiles are not used in <project>/src\n")
        .check();
}

#[test]
#[cfg_attr(windows, ignore = "it needs the words and devices of POSIX")]
fn init_copies_only_what_is_there_and_lists_everything_else() {
    let sandbox = repository();
    sandbox.ctx(["switch", "-q", "-c", "mine"]).check();
    let texts = ["git:diff", "git:log", "todo:l", "cmd:cat README.md"];
    sandbox.ctx([&["-q", "add", "-f", "n1", "n2", "n3", "n4"][..], &texts].concat()).check();
    sandbox.ctx(["profile", "-q", "--set", "budget=9k", "--set", "program=llm"]).check();
    let created = "Created project <project>: 'ctx add' now adds to it; commit .ctx to share it\n";
    let told = format!(
        "{created}Added 'git:diff' to profile 'default'\nAdded 'git:log' to profile 'default'\n\
         Added 'cmd:cat README.md' to profile 'default'\nnote: left out: 'n1' (not found), 'n2' (not found), \
         'n3' (not found), 'n4' (not found), 'todo:l' (List 'l' does not exist)\n\
         note: not copied from profile 'mine': budget; 'ctx profile --set KEY=VALUE' sets them here\n\
         note: not copied from profile 'mine': program; only your own profiles can have them\n"
    );
    sandbox.ctx(["init", "--from", "mine"]).stderr(told).check();
    let empty = sandbox.home().join("empty");
    fs::create_dir_all(&empty).unwrap();
    sandbox.ctx_in(&empty, ["switch", "-q", "mine"]).check();
    let nothing = "Created project ~/empty: 'ctx add' now adds to it; commit .ctx to share it\n";
    sandbox.ctx_in(&empty, ["init"]).stderr(nothing).check();
    let without = "'git:diff' (there is no repository), 'git:log' (there is no repository)";
    sandbox
        .ctx_in(&empty, ["init", "--from", "mine"])
        .stderr_lacks("Added 'git:")
        .stderr_has(without)
        .check();
    sandbox
        .ctx_in(&empty, ["init", "new", "--from", "nope"])
        .code(1)
        .stderr_has("'nope' does not exist")
        .check();
    assert!(!empty.join("new").exists());
}

#[test]
fn file_in_place_of_a_directory_of_a_project_is_not_blamed_on_the_store() {
    let sandbox = repository();
    sandbox.write(".ctx", "");
    let error = |path: &str| {
        format!(
            "error: '<project>/{path}' is not a directory\nhint: move it out of the way: a project keeps its profiles there\n"
        )
    };
    sandbox.ctx(["init"]).code(1).stderr(error(".ctx")).check();
    fs::remove_file(sandbox.path(".ctx")).unwrap();
    sandbox.write(".ctx/profiles", "");
    sandbox.ctx(["init"]).code(1).stderr(error(".ctx/profiles")).check();
    if cfg!(unix) {
        let ignored = "not a directory\nhint: --no-project ignores the project's files\n";
        sandbox.ctx(["show"]).code(1).stderr_has(ignored).stderr_lacks("CTX_HOME").check();
    }
}

#[test]
fn project_is_told_what_it_does_not_get() {
    let sandbox = repository();
    sandbox.write(".amazonq/rules/a.md", "rule\n");
    sandbox.write(".gitignore", ".amazonq/\n");
    sandbox.ctx(["add", "-q", "README.md"]).check();
    sandbox.ctx(["add", "-q", "--allow", "ignored", ".amazonq/rules/*.md"]).check();
    sandbox.ctx(["add", "-q", "--force", ".amazonq/rules/**/*.md"]).check();
    sandbox.ctx(["profile", "-q", "--set", "instruction=Be kind.", "--set", "model=gpt-5"]).check();
    let told = "note: left out: '.amazonq/rules/*.md' (a project's files may not set \"allow\"), \
                '.amazonq/rules/**/*.md' ('.amazonq/rules' is not searched: ignored by <project>/.gitignore:1: .amazonq/)\n\
                note: not copied from profile 'default': instruction and model; 'ctx profile --set KEY=VALUE' sets \
                them here\n";
    sandbox.ctx(["init", "--from", "default"]).stderr_has("Added 'README.md'").stderr_has(told).check();
}

#[cfg(unix)]
#[test]
fn git_directory_is_no_root_to_search_but_the_work_trees_in_it_are() {
    use crate::projects::support::git;
    let sandbox = Sandbox::with(&[("../home/code/README.md", "About keys.\n")]);
    let (home, code) = (sandbox.home(), sandbox.home().join("code"));
    git(&sandbox, &code, &["init", "-q"]);
    git(&sandbox, &code, &["add", "-A"]);
    git(&sandbox, &code, &["commit", "-q", "-m", "x"]);
    git(&sandbox, &home, &["clone", "-q", "--bare", "code", "bare"]);
    let bare = home.join("bare");
    let none = "error: there is no work tree here: '~/bare' is in a git directory\n";
    sandbox.ctx_in(&bare, ["ask", "keys?"]).code(1).stderr(none).check();
    sandbox.ctx_in(&bare, ["init"]).code(1).stderr_has("'~/bare': it is in a git directory").check();
    sandbox.ctx_in(&bare, ["init", "refs/new"]).code(1).stderr_has("it is in a git directory").check();
    assert!(!bare.join(".ctx").exists() && !bare.join("refs/new").exists());
    sandbox.ctx_in(&bare, ["search", "keys"]).code(1).stderr(none).check();
    let below = bare.join("refs");
    sandbox.ctx_in(&below, ["ask", "keys?"]).code(1).stderr(none.replace("bare'", "bare/refs'")).check();
    let inside = "it is in a git directory, which is never entered\n";
    for arguments in [&["ask", "keys?", "."][..], &["render", "*"], &["render", "../bare"], &["add", "*"]] {
        sandbox.ctx_in(&bare, arguments).code(1).stderr_has(inside).check();
    }
    git(&sandbox, &bare, &["worktree", "add", "-q", "main"]);
    let main = bare.join("main");
    let named = format!("{none}hint: main is a work tree of it\n");
    sandbox.ctx_in(&bare, ["ask", "keys?"]).code(1).stderr(named).check();
    let answer = block("[README.md]\nAbout keys.\n") + "\nkeys?\n";
    sandbox.ctx_in(&main, ["ask", "keys?"]).stdout(answer).check();
    sandbox.ctx_in(&main, ["render", "*.md"]).stdout(block("[README.md]\nAbout keys.\n")).check();
    sandbox.ctx_in(&main, ["render", "../config"]).code(1).stderr_has(inside).check();
    // A search that begins elsewhere leaves out the git directory. A file in it is refused unless --allow
    // secret-names is given.
    fs::create_dir_all(sandbox.path("vendor")).unwrap();
    fs::rename(&bare, sandbox.path("vendor/copy")).unwrap();
    sandbox.write("a.md", "Other keys.\n");
    sandbox
        .ctx(["ask", "keys?"])
        .stdout(block("[a.md]\nOther keys.\n") + "\nkeys?\n")
        .stderr("note: 1 git directory left out: 'vendor/copy'\n")
        .check();
    sandbox.ctx(["add", "-q", "**"]).check();
    let out = "matched by '**' (profile, pattern), which never enters a git directory";
    sandbox.ctx(["explain", "vendor/copy/config"]).stdout_has(out).check();
    let allowed = ["render", "--only", "--allow", "secret-names", "vendor/copy/HEAD"];
    sandbox.ctx(allowed).stdout_has("ref: refs/heads/").check();
    for name in ["vendor/copy/HEAD", "vendor/copy/config"] {
        sandbox.ctx(["render", "--only", name]).code(1).stderr_has(inside).check();
        sandbox.ctx(["ask", "keys?", name]).code(1).stderr_has(inside).check();
    }
    let left = "'@vendor/copy/config' is in the git directory; left as text";
    sandbox.ctx(["render", "--only", "-p", "@vendor/copy/config"]).stdout_any().stderr_has(left).check();
}

#[cfg(unix)]
#[test]
fn directory_that_only_looks_like_a_git_directory_is_searched() {
    let sandbox =
        Sandbox::with(&[("HEAD", "ref: refs/heads/x\n"), ("objects/z.txt", "zebra\n"), ("refs/a", "")]);
    crate::projects::support::git(&sandbox, &sandbox.project(), &["init", "-q"]);
    for (path, text) in [("b/HEAD", "not a head, but a zebra\n"), ("b/objects/a", ""), ("b/refs/a", "")] {
        sandbox.write(path, text);
    }
    let files = |directory: &str| {
        let asked = sandbox.ctx_in(&sandbox.path(directory), ["ask", "-b", "16k", "zebra?"]);
        asked
            .stdout_has("[objects/z.txt]\nzebra\n")
            .stdout_has("[b/HEAD]\nnot a head, but a zebra\n")
            .check();
    };
    files(".");
    files("objects");
    files("b");
    sandbox.ctx(["render", "b/*"]).stdout_has("[b/HEAD]\n").check();
    sandbox.write("b/HEAD", "ref: refs/heads/x\n");
    sandbox
        .ctx(["ask", "zebra?"])
        .stdout_lacks("b/HEAD")
        .stderr_has("1 git directory left out: 'b'\n")
        .check();
}

#[cfg(unix)]
#[test]
fn repository_of_linked_work_trees_names_one_of_them() {
    use crate::projects::support::git;
    let sandbox = Sandbox::with(&[("../home/code/README.md", "About keys.\n")]);
    let code = sandbox.home().join("code");
    git(&sandbox, &code, &["init", "-q"]);
    git(&sandbox, &code, &["add", "-A"]);
    git(&sandbox, &code, &["commit", "-q", "-m", "x"]);
    let top = sandbox.project();
    git(&sandbox, &top, &["clone", "-q", "--bare", code.to_str().unwrap(), ".bare"]);
    sandbox.write(".git", "gitdir: ./.bare\n");
    git(&sandbox, &top, &["worktree", "add", "-q", "main"]);
    let why = "error: nothing to search in '<project>': 'main': it is a linked worktree, which is only searched if \
               you name it\n";
    let error = format!("{why}hint: ctx ask \"QUESTION\" main searches another place\n");
    sandbox.ctx(["ask", "keys?"]).code(1).stderr(error).check();
    sandbox.ctx(["ask", "keys?", "main"]).stdout_has("[main/README.md]\n").check();
    let error = format!("{why}hint: ctx ask \"QUESTION\" <project>/main searches another place\n");
    sandbox.ctx_in(&sandbox.path(".bare"), ["ask", "keys?"]).code(1).stderr(error).check();
}

#[test]
fn list_that_fits_an_enclosing_repository_is_reported() {
    let sandbox = Sandbox::with(&[("lib/a.rs", "a\n"), ("README.md", "r\n")]);
    std::fs::create_dir_all(sandbox.path(".git")).unwrap();
    std::fs::create_dir_all(sandbox.path("sub/in/.git")).unwrap();
    for git in [".git", "sub/in/.git"] {
        sandbox.write(&format!("{git}/HEAD"), "ref: refs/heads/main\n");
        for directory in ["objects", "refs"] {
            std::fs::create_dir_all(sandbox.path(git).join(directory)).unwrap();
        }
    }
    sandbox.ctx(["add", "lib/**/*.rs"]).stderr_any().check();
    let note = "note: not found, left out: 'lib/**/*.rs' (0 matches); the list fits <project>\n";
    sandbox.ctx_in(&sandbox.path("sub/in"), ["render"]).stderr_has(note).check();
    sandbox.ctx_in(&sandbox.path("sub"), ["render"]).stdout_has("[lib/a.rs]").check();
    // If an entry exists in no repository, the note suggests none.
    sandbox.ctx(["add", "--force", "nowhere.md"]).stderr_any().check();
    sandbox.ctx(["rm", "-q", "lib/**/*.rs"]).check();
    let note = "note: not found, left out: 'nowhere.md'\n";
    sandbox.ctx_in(&sandbox.path("sub/in"), ["render"]).stderr_has(note).check();
}

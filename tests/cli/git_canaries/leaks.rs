//! Files outside the tree, and other repositories, to which a hostile git directory leads.

use std::fs;

use super::Yard;

const SECRET: &str = "the text of a file outside";

/// A yard in which a file and a repository of the user are next to the hostile repository.
fn yard() -> Yard {
    let yard = Yard::new();
    fs::write(yard.path("secret.txt"), format!("{SECRET}\n")).unwrap();
    yard.sh("git init -q -b main $YARD/private; cd $YARD/private; cp ../secret.txt a.txt; git add .
         git commit -qm 'the text of a file outside'; git update-server-info");
    yard
}

/// Checks that plain git prints the secret, and that `git:` entries don't.
#[track_caller]
fn assert_kept_inside(name: &str, plant: &str, naive: &str) {
    let yard = yard();
    yard.sh(plant);
    let said = yard.sh(naive);
    assert!(said.contains(SECRET), "{name}: git itself does not print it:\n{said}");
    let answers = yard.ask_everything();
    assert!(!answers.contains(SECRET), "{name}: {answers}");
}

#[test]
fn work_tree_elsewhere_is_not_compared() {
    assert_kept_inside(
        "core.worktree",
        "cp $YARD/secret.txt $YARD/home/a.txt; git config core.worktree $YARD/home",
        "git diff",
    );
}

#[test]
fn git_directory_of_another_repository_is_not_read() {
    for (name, plant) in [
        ("a .git file", "rm -rf .git; echo gitdir: $YARD/private/.git >.git"),
        ("a link", "rm -rf .git; ln -s $YARD/private/.git .git"),
        ("commondir", "echo $YARD/private/.git >.git/commondir"),
        (
            "a linked work tree that is not linked back",
            "git -C $YARD/private worktree add -q $YARD/tree; rm -rf .git; cp $YARD/tree/.git .git",
        ),
        (
            "a forged linked work tree",
            "mkdir -p evil/worktrees/w; cp .git/HEAD evil/worktrees/w; echo $YARD/private/.git \
             >evil/worktrees/w/commondir; rm -rf .git; echo $PWD/.git >evil/worktrees/w/gitdir
             echo gitdir: evil/worktrees/w >.git",
        ),
        (
            "links in the git directory",
            "rm -r .git/objects .git/refs; ln -s $YARD/private/.git/objects $YARD/private/.git/refs .git/",
        ),
        (
            "links to single objects",
            "for o in $(cd $YARD/private/.git/objects; ls -d ??/*); do mkdir -p .git/objects/${o%/*}
             ln -sf $YARD/private/.git/objects/$o .git/objects/$o; done
             ln -sf $YARD/private/.git/refs/heads/main .git/refs/heads/main",
        ),
        (
            "alternates",
            "echo $YARD/private/.git/objects >.git/objects/info/alternates
             cp $YARD/private/.git/refs/heads/main .git/refs/heads/main",
        ),
    ] {
        assert_kept_inside(name, plant, "git log -1; git show HEAD");
    }
}

#[test]
fn index_that_names_a_file_outside_is_not_followed() {
    let yard = yard();
    // Renames an entry in the index file, to a name of the same length. Git doesn't check a checksum of
    // zeros.
    yard.sh("echo x >.._secret.txt; git add .._secret.txt");
    let path = yard.path("repository/.git/index");
    let mut index = fs::read(&path).unwrap();
    let at = index.windows(13).position(|window| window == b".._secret.txt").unwrap();
    index[at..at + 13].copy_from_slice(b"../secret.txt");
    let end = index.len() - 20;
    index[end..].fill(0);
    fs::write(&path, index).unwrap();
    let said = yard.sh("git diff");
    assert!(said.contains(SECRET), "git itself does not print it: {said}");
    let error = yard.find_in(&yard.path("repository"), "diff").unwrap_err().to_string();
    assert!(error.ends_with("/../secret.txt' leads out of the repository"), "{error}");
    assert!(!yard.ask_everything().contains(SECRET));
}

#[test]
fn environment_that_names_another_repository_is_ignored() {
    for (name, value) in [
        ("GIT_DIR", "$YARD/private/.git"),
        ("GIT_WORK_TREE", "$YARD/private"),
        ("GIT_INDEX_FILE", "$YARD/private/.git/index"),
        ("GIT_OBJECT_DIRECTORY", "$YARD/private/.git/objects"),
    ] {
        let mut yard = yard();
        yard.variable(name, value);
        let answers = yard.ask_everything();
        assert!(answers.contains("+a2") && !answers.contains(SECRET), "{name}: {answers}");
    }
}

#[test]
fn index_of_a_running_commit_is_used() {
    let mut yard = Yard::new();
    yard.sh("cp .git/index .git/next-index; GIT_INDEX_FILE=.git/next-index git add a.txt");
    let names = |yard: &Yard| -> Vec<String> {
        let found = yard.find_in(&yard.path("repository/sub"), "staged").unwrap();
        found
            .documents
            .iter()
            .map(|document| String::from_utf8(document.label("git:staged")).unwrap())
            .collect()
    };
    assert_eq!(names(&yard), ["git:staged staged.txt"]);
    yard.variable("GIT_INDEX_FILE", ".git/next-index");
    assert_eq!(names(&yard), ["git:staged a.txt", "git:staged staged.txt"]);
}

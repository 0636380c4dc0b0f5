//! Programs named in configuration, attributes, hooks and the environment.

use std::fs;

use super::{Canary, Yard, assert_canaries_live};

const CONFIGURED: [Canary; 30] = [
    Canary { name: "core.fsmonitor", plant: "git config core.fsmonitor $TRAP", naive: "git status" },
    Canary { name: "diff.external", plant: "git config diff.external $TRAP", naive: "git diff" },
    Canary { name: "diff.D.command", plant: "git config diff.evil.command $TRAP", naive: "git diff" },
    Canary { name: "diff.D.textconv", plant: "git config diff.evil.textconv $TRAP", naive: "git show HEAD~" },
    Canary {
        name: "diff.D.textconv with cache",
        plant: "git config diff.evil.textconv $TRAP; git config diff.evil.cachetextconv true",
        naive: "git log -p -2",
    },
    Canary { name: "filter.D.clean", plant: "git config filter.evil.clean $TRAP", naive: "git diff" },
    Canary {
        name: "filter.D.clean, required",
        plant: "git config filter.evil.clean $TRAP; git config filter.evil.required true",
        naive: "git diff",
    },
    Canary { name: "filter.D.process", plant: "git config filter.evil.process $TRAP", naive: "git diff" },
    Canary {
        name: "filter.D.smudge",
        plant: "git config filter.evil.smudge $TRAP",
        naive: "git checkout-index -f a.txt; echo a2 >a.txt",
    },
    Canary {
        name: "filter with an equals sign, dots and quotes in its name",
        plant: r#"printf '[filter "a=b.c.clean"]\n\tclean = "%s"\n\trequired\n' "$TRAP" >>.git/config
                  echo '*.txt filter=a=b.c.clean' >.gitattributes"#,
        naive: "git diff",
    },
    Canary {
        name: "filter with a name that is not UTF-8",
        plant: r#"printf '[filter "x\377"]\n\tclean = "%s"\n\tprocess = "%s"\n' "$TRAP" "$TRAP" >>.git/config
                  printf '*.txt filter=x\377\n' >.gitattributes"#,
        naive: "git diff",
    },
    Canary {
        name: "attributes in info/attributes",
        plant: "git config filter.other.clean $TRAP; mkdir -p .git/info; echo '* filter=other' >.git/info/attributes",
        naive: "git diff",
    },
    Canary {
        name: "attributes of core.attributesFile",
        plant: "git config filter.other.clean $TRAP; : >.gitattributes; echo '* filter=other' >attributes
                git config core.attributesFile $PWD/attributes",
        naive: "git diff",
    },
    Canary {
        name: "attributes of another tree",
        plant: "git config diff.evil.textconv $TRAP; git config attr.tree HEAD; : >.gitattributes",
        naive: "git show HEAD~",
    },
    Canary {
        name: "include.path",
        plant: "git config include.path ../evil; git config -f evil filter.evil.clean $TRAP",
        naive: "git diff",
    },
    Canary {
        name: "includeIf",
        plant: "git config includeIf.onbranch:main.path ../evil; git config -f evil core.fsmonitor $TRAP
                git config -f evil filter.evil.process $TRAP",
        naive: "git status",
    },
    Canary {
        name: "config.worktree",
        plant: "git config extensions.worktreeConfig true; git config --worktree filter.evil.clean $TRAP
                git config --worktree core.fsmonitor $TRAP",
        naive: "git diff",
    },
    Canary {
        name: "hooks",
        plant: "for hook in post-index-change reference-transaction pre-auto-gc fsmonitor-watchman query-watchman \
                post-checkout pre-commit; do cp $TRAP .git/hooks/$hook; done; touch -d 2001-01-01 sub/b.txt",
        naive: "git status; touch -d 2002-01-01 sub/b.txt",
    },
    Canary {
        name: "core.hooksPath",
        plant: "mkdir evil; cp $TRAP evil/post-index-change; git config core.hooksPath evil
                touch -d 2001-01-01 sub/b.txt",
        naive: "git status; touch -d 2002-01-01 sub/b.txt",
    },
    Canary {
        name: "core.pager and pager.COMMAND, which only run on a terminal",
        plant: "git config core.pager $TRAP; git config pager.diff $TRAP; git config pager.log $TRAP
                git config pager.show $TRAP; git config pager.ls-files $TRAP",
        naive: "",
    },
    Canary {
        name: "core.editor",
        plant: "git config core.editor $TRAP; git config sequence.editor $TRAP",
        naive: "git commit --allow-empty",
    },
    Canary {
        name: "gpg.program and log.showSignature",
        plant: "git config gpg.program $TRAP; git config log.showSignature true
                signed=$(git cat-file commit HEAD | sed 's/^committer .*/&\\ngpgsig -----BEGIN PGP SIGNATURE-----\\n \\n \
                AAAA\\n -----END PGP SIGNATURE-----/' | git hash-object -t commit -w --stdin)
                git update-ref refs/heads/main $signed",
        naive: "git log -1",
    },
    Canary {
        name: "gpg.ssh.program and format.pretty",
        plant: "git config gpg.format ssh; git config gpg.ssh.program $TRAP; git config format.pretty %G?
                touch signers; git config gpg.ssh.allowedSignersFile $PWD/signers
                signed=$(git cat-file commit HEAD | sed 's/^committer .*/&\\ngpgsig -----BEGIN SSH SIGNATURE-----\\n \
                AAAA\\n -----END SSH SIGNATURE-----/' | git hash-object -t commit -w --stdin)
                git update-ref refs/heads/main $signed",
        naive: "git log -1",
    },
    Canary {
        name: "merge.D.driver and log.diffMerges",
        plant: "git config merge.evil.driver $TRAP; git config log.diffMerges remerge",
        naive: "git show -m",
    },
    Canary {
        name: "alias",
        plant: "for name in diff show log ls-files rev-parse config x; do git config alias.$name \"!$TRAP\"; done",
        naive: "git x",
    },
    Canary {
        name: "interactive.diffFilter",
        plant: "git config interactive.diffFilter $TRAP; git config color.ui always",
        naive: "echo q | git add -p",
    },
    Canary {
        name: "diff.tool",
        plant: "git config diff.tool evil; git config difftool.evil.cmd $TRAP; git config difftool.prompt false",
        naive: "git difftool -y",
    },
    Canary {
        name: "trailer.T.command",
        plant: "git config trailer.evil.command $TRAP; git config trailer.evil.ifmissing add",
        naive: "echo x | git interpret-trailers --trailer evil=1",
    },
    Canary {
        name: "trace2, which git reads from the user's configuration only",
        plant: "for to in eventTarget normalTarget perfTarget; do command git config --global trace2.$to $YARD/fired; done",
        naive: "git status",
    },
    Canary {
        name: "a bare repository in the tree",
        plant: "rm -r sub; git init -q --bare sub; git -C sub config core.fsmonitor $TRAP
                git -C sub config core.bare false; git -C sub config core.worktree .",
        naive: "cd sub; git status",
    },
];

#[test]
fn configured_programs_are_not_run() {
    assert_canaries_live(&CONFIGURED[..15]);
}

#[test]
fn configured_programs_of_other_commands_are_not_run() {
    assert_canaries_live(&CONFIGURED[15..]);
}

#[test]
fn submodules_own_programs_are_not_run() {
    const ADD: &str = "git init -q -b main $YARD/other; cd $YARD/other; echo x >x.txt; echo '* filter=evil' \
                       >.gitattributes; git add .; git commit -qm Other; cd $OLDPWD; git -c protocol.file.allow=always \
                       submodule --quiet add $YARD/other module; git commit -qm Submodule; echo y >module/x.txt; ";
    let yard = Yard::new();
    yard.sh(ADD);
    for (plant, naive) in [
        ("git -C module config core.fsmonitor $TRAP", "git diff"),
        ("git -C module config filter.evil.clean $TRAP", "git diff"),
        ("git -C module config diff.external $TRAP; git config diff.submodule diff", "git diff"),
        ("git config diff.ignoreSubmodules none; git config submodule.module.ignore none", "git status"),
        (
            "git config submodule.module.update \"!$TRAP\"; git config submodule.recurse true",
            "git submodule update --force",
        ),
    ] {
        yard.sh(plant);
        let said = yard.sh(naive);
        assert!(yard.fired().is_some(), "{plant}: git itself does not run it:\n{said}");
        let answers = yard.ask_everything();
        assert_eq!(yard.fired(), None, "{plant}");
        assert!(!answers.contains("+y"), "{answers}");
    }
}

#[test]
fn programs_that_the_environment_names_are_not_run() {
    for (name, value, naive) in [
        ("GIT_EXTERNAL_DIFF", "$TRAP", "git diff"),
        ("GIT_CONFIG_PARAMETERS", "'core.fsmonitor'='$TRAP'", "git status"),
        ("GIT_TRACE", "$YARD/fired", "git status"),
        ("GIT_TRACE2_EVENT", "$YARD/fired", "git status"),
        ("GIT_EDITOR", "$TRAP", "git commit --allow-empty"),
        ("GIT_PAGER", "$TRAP", ""),
        ("GIT_SSH_COMMAND", "$TRAP", "git ls-remote ssh://host/x"),
        ("GIT_ASKPASS", "$TRAP", "printf 'protocol=https\nhost=h\n\n' | git credential fill"),
        ("GIT_EXEC_PATH", "$YARD/bin", "cp $TRAP $YARD/bin/git-evil; git evil"),
    ] {
        let mut yard = Yard::new();
        yard.variable(name, value);
        if !naive.is_empty() {
            let said = yard.sh(naive);
            assert!(yard.fired().is_some(), "{name}: git itself does not run it:\n{said}");
        }
        let answers = yard.ask_everything();
        assert_eq!(yard.fired(), None, "{name}");
        assert!(answers.contains("+a2"), "{name}: {answers}");
    }
}

#[test]
fn settings_in_the_environment_do_not_override_ours() {
    let mut yard = Yard::new();
    for (name, value) in [
        ("COUNT", "2"),
        ("KEY_0", "core.fsmonitor"),
        ("VALUE_0", "$TRAP"),
        ("KEY_1", "x.y"),
        ("VALUE_1", "z"),
    ] {
        yard.variable(&format!("GIT_CONFIG_{name}"), value);
    }
    yard.sh("git status");
    assert!(yard.fired().is_some());
    yard.ask_everything();
    assert_eq!(yard.fired(), None);
}

/// A filter of the user's own, like git-lfs: the repository controls what it runs and where it writes.
const OBEYING_FILTER: &str = "cat >$YARD/bin/obey <<'END'\n#!/bin/sh\neval \"$(git config obey.extension)\"\nstorage=$(git \
                              config obey.storage) && mkdir -p \"$storage\" && date >>\"$storage/object\"\ncat\nEND\n\
                              chmod +x $YARD/bin/obey; git config obey.extension $TRAP; git config obey.storage $YARD/written; ";

#[test]
fn filters_in_the_users_configuration_are_not_run() {
    for plant in [
        "git config --global filter.evil.clean $YARD/bin/obey; git config --global filter.evil.required true",
        "git config --global filter.evil.process $YARD/bin/obey",
        "git config --global include.path $YARD/own; git config -f $YARD/own filter.evil.clean $YARD/bin/obey",
        "git config --global includeIf.onbranch:main.path $YARD/own; git config -f $YARD/own filter.evil.clean $YARD/bin/obey",
    ] {
        let yard = Yard::new();
        yard.sh(OBEYING_FILTER);
        yard.sh(plant);
        let said = yard.sh("git diff");
        assert!(
            yard.fired().is_some() && yard.path("written").exists(),
            "{plant}: plain git runs none:\n{said}"
        );
        fs::remove_dir_all(yard.path("written")).unwrap();
        let answers = yard.ask_everything();
        assert_eq!(yard.fired(), None, "{plant}");
        assert!(!yard.path("written").exists(), "{plant}");
        assert!(answers.contains("+a2"), "{plant}: {answers}");
    }
}

#[test]
fn files_with_a_filter_are_compared_as_they_are_and_the_filter_is_named() {
    let yard = Yard::new();
    yard.sh("git config --global filter.evil.clean \"sed s/a2/cleaned/\"; git config --global filter.none.clean x");
    let found = |query| yard.find_in(&yard.path("repository"), query).unwrap();
    for query in ["diff", "diff HEAD~", "changes"] {
        assert_eq!(found(query).filters.into_iter().collect::<Vec<_>>(), ["evil"], "{query}");
    }
    for query in ["staged", "show", "log", "diff HEAD~..HEAD", "diff -- sub"] {
        assert!(found(query).filters.is_empty(), "{query}");
    }
    assert!(String::from_utf8_lossy(&found("diff").documents[0].text).contains("+a2"));
}

#[test]
fn nothing_is_written_into_the_git_directory() {
    let yard = Yard::new();
    let state = || yard.sh("(find .git; find .git -type f -exec sha256sum {} +) | sort | sha256sum");
    // Makes the index stale, so that plain git would refresh it.
    yard.sh("git config gc.auto 1; touch -d 2001-01-01 sub/b.txt");
    let before = state();
    yard.ask_everything();
    assert_eq!(state(), before);
    yard.sh("git status");
    assert_ne!(state(), before);
}

#[test]
fn git_in_a_relative_directory_of_the_path_is_not_run() {
    let mut yard = Yard::new();
    fs::copy(yard.path("trap"), yard.path("repository/git")).unwrap();
    yard.variable("PATH", &format!(".::{}", std::env::var("PATH").unwrap()));
    yard.sh("git status");
    assert!(yard.fired().is_some());
    yard.ask_everything();
    assert_eq!(yard.fired(), None);
}

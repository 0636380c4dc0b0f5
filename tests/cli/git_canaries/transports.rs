//! Programs that git runs to fetch, and fetching itself: requested, or for a missing object of a partial clone.

use super::{Canary, assert_canaries_live};

const REMOTES: [Canary; 8] = [
    Canary {
        name: "core.sshCommand",
        plant: "git config core.sshCommand $TRAP; git remote add origin ssh://host/x",
        naive: "git fetch",
    },
    Canary {
        name: "core.gitProxy",
        plant: "git config core.gitProxy $TRAP; git remote add origin git://host/x",
        naive: "git fetch",
    },
    Canary {
        name: "ext:: transport",
        plant: "git config protocol.ext.allow always; git remote add origin \"ext::$TRAP\"",
        naive: "git fetch",
    },
    Canary {
        name: "url.B.insteadOf",
        plant: "git config protocol.ext.allow always; git remote add origin https://host/x
                git config \"url.ext::$TRAP %S.insteadOf\" https://host/",
        naive: "git fetch",
    },
    Canary {
        name: "remote.R.uploadpack",
        plant: "git remote add origin .; git config remote.origin.uploadpack $TRAP",
        naive: "git fetch",
    },
    Canary {
        name: "credential.helper",
        plant: "git config credential.helper \"!$TRAP\"; git config core.askPass $TRAP",
        naive: "printf 'protocol=https\nhost=h\n\n' | git credential fill",
    },
    Canary {
        name: "core.alternateRefsCommand",
        plant: "git clone -q --bare . $YARD/other; git config core.alternateRefsCommand $TRAP
                echo $YARD/other/objects >.git/objects/info/alternates; git remote add origin $YARD/other",
        naive: "git -c fetch.negotiationAlgorithm=default fetch; git receive-pack . </dev/null",
    },
    Canary {
        name: "uploadpack.packObjectsHook, which git reads from the user's configuration only",
        plant: "command git config --global uploadpack.packObjectsHook $TRAP; git remote add origin .",
        naive: "git clone -q --no-local . $YARD/other",
    },
];

/// Makes the repository a partial clone without the text of the file; the remote is set later.
macro_rules! partial {
    ($remote:literal) => {
        concat!(
            "git config core.repositoryFormatVersion 1; git config extensions.partialClone evil; \
             git config remote.evil.promisor true; git config remote.evil.partialCloneFilter blob:none; \
             for blob in $(git rev-parse HEAD:a.txt HEAD~:a.txt :staged.txt HEAD:staged.txt); do \
             rm -f .git/objects/$(echo $blob | cut -c1-2)/$(echo $blob | cut -c3-); done; ",
            $remote
        )
    };
}

const PROMISORS: [Canary; 6] = [
    Canary {
        name: "lazy fetch by ext::",
        plant: partial!("git config protocol.ext.allow always; git config remote.evil.url \"ext::$TRAP\""),
        naive: "git diff HEAD",
    },
    Canary {
        name: "lazy fetch by ssh",
        plant: partial!("git config core.sshCommand $TRAP; git config remote.evil.url ssh://host/x"),
        naive: "git diff HEAD",
    },
    Canary {
        name: "lazy fetch by uploadpack",
        plant: partial!("git config remote.evil.url .; git config remote.evil.uploadpack $TRAP"),
        naive: "git show HEAD",
    },
    Canary {
        name: "lazy fetch by git proxy",
        plant: partial!("git config core.gitProxy $TRAP; git config remote.evil.url git://host/x"),
        naive: "git diff HEAD",
    },
    Canary {
        name: "lazy fetch by a remote helper that ext is",
        plant: partial!(
            "git config protocol.allow always; git config protocol.ext.allow always; git config remote.evil.vcs ext
             git config remote.evil.url $TRAP"
        ),
        naive: "git diff HEAD",
    },
    Canary {
        name: "lazy fetch with hooks",
        plant: partial!(
            "git config remote.evil.url .; mkdir evil; cp $TRAP evil/reference-transaction
             git config core.hooksPath evil; git config remote.evil.uploadpack $TRAP"
        ),
        naive: "git diff HEAD",
    },
];

#[test]
fn transports_are_not_used() {
    assert_canaries_live(&REMOTES);
}

#[test]
fn missing_objects_of_a_partial_clone_are_not_fetched() {
    assert_canaries_live(&PROMISORS);
}

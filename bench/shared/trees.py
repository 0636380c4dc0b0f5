"""Clones of repositories, and the files of their commits."""

import os
import shutil
import subprocess
from pathlib import Path

# Nothing that a repository configures runs, and no clone that is read is changed.
GIT = ["git", "-c", "safe.directory=*", "-c", "core.bare=false", "-c", "core.hooksPath=/dev/null"]
GIT += ["-c", "core.logAllRefUpdates=false", "-c", "gc.auto=0"]
GIT += ["-c", "filter.lfs.smudge=", "-c", "filter.lfs.process=", "-c", "filter.lfs.required=false"]

CACHE = Path(os.environ.get("CTX_BENCH_DIR") or Path.home() / ".cache/ctx-bench") / "clones"


class Missing(Exception):
    """Something that a question needs is not there."""


def git(arguments, **options):
    done = subprocess.run(GIT + arguments, capture_output=True, text=True, errors="replace", **options)
    if done.returncode:
        raise Missing(done.stderr.strip()[:300])


class Clones:
    """Bare or normal clones in a folder, as OWNER/NAME, OWNER+NAME, OWNER__NAME, OWNER-NAME or NAME, with or without `.git` at
    the end; or elsewhere, if named. Without a folder, clones from GitHub are kept in a cache."""

    def __init__(self, folder, elsewhere):
        self.folder, self.elsewhere = folder, dict(pair.split("=", 1) for pair in elsewhere)

    def of(self, repository):
        """The git directory of a repository's clone."""
        owner, name = repository.split("/")
        if repository in self.elsewhere:
            folders = [Path(self.elsewhere[repository])]
        elif self.folder:
            called = [repository, f"{owner}+{name}", f"{owner}__{name}", f"{owner}-{name}", name]
            folders = [Path(self.folder) / call for call in called]
        else:
            return self.fetched(repository)
        for folder in folders:
            for place in (folder, Path(f"{folder}.git"), folder / ".git", folder / "repo"):
                if (place / "objects").is_dir():
                    return place.resolve()
        raise Missing(f"no clone of {repository} in {self.folder}")

    @staticmethod
    def fetched(repository):
        clone = CACHE / f"{repository}.git"
        if not clone.is_dir():
            part = CACHE / f"{repository}.part"
            git(["clone", "--quiet", "--bare", f"https://github.com/{repository}", str(part)])
            part.rename(clone)
        return clone


class Trees:
    """The files of one commit at a time of each repository, in folders of their own."""

    def __init__(self, folder, clones):
        self.folder, self.clones = Path(folder), clones

    def plain(self, repository, commit):
        """Only the files, without history. The clone's own index and HEAD stay as they are."""
        tree = self.folder / repository.replace("/", "+")
        tree.mkdir(parents=True, exist_ok=True)
        clone = self.clones.of(repository)
        environment = dict(os.environ, GIT_INDEX_FILE=f"{tree}.index")
        arguments = [f"--git-dir={clone}", f"--work-tree={tree}", "read-tree", "-u", "--reset", commit]
        git(arguments, env=environment, cwd=tree)
        return tree

    def versioned(self, repository, commit):
        """The files in a repository whose only ref is HEAD at that commit, so that nothing later can be reached."""
        tree = self.folder / (repository.replace("/", "+") + "+history")
        if not tree.exists():
            git(["init", "-q", str(tree)])
            # ctx reads no repository that borrows its objects from another one, and fetching needs a complete clone.
            objects = self.clones.of(repository) / "objects"
            copy = {"copy_function": link, "dirs_exist_ok": True, "ignore": shutil.ignore_patterns("info")}
            shutil.copytree(objects, tree / ".git/objects", **copy)
        git(["-C", str(tree), "checkout", "-q", "-f", "--detach", commit])
        return tree


def link(source, target):
    """A hard link where the file system allows one, otherwise a copy."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy(source, target)

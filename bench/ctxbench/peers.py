"""The other programs, at pinned versions, installed outside the project's dependency tree."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

RIPGREP = "15.2.0"
YEK = "0.25.5"
CODE2PROMPT = "4.3.0"
FILES_TO_PROMPT = "0.6"
REPOMIX = "1.13.1"


@dataclass(frozen=True)
class Peer:
    """A program that does the same work. `program` returns the command line for a directory."""

    name: str
    version: str
    path: str
    install: Callable
    program: Callable


class Absent(Exception):
    """A peer couldn't be installed; the message gives the reason."""


def all_peers(root):
    """Every peer by name, installed in `root`."""
    home = root / "peers"
    cargo = home / "cargo/bin"
    files_to_prompt = home / "files-to-prompt"
    repomix = home / "repomix"
    listed = (
        Peer("ripgrep", RIPGREP, str(cargo / "rg"), _cargo(home, "ripgrep", RIPGREP),
             lambda rg, name: (rg, "--files", name)),
        Peer("yek", YEK, str(cargo / "yek"), _cargo(home, "yek", YEK),
             lambda yek, name: (yek, "--tokens", "1000000k", name)),
        Peer("code2prompt", CODE2PROMPT, str(cargo / "code2prompt"), _cargo(home, "code2prompt", CODE2PROMPT),
             lambda code2prompt, name: (code2prompt, name, "--encoding", "o200k", "--output-file", "-")),
        Peer("files-to-prompt", FILES_TO_PROMPT, str(files_to_prompt / "bin/files-to-prompt"),
             _pip(files_to_prompt), lambda program, name: (program, name)),
        Peer("repomix", REPOMIX, str(repomix / "node_modules/.bin/repomix"), _npm(repomix),
             lambda program, name: (program, "--stdout", name)),
    )
    return {peer.name: peer for peer in listed}


def require(peer, say):
    """Installs the peer if it is missing; raises `Absent`."""
    if shutil.which(peer.path):
        return
    say(f"installing {peer.name} {peer.version} (once)")
    for step in peer.install():
        try:
            done = subprocess.run(step, capture_output=True, text=True)
        except OSError as error:
            raise Absent(f"{step[0]}: {error.strerror}") from error
        if done.returncode != 0:
            lines = [line for line in done.stderr.splitlines() if line.strip()] or ["no message"]
            raise Absent(next((line for line in lines if line.startswith("error")), lines[-1]))
    if not shutil.which(peer.path):
        raise Absent("it was installed, but its program is not there")


def _cargo(home, name, version):
    def steps():
        return (["cargo", "install", "--quiet", "--locked", "--target-dir", str(home / "target"),
                 "--root", str(home / "cargo"), f"{name}@{version}"],)
    return steps


def _pip(home):
    def steps():
        return ([sys.executable, "-m", "venv", str(home)],
                [str(home / "bin/pip"), "--quiet", "install", f"files-to-prompt=={FILES_TO_PROMPT}"])
    return steps


def _npm(home):
    def steps():
        home.mkdir(parents=True, exist_ok=True)
        return (["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(home), f"repomix@{REPOMIX}"],)
    return steps

"""The program that is measured, in a home of its own."""

import json
import os
import resource
import subprocess
from pathlib import Path

from trees import Missing

ROOT = Path(__file__).resolve().parents[2]


def built():
    """The program of this tree, as it is shipped."""
    subprocess.run(["cargo", "build", "--quiet", "--release"], cwd=ROOT, check=True)
    return Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target") / "release/ctx"


class Answer:
    """A block, its account, and what it cost in seconds of CPU."""

    def __init__(self, block, account, seconds):
        self.block, self.account, self.seconds = block, account, seconds


class Program:
    def __init__(self, path, home):
        self.path, self.home = str(Path(path or built()).resolve()), Path(home)
        self.home.mkdir(parents=True, exist_ok=True)
        hidden = ("CTX_", "XDG_", "GIT_")
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith(hidden)}
        self.environment |= {"HOME": str(home), "CTX_HOME": str(self.home / "ctx")}
        self.environment |= {"GIT_CONFIG_NOSYSTEM": "1", "NO_COLOR": "1"}

    def run(self, arguments, tree, text=""):
        return subprocess.run(
            [self.path, *arguments], cwd=tree, env=self.environment, input=text.encode(), capture_output=True
        )

    def has(self, option):
        return option in self.run(["ask", "--help"], self.home).stdout.decode()

    def ask(self, arguments, tree, text=""):
        manifest = self.home / "manifest.json"
        manifest.unlink(missing_ok=True)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = self.run(["ask", "--manifest", str(manifest), *arguments], tree, text)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode or not manifest.exists():
            raise Missing("ctx: " + done.stderr.decode(errors="replace").strip()[:300])
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return Answer(done.stdout, json.loads(manifest.read_text()), seconds)

"""Commands that do next to nothing, minus a process that does nothing."""

import json
import time

from ctxbench.measure import Command, Spread, alternate, differences
from ctxbench.row import Row, at_most

PROFILES = 5_000
YOUNG = 3


def measure(bench):
    """The requested rows about start-up."""
    keys = [key for key in ("startup", "current", "completion") if key in bench.keys]
    if not keys:
        return []
    bench.say("start-up")
    small = bench.work / "small"
    small.mkdir()
    for name in ("AGENTS.md", "notes.md"):
        (small / name).write_text(f"# {name}\n\nA few words, so that there is something to count.\n")
    # The count cache doesn't trust a file that is newer than the clock can resolve, which is rare in practice.
    time.sleep(YOUNG)
    commands = {key: _COMMANDS[key](bench, small) for key in keys}
    nothing = Command("nothing", (("true",),), small, bench.environment("startup"), brief=True)
    series = alternate([*commands.values(), nothing], bench.rounds["startup"])
    return [_row(key, series[commands[key].name], series["nothing"]) for key in keys]


def _row(key, series, nothing):
    less = differences(series, nothing)
    value = Spread(less.median * 1e3, less.low * 1e3, less.high * 1e3, less.least * 1e3, less.runs)
    what, target = _WHAT[key]
    return Row(key, f"{what} less an empty process", "", "ms", target, value)


def _store(bench, name):
    store = bench.work / name
    store.mkdir()
    (store / "global.json").write_text(json.dumps({"paths": ["AGENTS.md", "notes.md"]}, indent=2) + "\n")
    return store


def _show(bench, small):
    environment = bench.environment("startup") | {"CTX_HOME": str(_store(bench, "small-store"))}
    return Command("show", ((bench.ctx, "show"),), small, environment, brief=True)


def _current(bench, small):
    environment = bench.environment("startup") | {"CTX_HOME": str(_store(bench, "current-store"))}
    return Command("profile --current", ((bench.ctx, "profile", "--current"),), small, environment, brief=True)


def _completion(bench, small):
    store = _store(bench, "large-store")
    (store / "profiles").mkdir()
    for number in range(PROFILES):
        (store / "profiles" / f"p{number:04}.json").write_text(json.dumps({"paths": [f"src/{number}.rs"]}) + "\n")
    environment = bench.environment("startup") | {"CTX_HOME": str(store), "COMPLETE": "bash"}
    program = (bench.ctx, "--", "ctx switch p12", " \t\n\"'><=;|&(:")
    return Command("completion", (program,), small, environment, brief=True)


_COMMANDS = {"startup": _show, "current": _current, "completion": _completion}
_WHAT = {
    "startup": ("`ctx show` on a small store", at_most(1.0, 0.4)),
    "current": ("`ctx profile --current`", at_most(1.0, 0.4)),
    "completion": (f"completing a name among {PROFILES:,} profiles", None),
}

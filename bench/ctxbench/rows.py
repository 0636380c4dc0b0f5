"""What is measured: one row for each promise, and the commands behind it."""

import json
import os
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from ctxbench import peers as peer_programs
from ctxbench import tokens
from ctxbench.measure import MEGABYTE, Command, Failed, Spread, alternate, differences, output, ratios, spread
from ctxbench.row import Row, Target, at_least, at_most

LABEL = re.compile(rb"^\[(?:\d+ )?([^\]\n]+)\]$", re.MULTILINE)


@dataclass
class Results:
    """The rows, and every series of runs that they were made of, by corpus."""

    rows: list = field(default_factory=list)
    series: list = field(default_factory=list)


@dataclass(frozen=True)
class Render:
    """A way to render a corpus, which is compared with the floor."""

    what: str
    arguments: tuple
    cold: bool
    targets: dict


@dataclass(frozen=True)
class Rival:
    """A peer that is compared with `ctx`, rendering everything with a cold count cache."""

    what: str
    peer: str
    target: Target
    slow: bool
    program: object = None


RENDERS = {
    "cold": Render("everything, exact o200k, first run ever / floor", ("-b", "none", "--stats"), True,
                   {"S": at_most(2.0, 1.3), "M": at_most(2.0, 1.3), "L": at_most(2.5, 1.3), "W": None}),
    "warm": Render("the same again, warm count cache / floor", ("-b", "none", "--stats"), False,
                   {"S": at_most(0.6, 0.35), "M": at_most(0.6, 0.35), "L": at_most(0.4, 0.35), "W": None}),
    "budget": Render("budget of 100k tokens, cold / floor", ("-b", "100k"), True,
                     {"M": at_most(0.6), "L": at_most(0.3, 0.1)}),
}
RIVALS = {
    "yek-tokens": Rival("yek `--tokens` / ctx cold", "yek", at_least(15, 30), True,
                        lambda yek, name: (yek, "--tokens", "1000000k", name)),
    "code2prompt": Rival("code2prompt / ctx cold", "code2prompt", at_least(10, 20), True),
    "repomix": Rival("repomix / ctx cold", "repomix", at_least(20, 40), True),
    "files-to-prompt": Rival("files-to-prompt / ctx cold", "files-to-prompt", at_least(2, 5), True),
    "files-to-prompt-all": Rival("files-to-prompt without ignore rules / ctx cold", "files-to-prompt", None, True,
                                 lambda program, name: (program, "--ignore-gitignore", name)),
    "yek-bytes": Rival("yek by bytes / ctx cold", "yek", at_least(0.8, 1.5), False,
                       lambda yek, name: (yek, "--max-size", "10GB", name)),
}
KEYS = ("files", *RENDERS, *RIVALS, "counter", "worst", "startup", "memory", "counts")


@dataclass(frozen=True)
class Bench:
    """Everything that the measurements need to know."""

    root: Path
    ctx: str
    corpora: dict
    peers: dict
    keys: tuple
    rounds: dict
    skip_peers: bool
    say: object

    @property
    def work(self):
        return self.root / "work"

    @property
    def directory(self):
        return self.root / "corpora"

    def environment(self, cache):
        """Nothing of the user's own settings: a home and a store that are empty, and the named cache."""
        kept = {name: os.environ[name] for name in ("PATH", "TMPDIR", "LANG") if name in os.environ}
        return kept | {"HOME": str(self.work / "home"), "CTX_HOME": str(self.work / "store"),
                       "XDG_CACHE_HOME": str(self.work / cache)}

    def floor(self, name):
        rg = self.peers["ripgrep"]
        programs = ((rg.path, "--files", name), ("xargs", "cat"))
        return Command("floor", programs, self.directory, self.environment("none"))

    def render(self, key, name):
        render = RENDERS[key]
        cache = "cold" if render.cold else f"warm-{name}"
        program = (self.ctx, "render", "--only", f"{name}/**", *render.arguments)
        prepare = (lambda: _empty(self.work / cache)) if render.cold else (lambda: None)
        return Command(f"ctx {key}", (program,), self.directory, self.environment(cache), prepare)


def run(bench):
    """Measures every row that was asked for."""
    shutil.rmtree(bench.work, ignore_errors=True)
    for name in ("home", "store"):
        (bench.work / name).mkdir(parents=True)
    results = Results()
    for corpus in bench.corpora:
        if "files" in bench.keys:
            results.rows.append(_same_files(bench, corpus))
        _renders(bench, corpus, results)
    _rivals(bench, results)
    if "startup" in bench.keys:
        results.rows.append(_startup(bench))
    results.rows += tokens.measure(bench)
    shutil.rmtree(bench.work)
    results.rows.sort(key=lambda row: KEYS.index(row.key))
    return results


def _empty(directory):
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)


def _same_files(bench, corpus):
    """The ratios mean something only if both sides read the same files."""
    bench.say(f"{corpus}: comparing the files that are read")
    expected = set()
    rest = b""
    floor = bench.floor(corpus)
    for chunk in output(Command("rg", floor.programs[:1], floor.directory, floor.environment)):
        *lines, rest = (rest + chunk).split(b"\n")
        expected.update(lines)
    found = set()
    rest = b""
    for chunk in output(bench.render("warm", corpus)):
        whole, _, rest = (rest + chunk).rpartition(b"\n")
        found.update(label for label in LABEL.findall(whole) if label in expected or _is_file(bench, corpus, label))
    wrong = len(expected ^ found)
    what = f"files not both in the floor and in ctx, of {len(expected):,}"
    return Row("files", what, corpus, "files", at_most(0), spread([wrong]))


def _is_file(bench, corpus, label):
    return label.startswith(corpus.encode() + b"/") and os.path.isfile(os.fsencode(bench.directory) + b"/" + label)


def _renders(bench, corpus, results):
    wanted = [key for key, render in RENDERS.items() if key in bench.keys and corpus in render.targets]
    memory = "memory" in bench.keys and corpus == "L"
    keys = [key for key in RENDERS if key in wanted or memory and RENDERS[key].cold]
    if not keys:
        return
    bench.say(f"{corpus}: {', '.join(keys)} against the floor")
    commands = [bench.floor(corpus), *(bench.render(key, corpus) for key in keys)]
    series = alternate(commands, bench.rounds[corpus])
    results.series += [(corpus, one) for one in series.values()]
    for key in wanted:
        render = RENDERS[key]
        value = ratios(series[f"ctx {key}"], series["floor"])
        results.rows.append(Row(key, render.what, corpus, "", render.targets[corpus], value))
    if memory:
        results.rows += _memory(series)


def _memory(series):
    budget, everything = series["ctx budget"], series["ctx cold"]
    over = spread([(run.peak - everything.written) / MEGABYTE for run in everything.runs])
    for what, value in (
        ("peak memory, budget of 100k tokens", _megabytes(budget)),
        ("peak memory, everything, less the output's size", over),
    ):
        yield Row("memory", what, "L", "MB", at_most(64), value)
    yield Row("memory", "peak memory, everything", "L", "MB", at_most(None, 64), _megabytes(everything))


def _megabytes(series):
    return spread([run.peak / MEGABYTE for run in series.runs])


def _rivals(bench, results):
    corpus = next((name for name in ("M", "S") if name in bench.corpora), None)
    keys = [key for key in RIVALS if key in bench.keys]
    if corpus is None or not keys:
        return
    reasons = {}
    for slow in (True, False):
        commands = []
        for key in (key for key in keys if RIVALS[key].slow is slow):
            try:
                commands.append(_ready(bench, key, corpus))
            except (peer_programs.Absent, Failed) as error:
                reasons[key] = str(error)
        series = _against_ctx(bench, corpus, commands, "slow" if slow else "fast", results)
        for key in (key for key in keys if RIVALS[key].slow is slow):
            rival = RIVALS[key]
            value = ratios(series[key], series["ctx cold"]) if key in series else None
            results.rows.append(Row(key, rival.what, corpus, "", rival.target, value, reasons.get(key, "")))


def _ready(bench, key, corpus):
    if bench.skip_peers:
        raise peer_programs.Absent("--skip-peers")
    rival = RIVALS[key]
    peer = bench.peers[rival.peer]
    peer_programs.require(peer, bench.say)
    program = (rival.program or peer.program)(peer.path, corpus)
    command = Command(key, (program,), bench.directory, bench.environment("peers"))
    if not sum(map(len, output(command))):
        raise Failed(f"{key}: wrote nothing")
    return command


def _against_ctx(bench, corpus, commands, rounds, results):
    if not commands:
        return {}
    bench.say(f"{corpus}: {', '.join(command.name for command in commands)} against ctx")
    series = alternate([bench.render("cold", corpus), *commands], bench.rounds[rounds])
    results.series += [(corpus, one) for one in series.values()]
    return series


def _startup(bench):
    bench.say("start-up")
    small = bench.work / "small"
    store = bench.work / "small-store"
    for directory in (small, store):
        directory.mkdir()
    for name in ("AGENTS.md", "notes.md"):
        (small / name).write_text(f"# {name}\n\nA few words, so that there is something to count.\n")
    (store / "global.json").write_text(json.dumps({"paths": ["AGENTS.md", "notes.md"]}, indent=2) + "\n")
    environment = bench.environment("startup") | {"CTX_HOME": str(store)}
    show = Command("show", ((bench.ctx, "show"),), small, environment, brief=True)
    nothing = Command("nothing", (("true",),), small, environment, brief=True)
    series = alternate([show, nothing], bench.rounds["startup"])
    less = differences(series["show"], series["nothing"])
    value = Spread(less.median * 1e3, less.low * 1e3, less.high * 1e3, less.least * 1e3, less.runs)
    return Row("startup", "`ctx show` on a small store less an empty process", "", "ms", at_most(1.0, 0.4), value)

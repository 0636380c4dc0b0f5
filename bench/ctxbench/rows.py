"""The measurements: one row for each promise, and its commands."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from ctxbench import peers as peer_programs
from ctxbench import startup, tokens
from ctxbench.measure import MEGABYTE, Command, Failed, alternate, output, ratios, spread
from ctxbench.row import Row, Target, at_least, at_most

LABEL = re.compile(rb"^\[(?:\d+ )?([^\]\n]+)\]$", re.MULTILINE)


@dataclass
class Results:
    """The rows, and the series of runs behind them, by corpus."""

    rows: list = field(default_factory=list)
    series: list = field(default_factory=list)


@dataclass(frozen=True)
class Render:
    """A way to render a corpus, compared with the floor or with another way."""

    what: str
    arguments: tuple
    cold: bool
    targets: dict
    over: str = "floor"
    command: str = "render"


@dataclass(frozen=True)
class Rival:
    """A peer compared with `ctx`, which renders everything with a cold count cache."""

    what: str
    peer: str
    target: Target
    slow: bool
    program: object = None


QUESTION = "Where is the header of a request parsed?"
RENDERS = {
    "budget": Render("default budget, first run ever / floor", (), True,
                     {"S": None, "M": at_most(0.5, 0.3), "L": at_most(0.3, 0.1), "W": None}),
    "budget-again": Render("default budget, again (warm count cache) / floor", (), False,
                           {"S": at_most(0.4, 0.25), "M": at_most(0.4, 0.25), "L": at_most(0.3, 0.25), "W": None}),
    "cold": Render("everything, exact o200k, first run ever / floor", ("-b", "none", "--stats"), True,
                   {"S": at_most(2.0, 1.3), "M": at_most(2.0, 1.3), "L": at_most(2.5, 1.3), "W": None}),
    "warm": Render("everything, again / floor", ("-b", "none", "--stats"), False,
                   {"S": at_most(1.0, 0.5), "M": at_most(1.0, 0.5), "L": at_most(1.0, 0.5), "W": None}),
    "outlines": Render("`--trim outline`, default budget, first run ever / everything, first run ever", ("--trim", "outline"), True,
                       {"M": at_most(1.3, 1.0)}, "cold"),
    "ask": Render("`ctx ask`, first run ever / floor", (QUESTION,), True,
                  {"M": at_most(1.5, 1.0), "L": at_most(1.5, 1.0)}, command="ask"),
    "ask-again": Render("`ctx ask`, again / floor", (QUESTION,), False,
                        {"M": at_most(0.5, 0.25), "L": at_most(0.5, 0.25)}, command="ask"),
}
RIVALS = {
    "yek-tokens": Rival("yek `--tokens` / ctx cold", "yek", at_least(15, 30), True,
                        lambda yek, name: (yek, "--tokens", "1000000k", name)),
    "code2prompt": Rival("code2prompt / ctx cold", "code2prompt", at_least(10, 20), True),
    "repomix": Rival("repomix / ctx cold", "repomix", at_least(40, 80), True),
    "files-to-prompt": Rival("files-to-prompt / ctx cold", "files-to-prompt", at_least(2, 5), True),
    "files-to-prompt-all": Rival("files-to-prompt without ignore rules / ctx cold", "files-to-prompt", None, True,
                                 lambda program, name: (program, "--ignore-gitignore", name)),
    "yek-bytes": Rival("yek by bytes / ctx cold", "yek", at_least(0.8, 1.5), False,
                       lambda yek, name: (yek, "--max-size", "10GB", name)),
}
KEYS = ("files", *RENDERS, "search", "checkpoint", *RIVALS, "counter", "instructions", "worst", "outline-speed",
        "startup", "current", "completion", "memory", "size", "counts")


@dataclass(frozen=True)
class Bench:
    """Everything that the measurements need."""

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
        """An environment without the user's own settings: an empty home and store, and the given cache."""
        kept = {name: os.environ[name] for name in ("PATH", "TMPDIR", "LANG") if name in os.environ}
        return kept | {"HOME": str(self.work / "home"), "CTX_HOME": str(self.work / "store"),
                       "XDG_CACHE_HOME": str(self.work / cache)}

    def floor(self, name):
        rg = self.peers["ripgrep"]
        programs = ((rg.path, "--files", name), ("xargs", "cat"))
        return Command("floor", programs, self.directory, self.environment("none"))

    def render(self, key, name):
        render = RENDERS[key]
        cache = "cold" if render.cold else f"warm-{name}-{key}"
        paths = {"render": ("--only", f"{name}/**"), "ask": (name,)}
        program = (self.ctx, render.command, *render.arguments, *paths[render.command])
        prepare = (lambda: _empty(self.work / cache)) if render.cold else (lambda: None)
        return Command(f"ctx {key}", (program,), self.directory, self.environment(cache), prepare)


def run(bench):
    """Measures the requested rows."""
    shutil.rmtree(bench.work, ignore_errors=True)
    for name in ("home", "store"):
        (bench.work / name).mkdir(parents=True)
    results = Results()
    for corpus in bench.corpora:
        if "files" in bench.keys:
            results.rows.append(_same_files(bench, corpus))
        _renders(bench, corpus, results)
        if "search" in bench.keys and corpus in SEARCHES:
            results.rows.append(_search(bench, corpus, results))
        if "checkpoint" in bench.keys and corpus == "L":
            results.rows.append(_checkpoint(bench, corpus, results))
    _rivals(bench, results)
    results.rows += startup.measure(bench)
    results.rows += tokens.measure(bench)
    if "size" in bench.keys:
        size = spread([os.path.getsize(bench.ctx) / MEGABYTE])
        results.rows.append(Row("size", "the program", "", "MB", at_most(16), size))
    shutil.rmtree(bench.work)
    results.rows.sort(key=lambda row: KEYS.index(row.key))
    return results


def _empty(directory):
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)


def _same_files(bench, corpus):
    """The ratios are meaningful only if both sides read the same files."""
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
    needed = {*wanted, *(RENDERS[key].over for key in wanted), *(MEMORY if memory else ())}
    keys = [key for key in RENDERS if key in needed]
    if not keys:
        return
    bench.say(f"{corpus}: {', '.join(keys)} against the floor")
    commands = [bench.floor(corpus), *(bench.render(key, corpus) for key in keys)]
    series = alternate(commands, bench.rounds[corpus])
    results.series += [(corpus, one) for one in series.values()]
    for key in wanted:
        render = RENDERS[key]
        value = ratios(series[f"ctx {key}"], series["floor" if render.over == "floor" else f"ctx {render.over}"])
        results.rows.append(Row(key, render.what, corpus, "", render.targets[corpus], value))
    if memory:
        results.rows += _memory(series)


MEMORY = ("budget", "cold", "ask", "ask-again")


def _memory(series):
    budget, everything, *asks = (series[f"ctx {key}"] for key in MEMORY)
    over = spread([(run.peak - everything.written) / MEGABYTE for run in everything.runs])
    for what, value in (
        ("peak memory, default budget", _megabytes(budget)),
        ("peak memory, everything, less the output's size", over),
    ):
        yield Row("memory", what, "L", "MB", at_most(64), value)
    for what, ask in zip(("", ", again"), asks):
        yield Row("memory", f"peak memory, `ctx ask`{what}", "L", "MB", at_most(64), _megabytes(ask))
    yield Row("memory", "peak memory, everything", "L", "MB", at_most(None, 64), _megabytes(everything))


def _megabytes(series):
    return spread([run.peak / MEGABYTE for run in series.runs])


SEARCHES = {"M": at_most(3, 1.5), "L": at_most(2.5, 1.5)}


def _search(bench, corpus, results):
    """Looks at every file each time."""
    bench.say(f"{corpus}: search against rg --files")
    environment = bench.environment(f"search-{corpus}")
    search = Command("ctx search", ((bench.ctx, "search", QUESTION, f"{corpus}/**"),), bench.directory, environment)
    files = Command("rg --files", bench.floor(corpus).programs[:1], bench.directory, environment)
    series = alternate([search, files], bench.rounds[corpus])
    results.series += [(corpus, one) for one in series.values()]
    value = ratios(series["ctx search"], series["rg --files"])
    return Row("search", "`ctx search`, again / `rg --files`", corpus, "", SEARCHES[corpus], value)


def _checkpoint(bench, corpus, results):
    """Changes nothing between the rounds. Git has all files in a separate index, outside the corpus."""
    bench.say(f"{corpus}: checkpoint against git status")
    tree, git = str(bench.directory / corpus), str(bench.work / f"{corpus}.git")
    environment = bench.environment("checkpoint")
    at = ("git", f"--git-dir={git}", f"--work-tree={tree}")
    author = ("-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "gc.auto=0")
    for step in (("init", "--quiet"), ("add", "--all"), ("commit", "--quiet", "--message", "all")):
        subprocess.run([*at, *author, *step], cwd=tree, env=environment, check=True)
    create = Command("ctx checkpoint", ((bench.ctx, "checkpoint", "create"),), bench.directory / corpus, environment)
    status = Command("git status", ((*at, "status", "--porcelain"),), bench.directory / corpus, environment)
    series = alternate([create, status], bench.rounds[corpus])
    results.series += [(corpus, one) for one in series.values()]
    value = ratios(series["ctx checkpoint"], series["git status"])
    what = "`ctx checkpoint create`, nothing changed / `git status`"
    return Row("checkpoint", what, corpus, "", at_most(2), value)


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

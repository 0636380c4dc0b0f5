"""The results as Markdown."""

import os
import platform
import subprocess
from pathlib import Path

CORPUS_NAMES = {"W": "W (a web project with an ignored `node_modules` and `dist`)"}


BEGIN, END = "<!-- benchmark -->", "<!-- /benchmark -->"


def summary(results, load):
    """The machine and the table of promises."""
    table = _table(
        ("what", "corpus", "median", "quartiles", "runs", "to reach", "stretch", "verdict"),
        [_row(row) for row in results.rows],
    )
    return f"{_machine(load)}\n\n{table}"


# The table for newcomers: the series, its name in the README, the peer whose version it names, and what it counts.
IN_SHORT = (
    ("ctx cold", "`ctx render`, first run ever", None, "yes, exact"),
    ("ctx warm", "`ctx render` again", None, "yes, exact"),
    ("code2prompt", "code2prompt {}", "code2prompt", "yes"),
    ("yek-tokens", "yek {} `--tokens`", "yek", "yes"),
    ("repomix", "repomix {}", "repomix", "yes"),
)


def in_short(results, peers, corpus="M"):
    """The table for the README: seconds on one corpus, the first series of each name."""
    seconds = {}
    for name, series in results.series:
        if name == corpus:
            seconds.setdefault(series.name, series.seconds().median)
    rows = [
        (title.format(peers[peer].version) if peer else title, f"{seconds[name]:.2f}", counts)
        for name, title, peer, counts in IN_SHORT
        if name in seconds
    ]
    return _table(("program", "seconds", "counts tokens"), rows)


def inserted(document, text):
    """`document` with the text between the two marks replaced by `text`."""
    before, rest = document.split(BEGIN, 1)
    _, after = rest.split(END, 1)
    return f"{before}{BEGIN}\n\n{text}\n\n{END}{after}"


def markdown(results, corpora, peers, ctx_version, load):
    """The whole document: the machine, the table of promises, and the underlying times."""
    parts = [
        "# Results",
        "Made by `bench/run`; `README.md` next to this file explains what each row means.",
        summary(results, load),
        "## Times",
        "Wall-clock seconds with output to a pipe, and next to them the median CPU seconds of all processors: on a busy "
        "machine, trust only these. A corpus appears twice if two groups of commands ran on it.",
        _table(
            ("corpus", "command", "median", "quartiles", "least", "processors", "runs", "wrote", "peak memory"),
            [_series(corpus, series) for corpus, series in results.series],
        ),
        "## Corpora and programs",
        _table(
            ("corpus", "files", "bytes"),
            [(CORPUS_NAMES.get(c.name, c.name), f"{c.files:,}", f"{c.bytes:,}") for c in corpora.values()],
        ),
        ", ".join([ctx_version, *(f"{peer.name} {peer.version}" for peer in peers.values())]) + ".",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def verdict(row):
    """Whether the row meets its target, in words."""
    if row.value is None:
        return f"not measured: {row.reason}"
    if row.target is None:
        return "no target"
    if row.missed():
        return "**missed**"
    if row.target.stretch is not None and row.target.met(row.value.median, row.target.stretch):
        return "stretch reached"
    return "reached" if row.target.reach is not None else "stretch missed"


def _row(row):
    value = row.value
    return (
        row.what,
        row.corpus,
        _figure(value.median, row.unit) if value else "",
        f"{_figure(value.low)} – {_figure(value.high)}" if value and value.runs > 1 else "",
        str(value.runs) if value else "",
        _bound(row.target, row.target.reach, row.unit) if row.target else "",
        _bound(row.target, row.target.stretch, row.unit) if row.target else "",
        verdict(row),
    )


def _series(corpus, series):
    seconds = series.seconds()
    return (
        corpus,
        series.name,
        f"{seconds.median:.4f}",
        f"{seconds.low:.4f} – {seconds.high:.4f}",
        f"{seconds.least:.4f}",
        f"{series.processor().median:.4f}",
        str(seconds.runs),
        f"{series.written / 1e6:.1f} MB",
        f"{series.peak().median / 1e6:.0f} MB",
    )


def _bound(target, bound, unit):
    if bound is None:
        return ""
    return f"{'≤' if target.at_most else '≥'} {bound:g}{' ' + unit if unit else ''}"


def _figure(value, unit=""):
    digits = f"{value:,.0f}" if unit == "files" or abs(value) >= 100 else f"{value:.2f}"
    return digits + (f" {unit}" if unit else "")


def _table(head, rows):
    if not rows:
        return ""
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _machine(load):
    lines = [f"Machine: {os.cpu_count()} cores, {_processor()}, {_memory()}, {_system()}."]
    if load > 0.5 * os.cpu_count():
        lines.append(f"**It was busy (load {load:.1f} before the first run): trust the ratios less, the times not at all.**")
    return " ".join(lines)


def _processor():
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        ask = ["sysctl", "-n", "machdep.cpu.brand_string"]
        named = subprocess.run(ask, capture_output=True, text=True, check=False)
        return named.stdout.strip() or platform.machine()
    return platform.machine()


def _memory():
    return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"


def _system():
    try:
        name = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (AttributeError, KeyError, OSError):
        name = platform.system()
    return f"{name}, {platform.machine()}"

"""The token counter alone, compared with another exact one: the program in `tokens/`."""

import subprocess
from dataclasses import replace

from ctxbench.corpora import BENCH
from ctxbench.measure import MEGABYTE, spread
from ctxbench.row import Row, at_least, at_most


def measure(bench):
    """The requested rows about the token counter."""
    rows = []
    if "counter" in bench.keys:
        corpus = _corpus(bench, "M")
        rows.append(Row("counter", "token counter, one thread / bpe-openai (speed)", corpus, "", at_least(7, 8)))
    if "instructions" in bench.keys:
        rows.append(Row("instructions", "token counter, instructions for each byte", _corpus(bench, "S"), "", None))
    if "outline-speed" in bench.keys:
        rows.append(Row("outline-speed", "outlines, one thread", _corpus(bench, "M"), "MB/s", at_least(100)))
    if "worst" in bench.keys:
        rows.append(Row("worst", "slowest of the hard inputs", "1 MiB", "MB/s", at_least(20)))
    if "counts" in bench.keys:
        what = "files whose count is not OpenAI's"
        rows += [Row("counts", what, corpus, "files", at_most(0)) for corpus in bench.corpora if corpus != "W"]
    if not rows:
        return []
    bench.say("token counter")
    target = bench.root / "token-bench"
    reason = _build(target)
    if reason:
        return [replace(row, reason=reason) for row in rows]
    program = str(target / "release/token-bench")
    return [_MEASURES[row.key](bench, program, row) for row in rows]


def _corpus(bench, first):
    """One of the available corpora, preferably `first`."""
    return next(name for name in (first, "M", "S", "L", "W") if name in bench.corpora)


def _build(target):
    """Builds the program, or reports why it can't be built."""
    done = subprocess.run(
        ["cargo", "build", "--quiet", "--release",
         "--manifest-path", str(BENCH / "tokens/Cargo.toml"), "--target-dir", str(target)],
        capture_output=True, text=True, check=False,
    )
    if done.returncode == 0:
        return ""
    return next((line for line in done.stderr.splitlines() if line.startswith("error")), "cargo failed")


def _counter(bench, program, row):
    lines = _lines(program, "speed", bench.directory / row.corpus, bench.rounds["counter"])
    rounds = [line[1:] for line in lines if line[0] == "round"]
    return replace(row, value=spread([float(theirs) / float(ours) for ours, theirs in rounds]))


def _instructions(bench, program, row):
    """The instructions that callgrind counts inside the counter: the same on every machine of a kind, however busy."""
    directory = str(bench.directory / row.corpus)
    counts = bench.work / "callgrind.out"
    command = ["valgrind", "--tool=callgrind", "--toggle-collect=*counted*", f"--callgrind-out-file={counts}",
               program, "count", directory]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        return replace(row, reason=f"valgrind: {error}")
    size = next(int(line.split("\t")[1]) for line in done.stdout.splitlines() if line.startswith("bytes"))
    total = next(int(line.split()[1]) for line in counts.read_text().splitlines() if line.startswith("totals:"))
    return replace(row, value=spread([total / size]))


def _outline_speed(bench, program, row):
    lines = _lines(program, "outlines", bench.directory / row.corpus, bench.rounds["counter"])
    size = next(int(line[1]) for line in lines if line[0] == "bytes")
    return replace(row, value=spread([size / float(line[1]) / MEGABYTE for line in lines if line[0] == "round"]))


def _worst(_, program, row):
    speeds = {
        name: int(size) / float(seconds) / MEGABYTE
        for _, name, size, seconds in _lines(program, "worst")
    }
    slowest = min(speeds, key=speeds.get)
    return replace(row, what=f"{row.what} ({slowest})", value=spread([speeds[slowest]]))


def _counts(bench, program, row):
    lines = _lines(program, "counts", bench.directory / row.corpus)
    files = next(int(line[1]) for line in lines if line[0] == "files")
    wrong = sum(line[0] == "differs" for line in lines)
    return replace(row, what=f"{row.what}, of {files:,}", value=spread([wrong]))


_MEASURES = {"counter": _counter, "instructions": _instructions, "outline-speed": _outline_speed, "worst": _worst, "counts": _counts}


def _lines(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True)
    return [line.split("\t") for line in done.stdout.splitlines()]

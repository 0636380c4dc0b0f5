"""Measures what `ctx ask` prints for the tasks in a directory written by `commits.py` or `retrieval-bench write`.

    printed.py CTX NAME WORK [BUDGET]    appends the score of each task to the file named by $SCORES

The score is the share of the files with answers that are at least partly printed, and the share of the wanted lines.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

OMITTED = re.compile(r"^\[… ([\d,]+) lines? omitted …\]$")


def asked(field):
    """`path:1-3,7`."""
    path, _, runs = field.rpartition(":")
    lines = set()
    for run in filter(None, runs.split(",")):
        first, _, last = run.partition("-")
        lines |= set(range(int(first), int(last or first) + 1))
    return path, lines


def printed_lines(text):
    """The numbers of the lines of a file that are in its excerpt."""
    lines, number = set(), 1
    for line in text.split("\n"):
        if omitted := OMITTED.match(line):
            number += int(omitted[1].replace(",", ""))
        else:
            lines.add(number)
            number += 1
    return lines


def ask(ctx, tree, query, budget, environment):
    words = [ctx, "ask", "--format", "json", "-b", budget, "--prompt-file", "-"]
    run = subprocess.run(words, cwd=tree, env=environment, input=query.encode(), capture_output=True)
    if run.returncode not in (0, 1):
        sys.exit(run.stderr.decode())
    return json.loads(run.stdout)["documents"] if run.stdout else []


def main(ctx, name, work, budget=8_000):
    ctx, budget = os.path.abspath(ctx), str(budget)
    tree = Path(work) / "tree"
    totals, count = defaultdict(float), defaultdict(int)
    with tempfile.TemporaryDirectory() as home, open(os.environ.get("SCORES", os.devnull), "a") as out:
        environment = {**os.environ, "HOME": home, "XDG_CONFIG_HOME": f"{home}/c", "XDG_CACHE_HOME": f"{home}/cache",
                       "XDG_DATA_HOME": f"{home}/d", "XDG_STATE_HOME": f"{home}/s"}
        for line in (Path(work) / "tasks").read_text().splitlines():
            kind, query, *answers = line.split("\t")
            answers = dict(map(asked, answers))
            found = {one["path"]: printed_lines(one["content"])
                     for one in ask(ctx, tree, query, budget, environment)}
            files = sum(path in found for path in answers) / len(answers)
            wanted = sum(map(len, answers.values()))
            lines = sum(len(lines & found.get(path, set())) for path, lines in answers.items()) / max(wanted, 1)
            for at, share in enumerate((files, lines)):
                totals[kind, at] += share
            count[kind] += 1
            query = query.replace("\t", " ")
            out.write(f"{name}, {kind}\tctx\t{query}\t0\t0\t{files:.6f}\t0\t{lines:.6f}\t0\n")
    for kind in count:
        files, lines = (totals[kind, at] / count[kind] for at in (0, 1))
        print(f"| {name}, {kind}, {count[kind]} | {files:.3f} | {lines:.3f} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

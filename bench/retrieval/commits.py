"""Freezes and lists the tasks of a repository: commits, whose messages are queries and whose files and lines are
answers, and questions of semble's public benchmark.

    commits.py freeze NAME CLONE HALF [BASE]      appends to tasks/commits.tsv: the 400 commits after BASE, or the last ones
    commits.py commits NAME CLONE WORK            writes tree, history and tasks of the commits of NAME into WORK
    commits.py questions NAME CLONE SEMBLE WORK   the same for the questions about NAME in a clone of semble
"""

import io
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

TASKS = Path(__file__).parent / "tasks/commits.tsv"
COMMITS = 400
TASKS_OF_ONE = 100
MOST_FILES = 5
# The same limits that `ctx` has for a history.
MOST_MESSAGES = 3_000
LONGEST_MESSAGE = 2_000
# Names of files that count as answers: no lock files, no changelogs, nothing generated.
EXTENSIONS = (".rs", ".py", ".ts", ".tsx", ".js", ".go", ".java", ".kt", ".c", ".h", ".cpp", ".swift", ".rb", ".md", ".rst")
# A file that nearly every commit changes doesn't answer any query.
SHARE = 0.05
ROUTINE = re.compile(r"\b(bump|release|version|changelog|merge|revert|typos?|dependenc\w+|deps|lint|format(ting)?)\b", re.I)
TRAILER = re.compile(r"^[\w-]+-by: |^Change-Id: ", re.I)
HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.M)


def git(clone, *words):
    run = subprocess.run(["git", "-C", clone, *words], check=True, capture_output=True)
    return run.stdout.decode("utf-8", "replace")


def plain(subject):
    """A subject without the number of its pull request and its kind."""
    return re.sub(r"^\w+(\([^)]*\))?!?: ", "", re.sub(r"\s*\(#\d+\)$", "", subject)).strip()


def in_full(message):
    """A message on one line, without its kind, pull request numbers and sign-offs."""
    subject, _, body = message.partition("\n")
    lines = [plain(subject), *(line for line in body.split("\n") if not TRAILER.match(line.strip()))]
    return " ".join(" ".join(lines).split())[:LONGEST_MESSAGE]


def hunks(diff):
    """The hunks of a diff without context: first line and count before, first line and count after."""
    return [tuple(int(number or 1) for number in hunk) for hunk in HUNK.findall(diff)]


def in_base(line, moved):
    """The line of an older version that corresponds to a line of a later one, given the hunks between them; `None` if it is new."""
    offset = 0
    for _, old, first, new in moved:
        if line < first + (new == 0):
            break
        if line < first + new:
            return None
        offset += old - new
    return line + offset


def changed_lines(clone, base, commit, path):
    """The lines of the base that a commit changed or inserted after."""
    before = f"{commit}^"
    moved = hunks(git(clone, "diff", "-U0", "--no-renames", "--no-ext-diff", base, before, "--", path))
    lines = set()
    for first, count, _, _ in hunks(git(clone, "diff", "-U0", "--no-renames", "--no-ext-diff", before, commit, "--", path)):
        lines |= {in_base(max(line, 1), moved) for line in range(first, first + max(count, 1))}
    return ranges(sorted(lines - {None}))


def ranges(lines):
    """`1-3,7` for 1, 2, 3, 7."""
    runs = []
    for line in lines:
        if runs and runs[-1][1] + 1 == line:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    return ",".join(f"{first}" if first == last else f"{first}-{last}" for first, last in runs)


def freeze(name, clone, half, base=None):
    after = [f"{base}..HEAD"] if base else [f"-n{COMMITS + 1}"]
    log = git(clone, "log", "--first-parent", "--no-merges", *after, "--format=%x00%H%x1f%s", "--name-status")
    commits = [commit.strip().split("\n") for commit in log.split("\0")[1:]][-COMMITS - (base is None) :]
    base = base or commits.pop()[0].split("\x1f")[0]
    there = set(git(clone, "ls-tree", "-r", "--name-only", "-z", base).split("\0"))
    changed = [[line.split("\t")[1] for line in lines if line.startswith("M\t")] for _, *lines in commits]
    counts = Counter(path for paths in changed for path in paths)
    rows = []
    for (head, *_), paths in zip(commits, changed):
        commit, subject = head.split("\x1f")
        subject = plain(subject)
        everything = len(paths)
        paths = [path for path in paths if path in there and path.endswith(EXTENSIONS)
                 and counts[path] <= max(3, SHARE * len(commits)) and "changelog" not in path.lower()]
        is_query = len(subject.split()) >= 3 and subject.isascii() and not ROUTINE.search(subject)
        if paths and everything <= MOST_FILES and is_query:
            answers = [f"{path}:{changed_lines(clone, base, commit, path)}" for path in paths]
            rows.append("\t".join([half, name, base, commit, *answers]))
        if len(rows) == TASKS_OF_ONE:
            break
    with TASKS.open("a") as out:
        out.writelines(row + "\n" for row in rows)
    print(f"{name}: {len(rows)} tasks", file=sys.stderr)


def write_history(clone, commit, work):
    """The messages before a commit, as `ctx` reads them: each message, then the paths that it changed."""
    log = git(clone, "log", "--no-merges", "--no-renames", "--name-only", f"-n{MOST_MESSAGES}",
              "--format=%x00%B%x1f", commit)
    (work / "history").write_text(log)


def write_tree(clone, commit, work, root="."):
    """The files of a tree, without those that the clone lacks, such as large files."""
    listed = git(clone, "ls-tree", "-r", "-z", commit, root).split("\0")
    files = [line.split("\t", 1) for line in listed if line.startswith("100")]
    objects = "".join(fields.split()[2] + "\n" for fields, _ in files)
    batch = subprocess.run(["git", "-C", clone, "cat-file", "--batch"], input=objects.encode(), check=True, capture_output=True)
    rest = io.BytesIO(batch.stdout)
    for _, path in files:
        header = rest.readline().split()
        if header[-1] != b"missing":
            to = work / "tree" / path
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(rest.read(int(header[2])))
            rest.read(1)


def commits(name, clone, work):
    rows = [row for row in (line.split("\t") for line in TASKS.read_text().splitlines()) if row[1] == name]
    write_tree(clone, rows[0][2], work)
    write_history(clone, rows[0][2], work)
    with (work / "tasks").open("w") as out:
        for _, _, _, commit, *answers in rows:
            message = git(clone, "log", "-1", "--format=%B", commit)
            for kind, query in ("subjects", plain(message.split("\n")[0])), ("messages", in_full(message)):
                out.write("\t".join([kind, query.replace("\t", " "), *answers]) + "\n")


def path_of(target):
    return target if isinstance(target, str) else target["path"]


def questions(name, clone, semble, work):
    benchmarks = Path(semble) / "benchmarks"
    specs = json.loads((benchmarks / "repos.json").read_text())
    spec = next(spec for spec in specs if spec["url"].endswith(f"/{name}.git"))
    write_tree(clone, spec["revision"], work, spec.get("benchmark_root") or ".")
    write_history(clone, spec["revision"], work)
    with (work / "tasks").open("w") as out:
        for one in json.loads((benchmarks / f"annotations/{spec['name']}.json").read_text()):
            paths = dict.fromkeys(path_of(target) for target in one["relevant"] + one["secondary"])
            answers = [f"{path}:" for path in paths if (work / "tree" / path).is_file()]
            if answers:
                out.write("\t".join(["questions", one["query"], *answers]) + "\n")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["freeze", name, clone, half, *base]:
            freeze(name, clone, half, *base)
        case ["commits", name, clone, work]:
            commits(name, clone, Path(work))
        case ["questions", name, clone, semble, work]:
            questions(name, clone, semble, Path(work))
        case _:
            sys.exit(__doc__)

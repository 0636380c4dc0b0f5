"""Freezes and lists the tasks that are commits: a subject and the files that it changed.

    commits.py freeze NAME CLONE HALF    appends to tasks/commits.tsv
    commits.py tasks NAME                 prints subjects and paths, as retrieval-bench reads them
    commits.py base NAME                  prints the commit before all of them
"""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

TASKS = Path(__file__).parent / "tasks/commits.tsv"
COMMITS = 400
TASKS_OF_ONE = 100
MOST_FILES = 5
# What a file may be called that is an answer: no lock file, no list of changes, nothing generated.
EXTENSIONS = (".rs", ".py", ".ts", ".tsx", ".js", ".go", ".java", ".kt", ".c", ".h", ".cpp", ".swift", ".rb", ".md", ".rst")
# What nearly every commit changes is no answer to any.
SHARE = 0.05
ROUTINE = re.compile(r"\b(bump|release|version|changelog|merge|revert|typos?|dependenc\w+|deps|lint|format(ting)?)\b", re.I)


def git(clone, *words):
    return subprocess.run(["git", "-C", clone, *words], check=True, capture_output=True, text=True).stdout


def plain(subject):
    """A subject without the number of its pull request and its kind."""
    return re.sub(r"^\w+(\([^)]*\))?!?: ", "", re.sub(r"\s*\(#\d+\)$", "", subject)).strip()


def freeze(name, clone, half):
    log = git(clone, "log", "--first-parent", "--no-merges", f"-n{COMMITS + 1}", "--format=%x00%H%x1f%s", "--name-status")
    commits = [commit.strip().split("\n") for commit in log.split("\0")[1:]]
    base = commits.pop()[0].split("\x1f")[0]
    there = set(git(clone, "ls-tree", "-r", "--name-only", "-z", base).split("\0"))
    changed = [[line.split("\t")[1] for line in lines if line.startswith("M\t")] for _, *lines in commits]
    counts = Counter(path for paths in changed for path in paths)
    rows = []
    for (head, *_), paths in zip(commits, changed):
        subject = plain(head.split("\x1f")[1])
        everything = len(paths)
        paths = [path for path in paths if path in there and path.endswith(EXTENSIONS)
                 and counts[path] <= max(3, SHARE * len(commits)) and "changelog" not in path.lower()]
        is_query = len(subject.split()) >= 3 and subject.isascii() and not ROUTINE.search(subject)
        if paths and everything <= MOST_FILES and is_query:
            rows.append("\t".join([half, name, base, subject.replace("\t", " "), *paths]))
    with TASKS.open("a") as out:
        out.writelines(row + "\n" for row in rows[:TASKS_OF_ONE])
    print(f"{name}: {len(rows[:TASKS_OF_ONE])} tasks", file=sys.stderr)


def rows(name):
    return [row for row in (line.split("\t") for line in TASKS.read_text().splitlines()) if row[1] == name]


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["freeze", name, clone, half]:
            freeze(name, clone, half)
        case ["tasks", name]:
            print("\n".join("\t".join(row[3:]) for row in rows(name)))
        case ["base", name]:
            print(rows(name)[0][2])
        case _:
            sys.exit(__doc__)

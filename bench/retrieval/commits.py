"""From `git log --format=%x00%s --name-status` to tasks: a subject and each file that it changed, if few."""

import sys
from pathlib import Path

MOST_FILES = 5
tree = Path(sys.argv[1])
for commit in sys.stdin.read().split("\0")[1:]:
    subject, *changes = commit.strip().split("\n")
    paths = [change.split("\t")[1] for change in changes if "\t" in change]
    paths = [path for path in paths if (tree / path).is_file()]
    if 1 <= len(paths) <= MOST_FILES and len(subject.split()) >= 3:
        for path in paths:
            print(f"all\t{path}\t0\t{subject}")

"""What a question comes with: a paste or a diff, which quotes the pinned tree by line numbers instead of repeating it."""

import re

# How many unchanged lines surround a change in a diff.
CONTEXT = 3


class Quoted:
    """The lines of the files of a tree."""

    def __init__(self, tree):
        self.tree = tree

    def lines(self, file):
        return (self.tree / file).read_text(encoding="utf8").split("\n")

    def piece(self, piece, file=None):
        """Text as it is, or what `{"at": "FILE:LINE", "columns": [from, to]}` quotes; within a diff, `{"line": LINE, "after":
        INDENTATION}` quotes a line of its file without its own indentation."""
        if isinstance(piece, str):
            return piece
        if "line" in piece:
            return piece["after"] + self.lines(file)[piece["line"] - 1].lstrip()
        path, line = piece["at"].rsplit(":", 1)
        start, end = piece.get("columns", (0, None))
        return self.lines(path)[int(line) - 1][start:end]

    def paste(self, lines):
        """A paste: each line is text, or a list of pieces."""
        whole = (line if isinstance(line, str) else "".join(map(self.piece, line)) for line in lines)
        return "".join(f"{line}\n" for line in whole)

    def diff(self, change):
        """A change as `git diff` prints it. `changes` are in the order of the file; each replaces `removed` lines from `line`."""
        file, old = change["file"], self.lines(change["file"])
        text = [f"diff --git a/{file} b/{file}", f"--- a/{file}", f"+++ b/{file}"]
        shift = 0
        for hunk in hunks(change["changes"]):
            start = max(1, hunk[0]["line"] - CONTEXT)
            end = min(last_of(hunk[-1]) + CONTEXT, len(old) - 1)
            body, at = [], start
            for one in hunk:
                body += [f" {line}" for line in old[at - 1 : one["line"] - 1]]
                at = one["line"] + one["removed"]
                body += [f"-{line}" for line in old[one["line"] - 1 : at - 1]]
                body += [f"+{self.piece(piece, file)}" for piece in one["added"]]
            body += [f" {line}" for line in old[at - 1 : end]]
            added = sum(len(one["added"]) - one["removed"] for one in hunk)
            count = end - start + 1
            text += [f"@@ -{start},{count} +{start + shift},{count + added} @@", *body]
            shift += added
        return "".join(f"{line}\n" for line in text)


def last_of(change):
    """The last line that a change removes, or the line before what it inserts."""
    return change["line"] + change["removed"] - 1


def hunks(changes):
    """The changes, together where their context touches."""
    together = []
    for change in changes:
        if together and change["line"] - last_of(together[-1][-1]) <= 2 * CONTEXT + 1:
            together[-1].append(change)
        else:
            together.append([change])
    return together

"""What a script without ctx would send: the windows of 60 lines, or the whole files, that BM25 ranks first, as many as fit."""

import collections
import json
import math
import re
import subprocess

# The lines of a piece; a file is never so long.
LINES = {"windows": 60, "files": 1 << 30}
LARGEST = 1 << 20
K1, B = 1.2, 0.75
# Words that say nothing about what is asked for.
STOP = set(
    "a an and are as at be but by can did do does for from had has have how i if in into is it its me my no not of on or our"
    " so than that the their them then there these they this to was we were what when where which who why will with you your".split()
)
PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")


def words(text):
    """Lower-case words; names are split, and the plural's `s` is dropped."""
    found = (piece.lower() for piece in PIECE.findall(text))
    return [word[:-1] if len(word) > 3 and word.endswith("s") and word[-2] != "s" else word for word in found if word not in STOP]


def texts(tree):
    """The text files that git knows, by path; of a notebook, the text of its cells."""
    listed = subprocess.run(["git", "-C", str(tree), "ls-files", "-z"], capture_output=True, check=True).stdout.decode()
    for path in filter(None, listed.split("\0")):
        file = tree / path
        if file.is_symlink() or not file.is_file() or file.stat().st_size > LARGEST:
            continue
        try:
            text = file.read_bytes().decode("utf8")
        except UnicodeDecodeError:
            continue
        if path.endswith(".ipynb"):
            text = "\n".join("".join(cell["source"]) for cell in json.loads(text).get("cells", []))
        yield path, text


def ranked(tree, query, size):
    """`(path, lines)` of all pieces of that size with a word of the query, best first."""
    pieces = []
    for path, text in texts(tree):
        lines = text.split("\n")
        pieces += [(path, lines[start : start + size]) for start in range(0, len(lines), size)]
    counts = [collections.Counter(words(path + "\n" + "\n".join(lines))) for path, lines in pieces]
    average = sum(sum(count.values()) for count in counts) / max(1, len(counts))
    scores = [0.0] * len(pieces)
    for word, times in collections.Counter(words(query)).items():
        having = sum(word in count for count in counts)
        rarity = math.log(1 + (len(pieces) - having + 0.5) / (having + 0.5))
        for at, count in enumerate(counts):
            if count[word]:
                length = 1 - B + B * sum(count.values()) / average
                scores[at] += times * rarity * count[word] * (K1 + 1) / (count[word] + K1 * length)
    order = sorted((at for at, score in enumerate(scores) if score > 0), key=lambda at: -scores[at])
    return [pieces[at] for at in order]


def printed(tree, query, budget, kind, program):
    """The stripped lines by path of the best pieces that fit the budget, and their size in bytes. ctx counts the tokens."""
    best = ranked(tree, query, LINES[kind])[: budget // 40]
    if not best:
        return {}, 0
    folder = program.home / "pieces"
    folder.mkdir()
    for number, (path, lines) in enumerate(best):
        (folder / f"{number:05}.txt").write_text(f"[{path}]\n" + "\n".join(lines) + "\n")
    listing = ["show", "--json", "--only", "-b", "none", "*.txt"]
    account = json.loads(program.run(listing, folder).stdout)
    tokens = {record["path"]: record["tokens"] for record in account["files"]}
    have, left, size = collections.defaultdict(set), budget, 0
    for number, (path, lines) in enumerate(best):
        # ctx skips what looks like its own earlier output.
        cost = tokens.get(f"{number:05}.txt", len("\n".join(lines)) // 3)
        if cost > left:
            continue
        left -= cost
        have[path] |= {line.strip() for line in lines}
        size += len("\n".join(lines).encode())
    return have, size

"""What a block of ctx prints of each file, line by line."""

import re

OMITTED = re.compile(r"^\s*\[… (?:lines? ([\d,]+)(?:-([\d,]+))?|([\d,]+) lines?) omitted …\]\s*$")
LABEL = re.compile(r"^\[(?:\d{9,} )?.*?(?::(\d+)(?:-\d+)?)?(?:: \w+)?\]$")


def number(digits):
    return int(digits.replace(",", ""))


def printed(block, account):
    """For each file in the order of the block, the lines that are printed: `{path: {number: text}}`."""
    files = {}
    in_block = [record for record in account["files"] if record.get("range")]
    for record in sorted(in_block, key=lambda record: record["range"]):
        start, end = record["range"]
        text = block[start:end].decode("utf8", "replace")
        files.setdefault(path_of(record), {}).update(lines_of(text))
    return files


def path_of(record):
    """The path of a record's file, without lines."""
    return re.sub(r":\d+(-\d*)?$", "", record["path"]) if record.get("lines") else record["path"]


def lines_of(text):
    """The lines of a document and their numbers, counted on by the marks for omitted lines.

    >>> lines_of("\\n[a.rs]\\none\\n[… 3 lines omitted …]\\nfive\\n  [… lines 6-1,007 omitted …]\\nlast")
    {1: 'one', 5: 'five', 1008: 'last'}
    >>> lines_of("[a.rs:120-121]\\none\\n[… line 121 omitted …]")
    {120: 'one'}
    """
    # A blank line separates a document from the one before it.
    label, *lines = text.lstrip("\n").split("\n")
    first = LABEL.match(label)
    at = int(first.group(1) or 1) if first else 1
    found = {}
    for line in lines:
        mark = OMITTED.match(line)
        if not mark:
            found[at] = line
            at += 1
        elif mark.group(3):
            at += number(mark.group(3))
        else:
            at = number(mark.group(2) or mark.group(1)) + 1
    return found

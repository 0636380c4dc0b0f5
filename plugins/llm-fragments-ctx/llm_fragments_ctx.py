"""Fragments for llm from ctx: `llm -f ctx:PROFILE`, `-f ctx:` for the active profile, `-f ctx-search:QUERY`."""

import json
import os
import subprocess
import sys
import tempfile

import llm


@llm.hookimpl
def register_fragment_loaders(register):
    register("ctx", profile)
    register("ctx-search", search)


def profile(name):
    """The current documents of a ctx profile, one fragment each; without a name, the active profile.

    Together they are the block that 'ctx render' prints, byte for byte.
    """
    block, account = _rendered(["--profile", name] if name else [], [])
    return _fragments(block, account, f"ctx:{account.get('profile') or name}")


def search(query):
    """The parts of the active profile that matter for a query, one fragment per document.

    Together they are the block that 'ctx render --trim relevant --query QUERY' prints, byte for byte.
    """
    if not query.strip():
        raise ValueError("no query; say what to look for: -f 'ctx-search:where are tokens counted?'")
    block, account = _rendered([], ["--trim", "relevant", "--query", query])
    return _fragments(block, account, f"ctx-search:{query}")


def _fragments(block, account, prefix):
    return [llm.Fragment(text, source) for text, source in _pieces(block, account["files"], prefix)]


def _rendered(before, after):
    """The block and its account, with options before and after the word 'render'.

    If there is no block, raises ValueError with ctx's error message.
    """
    with tempfile.TemporaryDirectory() as directory:
        manifest = os.path.join(directory, "account.json")
        block = _ctx([*before, "render", *after, "--manifest", manifest])
        with open(manifest, encoding="utf-8") as file:
            return block, json.load(file)


def _ctx(arguments):
    """The output of a ctx command. Its notes and warnings go to standard error."""
    command = os.environ.get("CTX_PROGRAM", "ctx")
    try:
        run = subprocess.run([command, *arguments], stdin=subprocess.DEVNULL, capture_output=True)
    except OSError as error:
        raise ValueError(f"cannot start '{command}': {error.strerror}") from error
    report = run.stderr.decode(errors="replace").strip()
    if run.returncode != 0:
        raise ValueError(report or f"ctx ended with exit code {run.returncode}")
    if report:
        print(report, file=sys.stderr)
    return run.stdout


def _pieces(block, files, prefix):
    """The block cut between its documents, each piece with its source.

    llm joins fragments with a line end, so each cut removes one.
    """
    printed = sorted((file for file in files if "range" in file), key=lambda file: file["range"])
    names = {file["range"][0]: f"{prefix} {file['path']}" for file in printed}
    start, source, pieces = 0, prefix, []
    for offset in sorted({offset for file in printed for offset in file["range"]}):
        line_end = next((at for at in (offset, offset - 1, offset + 1) if block[at : at + 1] == b"\n"), None)
        if line_end is None or line_end < start:
            continue
        pieces.append((block[start:line_end].decode(), source))
        start, source = line_end + 1, names.get(offset, prefix)
    rest = block[start:].decode()
    return [*pieces, (rest, source)] if rest or pieces else []

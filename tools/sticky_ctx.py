"""Starts ctx by the name of its package, which is what `uvx sticky-ctx` looks for. tools/wheel puts it into the wheel."""

import os
import subprocess
import sys


def main():
    program = os.path.join(os.path.dirname(os.path.realpath(sys.argv[0])), "ctx")
    command = [program, *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(subprocess.call(command))
    os.execv(program, command)

#!/usr/bin/env bash
# Copyright 2024 The Authors. License: MIT.
set -euo pipefail

VERSION=1.2.3
export -x TARGET="release"
readonly NAMES=(a b c)

# Prints how to use it.
usage() {
    cat <<-TEXT
		usage: build [TARGET]
		}
	TEXT
    echo "more"
    exit 2
}

function clean {
    rm -rf "$TARGET"
    mkdir -p "$TARGET"
    echo "$((1 << 2)) cleaned"
    if [ -d old ]; then
        rm -rf old
    fi
}

log() { echo "$@" >&2; }

function deploy::all()
{
    local target=$1
    for name in "${NAMES[@]}"; do
        log "deploying $name to $target"
        scp "$name" "$target:"
    done
}

in_directory() (
    cd "$1" || exit
    shift
    "$@"
    echo "done in a shell of its own"
)

case ${1:-} in
-h) usage ;;
*) deploy::all "${1:-}" ;;
esac

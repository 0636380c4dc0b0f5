#!/usr/bin/env bash
# Finds, downloads or builds ctx, and names the program in the step's outputs.
# CTX_ACTION_PROGRAM: use this one. CTX_ACTION_VERSION: download that release. Neither: build.
set -euo pipefail

fail() {
    echo "error: $1" >&2
    exit 1
}

target() {
    case "$(uname -s)-$(uname -m)" in
        Linux-x86_64) echo x86_64-unknown-linux-gnu ;;
        Linux-aarch64 | Linux-arm64) echo aarch64-unknown-linux-gnu ;;
        Darwin-x86_64) echo x86_64-apple-darwin ;;
        Darwin-arm64) echo aarch64-apple-darwin ;;
        *) fail "no release for $(uname -s) $(uname -m): leave 'version' out to build ctx" ;;
    esac
}

sum() {
    if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

download() {
    local version=${CTX_ACTION_VERSION#v}
    [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+([-+.][0-9A-Za-z.-]+)?$ ]] || fail "'version' is not like 0.1.0"
    [ -n "${CTX_ACTION_RELEASES:-}${CTX_ACTION_REPOSITORY:-}" ] ||
        fail "no repository is known to download from: leave 'version' out to build ctx"
    local releases=${CTX_ACTION_RELEASES:-${GITHUB_SERVER_URL:-}/${CTX_ACTION_REPOSITORY:-}/releases/download}
    local name directory
    name="ctx-$version-$(target)"
    directory=$(mktemp -d "${RUNNER_TEMP:-/tmp}/ctx.XXXXXX")
    for file in "$name.tar.gz" "$name.tar.gz.sha256"; do
        curl --fail --silent --show-error --location --retry 3 --output "$directory/$file" \
            "$releases/v$version/$file" || fail "cannot download $file"
    done
    [ "$(sum "$directory/$name.tar.gz")" = "$(cut -d ' ' -f 1 "$directory/$name.tar.gz.sha256")" ] ||
        fail "$name.tar.gz is not what its checksum says"
    tar -xzf "$directory/$name.tar.gz" -C "$directory"
    program=$directory/$name/ctx
}

build() {
    local source
    source=$(cd "$(dirname "$0")/.." && pwd)
    command -v cargo >/dev/null || fail "no cargo here to build ctx: give 'version' or 'ctx'"
    # Runs there so that no toolchain or settings of the checkout apply.
    (cd "$source" && env -u CARGO_BUILD_TARGET cargo build --release --locked --target-dir target >&2)
    program=$source/target/release/ctx
}

if [ -n "${CTX_ACTION_PROGRAM:-}" ]; then
    program=$(command -v "$CTX_ACTION_PROGRAM") || fail "'ctx' names no program"
    case $program in
        /*) ;;
        *) program=$PWD/$program ;;
    esac
elif [ -n "${CTX_ACTION_VERSION:-}" ]; then
    download
else
    build
fi
"$program" --version >&2
printf 'program=%s\n' "$program" >>"$GITHUB_OUTPUT"

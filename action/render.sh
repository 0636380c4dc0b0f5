#!/usr/bin/env bash
# Renders the block, and writes the step's outputs and summary. All inputs come as CTX_ACTION_…
set -euo pipefail

fail() {
    echo "error: $1" >&2
    exit 2
}

is_true() {
    case ${!1:-$2} in
        true) return 0 ;;
        false) return 1 ;;
        *) fail "$1 is neither true nor false" ;;
    esac
}

ctx=${CTX_ACTION_PROGRAM:-ctx}
output=${CTX_ACTION_OUTPUT:-context.txt}
manifest=${CTX_ACTION_MANIFEST:-context.manifest.json}
case $output$manifest in
    *$'\n'* | *$'\r'*) fail "a file name holds a line break" ;;
esac

scratch=$(mktemp -d "${RUNNER_TEMP:-/tmp}/ctx.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

# What a runner's home keeps is nobody's intention: without a store, there is none.
arguments=(--store "${CTX_ACTION_STORE:-$scratch/store}" --color never)
[ -z "${CTX_ACTION_PROFILE:-}" ] || arguments+=(--profile "$CTX_ACTION_PROFILE")
arguments+=(render)
outputs=(--output "$output" --manifest "$manifest")
[ -z "${CTX_ACTION_BUDGET:-}" ] || arguments+=("--budget=$CTX_ACTION_BUDGET")
[ -z "${CTX_ACTION_MODEL:-}" ] || arguments+=("--model=$CTX_ACTION_MODEL")
[ -z "${CTX_ACTION_FORMAT:-}" ] || arguments+=("--format=$CTX_ACTION_FORMAT")
if is_true CTX_ACTION_ONLY false; then arguments+=(--only); fi
strict=()
if is_true CTX_ACTION_STRICT true; then strict=(--strict); fi

paths=(--)
while IFS= read -r path; do
    path=${path#"${path%%[![:space:]]*}"}
    path=${path%"${path##*[![:space:]]}"}
    [ -z "$path" ] || paths+=("$path")
done <<<"${CTX_ACTION_PATHS:-}"

absolute() {
    case $1 in
        /*) printf '%s' "$1" ;;
        *) printf '%s/%s' "$PWD" "$1" ;;
    esac
}

# A member of an object of the account: member OBJECT KEY.
member() {
    sed -n "/^  \"$1\": {\$/,/^  }/s/^    \"$2\": \\(-\\{0,1\\}[0-9]*\\),\\{0,1\\}\$/\\1/p" "$account"
}

status=0
"$ctx" "${arguments[@]}" "${outputs[@]}" ${strict[@]+"${strict[@]}"} "${paths[@]}" </dev/null 2>"$scratch/messages" || status=$?
cat "$scratch/messages" >&2

account=$manifest
if [ "$status" != 0 ]; then
    # What would have been rendered, so that the summary says why it was not.
    account=$scratch/account
    "$ctx" --quiet "${arguments[@]}" --dry-run --json "${paths[@]}" </dev/null >"$account" 2>/dev/null || true
fi
tokens=$(member tokens block)
dropped=$(member file_counts dropped)

{
    if [ "$status" = 0 ]; then
        printf 'file=%s\nmanifest=%s\n' "$(absolute "$output")" "$(absolute "$manifest")"
    fi
    printf 'tokens=%s\ndropped=%s\n' "$tokens" "$dropped"
} >>"$GITHUB_OUTPUT"

{
    if [ "$status" = 0 ]; then echo "### Context rendered"; else echo "### Context not rendered"; fi
    echo
    if [ -n "$tokens" ]; then
        echo "| tokens | files | included | cut | dropped | skipped |"
        echo "| ---: | ---: | ---: | ---: | ---: | ---: |"
        echo "| $tokens | $(member file_counts selected) | $(member file_counts included) |" \
            "$(member file_counts truncated) | $dropped | $(member file_counts skipped) |"
        echo
    fi
    # Indented, so that no name in a message can pass for markup.
    sed 's/^/    /' "$scratch/messages"
} >>"${GITHUB_STEP_SUMMARY:-/dev/null}"

exit "$status"

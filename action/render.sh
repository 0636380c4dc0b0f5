#!/usr/bin/env bash
# Renders the block, and writes the step's outputs, annotations and summary. All inputs come as CTX_ACTION_…
set -euo pipefail

fail() {
    local line=${1//$'\r'/ }
    line=${line//$'\n'/ }
    echo "error: $line" >&2
    echo "::error title=ctx::${line//%/%25}"
    # Indented so that no name in a message is taken for markup.
    printf '### Context not rendered\n\n    error: %s\n' "$line" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
    exit 2
}

is_true() {
    case ${!1:-$2} in
        true) return 0 ;;
        false) return 1 ;;
        *) fail "the input '$(printf %s "${1#CTX_ACTION_}" | tr '[:upper:]' '[:lower:]')' is neither true nor false" ;;
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

# Nobody means to use what is in a runner's home directory: without a store, use none.
arguments=(--store "${CTX_ACTION_STORE:-$scratch/store}" --color never)
[ -z "${CTX_ACTION_PROFILE:-}" ] || arguments+=(--profile "$CTX_ACTION_PROFILE")
question=${CTX_ACTION_QUESTION_FILE:-}
if [ -n "$question" ]; then
    # A question may be somebody else's text, so it is never an argument.
    [ -f "$question" ] || fail "there is no file '$question' with a question"
    [ -z "${CTX_ACTION_PROMPT:-}" ] || fail "use either 'prompt' or 'question-file'"
    arguments+=(ask "--prompt-file=$question")
else
    arguments+=(render)
fi
outputs=(--output "$output" --manifest "$manifest")
[ -z "${CTX_ACTION_BUDGET:-}" ] || arguments+=("--budget=$CTX_ACTION_BUDGET")
[ -z "${CTX_ACTION_MODEL:-}" ] || arguments+=("--model=$CTX_ACTION_MODEL")
[ -z "${CTX_ACTION_FORMAT:-}" ] || arguments+=("--format=$CTX_ACTION_FORMAT")
if is_true CTX_ACTION_ONLY false; then arguments+=(--only); fi
strict=()
if is_true CTX_ACTION_STRICT true; then strict=(--strict); fi

# Reads the lines of an input into the array `lines`, trimmed.
read_lines() {
    local line
    lines=()
    while IFS= read -r line; do
        line=${line#"${line%%[![:space:]]*}"}
        line=${line%"${line##*[![:space:]]}"}
        [ -z "$line" ] || lines+=("$line")
    done <<<"$1"
}

[ -z "${CTX_ACTION_PROMPT:-}" ] || arguments+=("--prompt=$CTX_ACTION_PROMPT")
read_lines "${CTX_ACTION_ARGS:-}"
arguments+=(${lines[@]+"${lines[@]}"})
read_lines "${CTX_ACTION_PATHS:-}"
paths=()
if [ -z "$question" ]; then
    paths=(-- ${lines[@]+"${lines[@]}"})
elif [ ${#lines[@]} -gt 0 ]; then
    # What follows `--` would be a program.
    printf '%s\n' "${lines[@]}" >"$scratch/paths"
    arguments+=("--files-from=$scratch/paths")
fi
stdin=/dev/null
if [ -n "${CTX_ACTION_STDIN:-}" ]; then
    stdin=$CTX_ACTION_STDIN
    [ -f "$stdin" ] || fail "there is no file '$stdin' to read as standard input"
    paths+=(-)
fi

absolute() {
    case $1 in
        /*) printf '%s' "$1" ;;
        *) printf '%s/%s' "$PWD" "$1" ;;
    esac
}

# member OBJECT KEY: a member of an object of the account.
member() {
    sed -n "/^  \"$1\": {\$/,/^  }/s/^    \"$2\": \\(-\\{0,1\\}[0-9]*\\),\\{0,1\\}\$/\\1/p" "$account"
}

status=0
"$ctx" "${arguments[@]}" "${outputs[@]}" ${strict[@]+"${strict[@]}"} ${paths[@]+"${paths[@]}"} <"$stdin" 2>"$scratch/messages" || status=$?
# What to type next is said as inputs of this action.
sed -i.bak "
    s/^hint: --budget \\(.*\\) is enough\$/hint: set the input 'budget' to \\1/
    s/^hint: -b \\(.*\\) has room for everything\$/hint: set the input 'budget' to \\1/
    s/^hint: -b \\([^ ]*\\) has room for /hint: set the input 'budget' to \\1, which has room for /
    s/; without -m MODEL, ctx assumes a window /; without the input 'model', ctx assumes a window /
    s/; --dry-run lists them\$//
    s/^hint: leave out --strict to print what fits\$/hint: set the input 'strict' to false to write what fits/
    s/^hint: nothing was printed because of --strict\$/hint: nothing was written because the input 'strict' is true/
    /^hint: --dry-run /d
" "$scratch/messages"
cat "$scratch/messages" >&2
# The platform reads these from standard output; `%` starts an escape.
sed -n 's/%/%25/g; s/^error: /::error title=ctx::/p; s/^warning: /::warning title=ctx::/p' "$scratch/messages"

account=$manifest
if [ "$status" != 0 ]; then
    # What would have been rendered, so that the summary can explain why it wasn't.
    account=$scratch/account
    "$ctx" --quiet "${arguments[@]}" --dry-run --manifest "$account" ${paths[@]+"${paths[@]}"} <"$stdin" >/dev/null 2>&1 || true
    [ -f "$account" ] || account=/dev/null
fi
dropped=$(member file_counts dropped)
tokens=$(member tokens block)
[ -z "$tokens" ] || tokens=$((tokens + $(member tokens prompt)))

# The files in the account that are left out or in part, with the tokens that are printed and those of their full texts. What
# a question leaves out does not answer it.
lost() {
    awk -v asks="$question" '
        /^  "files": \[/ { inside = 1 }
        !inside { next }
        /^    \{/ { path = status = whole = tokens = "" }
        /^      "path": / { path = $0; sub(/^      "path": "/, "", path); sub(/",$/, "", path) }
        /^      "status": "(truncated|outlined)"/ { status = "in part" }
        /^      "status": "dropped"/ && asks == "" { status = "left out" }
        /^      "tokens": / { tokens = $2; sub(/,/, "", tokens) }
        /^      "whole_tokens": / { whole = $2; sub(/,/, "", whole) }
        /^    \}/ && status != "" { printf "%9s  %9s  %-8s  %s\n", tokens, whole, status, path }
    ' "$account"
}

# The most files in the summary.
most=50

# The first lines, and how many more there are.
beginning() {
    awk -v most="$most" 'NR <= most { print "    " $0 } END { if (NR > most) print "    … and " NR - most " more" }'
}

{
    if [ "$status" = 0 ]; then
        printf 'file=%s\nmanifest=%s\n' "$(absolute "$output")" "$(absolute "$manifest")"
        printf 'tokens=%s\ndropped=%s\n' "$tokens" "$dropped"
    fi
} >>"$GITHUB_OUTPUT"

{
    if [ "$status" = 0 ]; then echo "### Context rendered"; else echo "### Context not rendered"; fi
    echo
    if [ -n "$tokens" ]; then
        left_out="left out"
        [ -z "$question" ] || left_out="not needed"
        echo "| tokens | files | whole | in part | $left_out |"
        echo "| ---: | ---: | ---: | ---: | ---: |"
        echo "| $tokens | $(member file_counts selected) | $(member file_counts included) |" \
            "$(($(member file_counts truncated) + $(member file_counts outlined))) |" \
            "$((dropped + $(member file_counts skipped))) |"
        echo
        if [ -n "$(lost)" ]; then
            printf '       tokens         of  printed   file\n'
            lost | beginning
            echo
        fi
    fi
    # Indented so that no name in a message is taken for markup.
    sed 's/^/    /' "$scratch/messages"
} >>"${GITHUB_STEP_SUMMARY:-/dev/null}"

exit "$status"

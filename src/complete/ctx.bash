# Completion of ctx for bash: profiles, entries, tags and models come from the store.
_ctx() {
    local line=${COMP_LINE:0:COMP_POINT} kind='' value
    [[ -n $line ]] || line=$(IFS=' ' && printf '%s' "${COMP_WORDS[*]:0:COMP_CWORD+1}")
    COMPREPLY=()
    {
        IFS= read -r kind
        while IFS= read -r value; do
            COMPREPLY+=("$value")
        done
    } < <(COMPLETE=bash command ctx -- "$line" "$COMP_WORDBREAKS" 2>/dev/null)
    case $kind in
        files) compopt -o default 2>/dev/null ;;
        directories) compopt -o dirnames 2>/dev/null ;;
    esac
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=:] ]]; then
        compopt -o nospace 2>/dev/null
    fi
    return 0
}
complete -F _ctx ctx

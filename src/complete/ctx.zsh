#compdef ctx
# Completion of ctx for zsh: profiles, entries, tags and models come from the store.
_ctx() {
    local -a reply values shown
    local kind line value
    local -i width=0
    reply=("${(@f)$(COMPLETE=zsh command ctx -- "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
    kind=${reply[1]}
    shift reply
    case $kind in
        files | directories)
            compset -P '--[a-z-]##='
            if [[ $kind == directories ]]; then _files -/; else _files; fi
            ;;
        values)
            for line in "${reply[@]}"; do
                value=${line%%$'\t'*}
                values+=("$value")
                if (( ${(m)#value} > width && ${(m)#value} <= 30 )); then width=${(m)#value}; fi
            done
            for line in "${reply[@]}"; do
                value=${line%%$'\t'*}
                if [[ $value == $line ]]; then
                    shown+=("$line")
                else
                    if (( ${(m)#value} < width )); then value=${(mr:width:)value}; fi
                    shown+=("$value  -- ${line#*$'\t'}")
                fi
            done
            if [[ ${#values} -eq 1 && ${values[1]} == *[=:] ]]; then
                compadd -S '' -- "${values[@]}"
            else
                compadd -V ctx -l -d shown -- "${values[@]}"
            fi
            ;;
    esac
}
if [[ ${funcstack[1]} == _ctx ]]; then
    _ctx "$@"
else
    compdef _ctx ctx
fi

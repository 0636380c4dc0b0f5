# Completion of ctx for fish: profiles, entries, tags and models come from the store.
function __ctx_complete
    set --local line (commandline --current-process --cut-at-cursor | string collect)
    set --local reply (COMPLETE=fish command ctx -- "$line" 2>/dev/null)
    set --local word (commandline --current-token --cut-at-cursor)
    set --local option (string match --regex -- '^--[a-z-]+=' "$word")
    set --local path (string replace --regex -- '^--[a-z-]+=' '' "$word")
    switch "$reply[1]"
        case files
            __fish_complete_path "$path" | string replace --regex -- '^' "$option"
        case directories
            __fish_complete_directories "$path" | string replace --regex -- '^' "$option"
        case values
            set --erase reply[1]
            printf '%s\n' $reply
    end
end
complete --command ctx --no-files --keep-order --arguments '(__ctx_complete)'

# This completes what follows "codex swop"; all else is completed by the real codex's own completions, loaded when first needed.

function __swop_after_swop
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test "$words[2]" = swop
end

function __swop_first_word
    test (count (commandline -opc)) -eq 1
end

# __swop_load_codex adds the real codex's completions and, as they come too late for the key that was pressed, answers with them.
function __swop_load_codex
    set -q __swop_loaded; and return
    set -l script ($__swop_program completion fish --of-codex 2>/dev/null </dev/null)
    set -l code $status
    test $code -eq 127; and return # codex is not installed yet
    set -g __swop_loaded $code
    test $code -eq 0; or return
    string join \n -- $script | source
    complete -C (commandline -cp | string collect)
end

function __swop_verbs
    set -l words (commandline -opc)[3..-1]
    set -l current (commandline -ct)
    if test "$words[1]" = run; and test (count $words) -gt 1
        set -l rest $words[3..-1]
        test "$rest[1]" = --; and set -e rest[1]
        complete -C (string join ' ' -- (string escape -- $rest) "$current" | string collect)
        return
    end
    __swop_answer $words "$current"
end

# __swop_answer WORD… completes the last word with the answer of codex-swop.
function __swop_answer
    set -l lines ($__swop_program __complete $argv 2>/dev/null </dev/null)
    set -l directive (string replace -rf '^:(\d+)$' '$1' -- $lines[-1])
    test -n "$directive"; or return
    set -e lines[-1]
    set -l flag (string match -r -- '^--[^=]*=' $argv[-1])
    for line in $lines
        echo "$flag$line"
    end
    set -l typed (string replace -r -- '^--[^=]*=' '' $argv[-1])
    if test (math "bitand($directive, 16)") -ne 0
        __fish_complete_directories "$typed" | string replace -r '^' -- "$flag"
    else if test (math "bitand($directive, 5)") -eq 0
        __fish_complete_path "$typed" | string replace -r '^' -- "$flag"
    end
end

complete -c codex -n __swop_after_swop -f -a '(__swop_verbs)'
complete -c codex -n __swop_first_word -a swop -d 'Run codex under several accounts'
complete -c codex -n 'not __swop_after_swop' -a '(__swop_load_codex)'

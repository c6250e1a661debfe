# This completes what follows "codex swop"; all else is completed by the real codex's own functions, loaded when first needed.

_swop_codex() {
    local ret=1
    if (( CURRENT > 2 )) && [[ $words[2] == swop ]]; then
        _swop_verbs
        return
    fi
    if (( CURRENT == 2 )); then
        local -a swop=('swop:Run codex under several accounts')
        _describe -t swop-commands 'swop' swop && ret=0
    fi
    _swop_delegate "$@" && ret=0
    return ret
}

# If the real codex is missing or has no completion, files are completed.
_swop_delegate() {
    if _swop_load; then
        _codex "$@"
    else
        _default
    fi
}

_swop_load() {
    if (( ! $+_swop_loaded )); then
        local script status_=0
        script=$("$_swop_program" completion zsh --of-codex 2>/dev/null </dev/null) || status_=$?
        (( status_ == 127 )) && return 1 # codex is not installed yet
        typeset -gi _swop_loaded=status_
        if (( status_ == 0 )); then
            eval $script # it registers itself as the completion of codex
            compdef _swop_codex codex
        fi
    fi
    return _swop_loaded
}

_swop_verbs() {
    if [[ $words[3] != run ]] || (( CURRENT < 5 )); then
        _swop_answer
        return
    fi
    words=("${(@)words[5,-1]}") CURRENT=$(( CURRENT - 4 ))
    if (( CURRENT > 1 )) && [[ $words[1] == -- ]]; then
        shift words
        (( CURRENT-- ))
    fi
    _normal
}

# _swop_answer completes the word with the answer of codex-swop.
_swop_answer() {
    local line value about directive=1 ret=1
    local -a list
    for line in ${(f)"$("$_swop_program" __complete "${(@Q)words[3,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null </dev/null)"}; do
        if [[ $line == :<-> ]]; then
            directive=${line#:}
            continue
        fi
        value=${line%%$'\t'*} about=
        [[ $line == *$'\t'* ]] && about=${line#*$'\t'}
        list+=("${value//:/\\:}${about:+:$about}")
    done
    [[ $PREFIX == --*=* ]] && compset -P 1 '*='
    if (( $#list )); then
        local -a end
        (( directive & 2 )) && end=(-S '')
        _describe -t swop 'swop' list "${end[@]}" && ret=0
    fi
    if (( directive & 16 )); then
        _path_files -/ && ret=0
    elif (( ! (directive & 5) )); then
        _files && ret=0
    fi
    return ret
}

if (( $+functions[compdef] )); then
    compdef _swop_codex codex
fi
if (( $+compstate )); then
    _swop_codex "$@" # this is a file of fpath, loaded by the completion that it is for
fi

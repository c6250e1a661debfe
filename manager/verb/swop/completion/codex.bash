# This completes what follows "codex swop"; all else is completed by the real codex's own functions, loaded when first needed.

__swop_codex() {
    if ((COMP_CWORD > 1)) && [[ ${COMP_WORDS[1]} == swop ]]; then
        __swop_verbs "$@"
        return
    fi
    __swop_delegate "$@"
    if ((COMP_CWORD == 1)) && [[ -n $2 && swop == "$2"* || -z $2 ]]; then
        COMPREPLY+=(swop)
    fi
}

# If the real codex is missing or has no completion, files are completed.
__swop_delegate() {
    __swop_load && _codex "$@"
}

__swop_load() {
    if [[ -z ${__swop_loaded-} ]]; then
        local script status=0
        script=$("$__swop_program" completion bash --of-codex 2>/dev/null </dev/null) || status=$?
        if ((status == 127)); then
            return 1 # codex is not installed yet
        fi
        __swop_loaded=$status
        if ((status == 0)); then
            eval "$script" # it registers itself as the completion of codex
            __swop_register
        fi
    fi
    return "$__swop_loaded"
}

__swop_register() {
    # shellcheck disable=SC2016 # nosort since bash 4.4
    complete -o nosort -o bashdefault -o default -F __swop_codex codex 2>/dev/null ||
        complete -o bashdefault -o default -F __swop_codex codex
}

# __swop_words sets words to those after "codex swop", the last one being completed. Where readline splits --flag=value, they
# are joined again.
__swop_words() {
    local i word last
    words=()
    for ((i = 2; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]} last=$((${#words[@]} - 1))
        if ((last >= 0)) && { [[ $word == "=" && ${words[last]} == --* ]] || [[ ${words[last]} == --*= ]]; }; then
            words[last]+=$word
        else
            words+=("$word")
        fi
    done
}

__swop_verbs() {
    local words cur
    COMPREPLY=()
    __swop_words
    cur=${words[${#words[@]} - 1]}
    if [[ ${words[0]} == run ]] && ((${#words[@]} > 2)); then
        __swop_command "$@"
        return
    fi
    if [[ $cur == --*=* ]]; then
        cur=${cur#*=}
    fi
    __swop_answer "$cur" "${words[@]}"
}

# __swop_command completes the command after "codex swop run LABEL", as if it were typed alone. bash-completion, which knows how, is not
# everywhere.
__swop_command() {
    local first=4
    if [[ ${COMP_WORDS[4]} == -- ]]; then
        first=5
    fi
    if ((COMP_CWORD < first)); then
        return
    elif declare -F _command_offset >/dev/null; then
        _command_offset "$first"
    elif ((COMP_CWORD == first)); then
        __swop_lines < <(compgen -c -- "$2" | LC_ALL=C sort -u) # else a command is listed once for each directory that has it
    else
        __swop_arguments "$first" "$2"
    fi
}

# __swop_arguments FIRST CUR completes an argument of the command at FIRST with that command's own completion, if bash has one.
__swop_arguments() {
    local i spec rest line=${COMP_LINE-} point=${COMP_POINT-0} whole words=("${COMP_WORDS[@]:$1}")
    spec=$(complete -p -- "${words[0]##*/}" 2>/dev/null) || return 0
    rest=$spec
    while [[ $rest =~ \ -o\ ([a-z]+)(.*) ]]; do
        __swop_option -o "${BASH_REMATCH[1]}"
        rest=${BASH_REMATCH[2]}
    done
    if [[ ! $spec =~ \ -F\ ([^\ ]+) ]]; then
        spec=${spec#complete }
        __swop_lines < <(eval "compgen ${spec% *} -- \"\$2\"" 2>/dev/null) # bash prints a completion in a form that it can read
        return
    fi
    whole=${#line}
    for ((i = 0; i < $1; i++)); do
        line=${line#*"${COMP_WORDS[i]}"}
    done
    line=${line#"${line%%[![:space:]]*}"}
    point=$((point - whole + ${#line}))
    __swop_as_alone "${BASH_REMATCH[1]}" "$line" "$point" "$((COMP_CWORD - $1))" "$2" "${words[@]}"
}

# __swop_as_alone FUNCTION LINE POINT CWORD CUR WORD… calls a completion's function as readline does if LINE is all there is.
__swop_as_alone() {
    local function=$1 cur=$5 COMP_LINE=$2 COMP_POINT=$3 COMP_CWORD=$4 COMP_WORDS
    shift 5
    COMP_WORDS=("$@")
    "$function" "$1" "$cur" "${COMP_WORDS[COMP_CWORD - 1]}"
}

__swop_lines() {
    local line
    while IFS= read -r line; do
        COMPREPLY+=("$line")
    done
}

# __swop_answer CUR WORD… completes CUR, the end of the last word, with the answer of codex-swop.
__swop_answer() {
    local cur=$1 line directive=1 value about
    local values=() abouts=()
    shift
    while IFS= read -r line; do
        value=${line%%$'\t'*} about=
        if [[ $line == *$'\t'* ]]; then
            about=${line#*$'\t'}
        fi
        if [[ $line =~ ^:[0-9]+$ ]]; then
            directive=${line#:}
        elif [[ $value == "$cur"* ]]; then
            values+=("$value") abouts+=("$about")
        fi
    done < <("$__swop_program" __complete "$@" 2>/dev/null </dev/null)
    if ((directive & 2)); then
        __swop_option -o nospace
    fi
    if ((directive & 16)); then
        __swop_option -o filenames
        __swop_lines < <(compgen -d -- "$cur")
        COMPREPLY+=("${values[@]}")
    elif ((directive & 5)); then
        __swop_option +o default +o bashdefault
        __swop_show
    fi
}

__swop_option() {
    compopt "$@" 2>/dev/null # since bash 4
}

# __swop_show answers with the values; several, of which readline only lists what differs, get their descriptions.
# Readline inserts them when it cycles through them (%) or inserts all (*): then they get none.
__swop_show() {
    local i widest=0 entry width=${COLUMNS:-80}
    if ((${#values[@]} < 2)) || [[ ${COMP_TYPE:-37} == 37 || $COMP_TYPE == 42 ]]; then
        COMPREPLY=("${values[@]}")
        return
    fi
    for entry in "${values[@]}"; do
        if ((${#entry} > widest)); then
            widest=${#entry}
        fi
    done
    for ((i = 0; i < ${#values[@]}; i++)); do
        entry=${values[i]}
        if [[ -n ${abouts[i]} ]]; then
            printf -v entry '%-*s  (%s)' "$widest" "$entry" "${abouts[i]}"
            entry=${entry:0:width - 2}
        fi
        COMPREPLY+=("$entry")
    done
}

__swop_register

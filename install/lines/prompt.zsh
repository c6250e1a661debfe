swop_first() {
    emulate -L zsh
    local bin=@PATH@
    [[ $path[1] = "$bin" ]] || path=("$bin" "${(@)path:#$bin}")
}
typeset -ga precmd_functions chpwd_functions
precmd_functions=(${precmd_functions[@]:#swop_first} swop_first)
chpwd_functions=(${chpwd_functions[@]:#swop_first} swop_first)

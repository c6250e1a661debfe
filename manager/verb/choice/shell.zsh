if [[ -n ${SWOP_ZDOTDIR+x} ]]; then export ZDOTDIR=$SWOP_ZDOTDIR; unset SWOP_ZDOTDIR; else unset ZDOTDIR; fi
[[ ! -r ${ZDOTDIR-$HOME}/.zshenv ]] || . "${ZDOTDIR-$HOME}/.zshenv"
[[ -o interactive ]] && {
swop_show() {
@SEGMENT@
precmd_functions=(${precmd_functions:#swop_show} swop_show)
}
typeset -ga precmd_functions
precmd_functions+=(swop_show)
}
true

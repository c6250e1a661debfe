swop_prompt() {
    local code=$? account
    emulate -L zsh
    account=$(@PATH@ swop which --short 2>/dev/null)
    [[ -z "$account" ]] || print -rn -- "($account) "
    return "$code"
}
setopt prompt_subst
[[ "${PROMPT-}" = *swop_prompt* ]] || PROMPT='$(swop_prompt)'"${PROMPT-}"

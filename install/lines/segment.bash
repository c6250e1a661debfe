swop_prompt() {
    local code=$? account
    account=$(@PATH@ swop which --short 2>/dev/null)
    [ -z "$account" ] || printf '(%s) ' "$account"
    return "$code"
}
case ${PS1-} in
'' | *swop_prompt*) ;;
*) PS1='$(swop_prompt)'$PS1 ;;
esac

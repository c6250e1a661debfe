# Where the completion of codex is, printed by: codex swop completion
case " $fpath " in
*" "@PATH@" "*) ;;
*) fpath=(@PATH@ $fpath) ;;
esac
if (( $+functions[compdef] )); then
    autoload -Uz _swop
    compdef _swop codex
fi

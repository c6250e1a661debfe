swop_first() {
    local bin=@PATH@ path
    case $PATH in
    "$bin" | "$bin":*) ;;
    *)
        path=:$PATH:
        path=${path//:"$bin":/:}
        path=${path%:}
        PATH=$bin$path
        ;;
    esac
}
case ${PROMPT_COMMAND-} in
*swop_first) ;;
*) PROMPT_COMMAND="${PROMPT_COMMAND:+$PROMPT_COMMAND
}swop_first" ;;
esac

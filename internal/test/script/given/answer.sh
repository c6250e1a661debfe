# shellcheck shell=sh
# answer.sh VERB [FLAG…]: answers the question
sh "$WORK/pending.sh" || exit 1
verb=$1
shift
exec codex swop "$verb" "$(cat "$WORK/id")" "$@"

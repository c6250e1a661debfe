# shellcheck shell=sh
# sized.sh COLUMNS COMMAND…: on a terminal of this width
stty cols "$1" < /dev/tty
shift
with -tty "$@"

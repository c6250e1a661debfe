# shellcheck shell=sh
# tree.sh HOME: what lies in it, by mode and name
cd "$WORK/$1" && find . -printf '%y %m ~/%P -> %l\n' | sed "s|$WORK/$1/|~/|g; s| -> \$||; s|home-[0-9-]*|home|" | sort

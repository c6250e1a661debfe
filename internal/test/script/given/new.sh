# shellcheck shell=sh
# new.sh: codex made a new entry, which nobody has looked at yet
n=$(cat n 2>/dev/null || echo 0)
n=$((n+1))
echo $n > n
echo $n > "$SANDBOXES"/work/home/.codex/new-$n

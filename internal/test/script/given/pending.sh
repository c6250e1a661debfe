# shellcheck shell=sh
# pending.sh: when a session asks, the question's ID is in the file id
n=0
until id=$(codex swop allow | sed -n 's/^ *\([a-z0-9]*\)  pending: .*/\1/p') && [ -n "$id" ]; do
  n=$((n+1))
  [ $n -lt 400 ] || { codex swop allow; exit 1; }
  sleep 0.05
done
echo "$id" >"$WORK/id"

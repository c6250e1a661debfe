#!/usr/bin/env bash
# Runs the tests with what this machine has, and says what it left out. See: ./test.sh --help
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")"
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
if ! command -v go >/dev/null; then
  echo 'test.sh: go is not on PATH; swop is built with Go 1.26 or newer: https://go.dev/dl/' >&2
  exit 1
fi
export CGO_ENABLED="${CGO_ENABLED:-0}"
TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/swop.XXXXXX") # what tests leave behind goes with it; the name is short, since paths of sockets are
export TMPDIR
chmod 1777 "$TMPDIR" # as /tmp: some tests run programs as another user

# tidy removes the directories that codex and fish made in /tmp itself, and that were not there before.
tidy() {
  chmod -R u+rwX "$TMPDIR" || true
  rm -rf -- "$TMPDIR"
  for dir in $absent; do
    rm -f "$dir/lock" "$dir/fish_universal_variables.notifier"
    rmdir "$dir" 2>/dev/null || true
  done
}
absent=
for dir in "/tmp/codex-daemon-$UID" "/tmp/codex-bwrap-synthetic-mount-targets-$UID" "/tmp/fish.${USER:-root}"; do
  [ -e "$dir" ] || absent="$absent $dir"
done
trap tidy EXIT
go build -o "$TMPDIR/runtests" ./internal/runtests
"$TMPDIR/runtests" "$@"

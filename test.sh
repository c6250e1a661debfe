#!/usr/bin/env bash
# Runs the tests with what this machine has, and says what it left out. See: ./test.sh --help
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")"

command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
command -v go >/dev/null || { # one that is too old says so itself
  printf 'test.sh: no go on PATH; swop is built with Go 1.26.5 or newer\ntest.sh: hint: https://go.dev/dl/\n' >&2
  exit 1
}
export CGO_ENABLED="${CGO_ENABLED:-0}"
GOFLAGS="$(go env GOFLAGS) -trimpath" # as install.sh builds: what one clone has compiled, no other compiles again
export GOFLAGS
TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/swop.XXXXXX") # what tests leave behind goes with it; the name is short, since paths of sockets are
export TMPDIR
chmod 1777 "$TMPDIR" # as /tmp: some tests run programs as another user
export npm_config_cache="$TMPDIR/npm" # what npm fetches is kept once, installed

# tidy removes what codex and fish made in /tmp itself, and was not there before. Of .git, .codex and .agents codex's sandbox leaves an empty
# one where it is killed.
tidy() {
  chmod -R u+rwX "$TMPDIR" || true
  rm -rf -- "$TMPDIR"
  for dir in $absent; do
    rm -f "$dir/lock" "$dir/fish_universal_variables.notifier"
    if [ -f "$dir" ] && [ ! -s "$dir" ]; then rm -f "$dir"; fi
    rmdir "$dir" 2>/dev/null || true
  done
}
absent=
for dir in "/tmp/codex-daemon-$UID" "/tmp/codex-bwrap-synthetic-mount-targets-$UID" "/tmp/fish.${USER:-root}" /tmp/.git /tmp/.codex /tmp/.agents; do
  [ -e "$dir" ] || absent="$absent $dir"
done
trap tidy EXIT
# what all tests need is compiled beside it: alone it leaves processors idle
go build -ldflags=-s -o "$TMPDIR/" ./internal/test/runtests ./manager/verb/...
"$TMPDIR/runtests" "$@"

#!/usr/bin/env bash
# Runs the tests with what this machine has, and says what it left out. See: ./test.sh --help
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")"
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
if ! command -v go >/dev/null; then
  echo 'test.sh: no go on PATH; swop is built with Go 1.26 or newer: https://go.dev/dl/' >&2
  exit 1
fi
export CGO_ENABLED="${CGO_ENABLED:-0}"
runner=$(mktemp -d "${TMPDIR:-/tmp}/swop-test.XXXXXX")
trap 'rm -rf -- "$runner"' EXIT
go build -o "$runner/runtests" ./internal/runtests
"$runner/runtests" "$@"

#!/usr/bin/env bash
# Runs every fuzz target for some minutes, as many at a time as there are processors, and prints what each tried:
#
#	.ci/fuzz.sh [MINUTES [PATTERN]]
#
# MINUTES is 10 if it is not given; PATTERN, a regular expression, chooses among the targets. An input that fails is kept by go test under
# testdata/fuzz, from where every later go test tries it too. Minimizing one may take 10 runs: else no other is tried for a minute.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck disable=SC2016 # the inner shell expands
git grep --untracked -o 'func Fuzz[A-Za-z0-9]*' -- '*_test.go' | sed -E 's|^(.*)/[^/]*:func (Fuzz.*)$|\1 \2|' | sort -u | grep -E "${2:-.}" |
  xargs -r -P "$(nproc)" -L 1 bash -o pipefail -c '
    go test "./$1" -run "^$" -fuzz "^$2\$" -fuzztime "$0m" -fuzzminimizetime 10x -parallel 1 2>&1 |
      awk -v target="$1 $2" "/^fuzz: elapsed/ { last = \$0; next } { print } END { print target \": \" last }"' "${1:-10}"

#!/usr/bin/env bash
# Runs every fuzz target for some minutes and prints what each tried:
#
#	.ci/fuzz.sh [MINUTES [PATTERN]]
#
# MINUTES is 10 if it is not given; PATTERN, a regular expression, chooses among the targets. As many run at a time as there are
# processors, or JOBS if that is set. An input that fails is kept by go test under testdata/fuzz, from where every later go test tries
# it too.
set -euo pipefail
cd "$(dirname "$0")/.."

# Each line: the package's directory and the target.
targets() {
  git grep --untracked -o 'func Fuzz[A-Za-z0-9]*' -- '*_test.go' | sed -E 's|^(.*)/[^/]*:func (Fuzz.*)$|\1 \2|' | sort -u | grep -E "$1"
}

# one runs a target and prints a line of the table, after the messages about an input that fails.
one() {
  local minutes=$1 dir=$2 target=$3 log last failed=0
  log=$(mktemp)
  # Without this limit, minimizing one input may take a minute in which no other is tried.
  go test "./$dir" -run '^$' -fuzz "^$target\$" -fuzztime "${minutes}m" -fuzzminimizetime 10x -parallel 1 >"$log" 2>&1 || failed=1
  [ "$failed" = 0 ] || grep -vE '^fuzz: elapsed' "$log"
  last=$(grep -E '^fuzz: elapsed.*execs' "$log" | tail -n 1) || true
  rm -f "$log"
  printf '%-18s %-20s %8s %12s %12s %7s\n' "$dir" "$target" "$minutes" "$(field execs "$last")" "$(field total "$last")" "$failed"
}

# field prints the number that a line of go test has after a name.
field() {
  sed -nE "s/.*$1: ([0-9]+).*/\\1/p" <<<"$2" | grep . || echo 0
}

if [ "${1:-}" = --one ]; then
  shift
  one "$@"
  exit
fi
minutes=${1:-10} pattern=${2:-.}
printf '%-18s %-20s %8s %12s %12s %7s\n' package target minutes inputs interesting failed
n=0 inputs=0 failed=0
while IFS= read -r line; do
  printf '%s\n' "$line"
  read -r _ target _ tried _ bad <<<"$line"
  if [[ $target == Fuzz* ]]; then
    n=$((n + 1)) inputs=$((inputs + tried)) failed=$((failed + bad))
  fi
done < <(targets "$pattern" | xargs -r -P "${JOBS:-$(nproc)}" -L 1 .ci/fuzz.sh --one "$minutes")
printf '%d targets, %d inputs, %d failed\n' "$n" "$inputs" "$failed"
[ "$failed" = 0 ] && [ "$n" -gt 0 ]

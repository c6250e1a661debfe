#!/usr/bin/env bash
# Runs every fuzz target for some minutes and prints what each tried:
#
#	.ci/fuzz.sh [MINUTES [PATTERN]]
#
# MINUTES is 10 if it is not given; PATTERN, a regular expression, chooses among the targets. An input that fails is kept by go test
# under testdata/fuzz, from where every later go test tries it too.
set -euo pipefail
cd "$(dirname "$0")/.."

minutes=${1:-10} pattern=${2:-.}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Each line: the package's directory and the target.
targets() {
  git grep --untracked -o 'func Fuzz[A-Za-z]*' -- '*_test.go' | sed -E 's|^(.*)/[^/]*:func (Fuzz.*)$|\1 \2|' | sort -u | grep -E "$pattern"
}

failed=0 total=0 n=0
printf '%-18s %-20s %8s %12s %10s\n' package target minutes inputs interesting
while read -r dir target; do
  # Without a bound, minimizing one input may take a minute in which no other is tried.
  if ! go test "./$dir" -run '^$' -fuzz "^$target\$" -fuzztime "${minutes}m" -fuzzminimizetime 10x >"$log" 2>&1; then
    failed=$((failed + 1))
    grep -vE '^fuzz: elapsed' "$log"
  fi
  last=$(grep -E '^fuzz: elapsed.*execs' "$log" | tail -n 1)
  execs=$(sed -nE 's/.*execs: ([0-9]+).*/\1/p' <<<"$last")
  interesting=$(sed -nE 's/.*total: ([0-9]+).*/\1/p' <<<"$last")
  printf '%-18s %-20s %8s %12s %10s\n' "$dir" "$target" "$minutes" "${execs:-0}" "${interesting:-0}"
  total=$((total + ${execs:-0})) n=$((n + 1))
done < <(targets)
printf '%d targets, %d inputs, %d failed\n' "$n" "$total" "$failed"
[ "$failed" = 0 ] && [ "$n" -gt 0 ]

#!/usr/bin/env bash
# Print the launchers that npm's packages of codex have: the first release with it, its bytes and its sum. A launcher that is not in
# launchers.go is marked, and ends the script with status 1: read what it does, then give it a row. Needs npm, node and tar.
#
#   shim/launchers.sh                  every release since 0.113.0, the first that has its launcher apart from its native binary
#   shim/launchers.sh 0.169.0 0.170.0  these
set -euo pipefail
shopt -s inherit_errexit
table=$(dirname "$(realpath "$0")")/launchers.go

# releases: the released versions from 0.113.0 on, oldest first.
releases() {
  npm view @openai/codex versions --json |
    tr -d '[]", ' | grep -E '^[0-9]+\.[0-9]+\.[0-9]+$' | sort -V | sed -n '/^0\.113\.0$/,$p'
}

# sum prints FNV-1a of 128 bits of its input.
sum='
let h = 0x6c62272e07bb014262b821756295c58dn;
for (const b of require("fs").readFileSync(0)) h = BigInt.asUintN(128, (h ^ BigInt(b)) * 0x1000000000000000000013Bn);
console.log(h.toString(16).padStart(32, "0"));
'

# launcher RELEASE: the bytes and the sum of its launcher.
launcher() {
  tar -xzf "openai-codex-$1.tgz" -O package/bin/codex.js >launcher.js
  printf '%s %s\n' "$(wc -c <launcher.js)" "$(node -e "$sum" <launcher.js)"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ $# -eq 0 ]; then
  list=$(releases)
  mapfile -t versions <<<"$list"
else
  versions=("$@")
fi
cd "$work"
npm pack --silent "${versions[@]/#/@openai/codex@}" >/dev/null
unknown=0 last=
for release in "${versions[@]}"; do
  found=$(launcher "$release")
  [ "$found" != "$last" ] || continue
  last=$found
  mark=
  grep -q "\"${found#* }\"" "$table" || { mark=" unknown"; unknown=1; }
  printf '%s %s%s\n' "$release" "$found" "$mark"
done
exit "$unknown"

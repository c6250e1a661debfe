#!/usr/bin/env bash
# Print the launchers that npm's packages of codex have: the first release with it, its bytes and its SHA-256. A launcher that is not in
# launchers_unix.go is marked, and ends the script with status 1: read what it does, then give it a row. Needs npm and tar.
#
#   shim/launchers.sh                  every release since 0.113.0, the first that has its launcher apart from its native binary
#   shim/launchers.sh 0.169.0 0.170.0  these
set -euo pipefail
shopt -s inherit_errexit
table=$(dirname "$(realpath "$0")")/launchers_unix.go

# releases: the released versions from 0.113.0 on, oldest first.
releases() {
  npm view @openai/codex versions --json |
    tr -d '[]", ' | grep -E '^[0-9]+\.[0-9]+\.[0-9]+$' | sort -V | sed -n '/^0\.113\.0$/,$p'
}

# launcher RELEASE: the bytes and the sum of its launcher.
launcher() {
  tar -xzf "openai-codex-$1.tgz" -O package/bin/codex.js >launcher.js
  printf '%s %s\n' "$(wc -c <launcher.js)" "$(sha256sum <launcher.js | cut -d' ' -f1)"
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

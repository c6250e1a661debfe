# shellcheck shell=bash
# What swop has acknowledged is there after a power failure. Each boot checks that, and goes on until the power goes again. /opt/acknowledged has the
# lines that earlier boots printed: "try" before a command, "did" after it.
# shellcheck source-path=SCRIPTDIR source=common.sh
. /opt/common.sh
home=/home/me
chown me:me "$home"
me() { as_me "$home" "$@"; }

# wrote FILE TEXT: a program of a session that writes as editors do, and syncs.
# shellcheck disable=SC2016 # the session's shell expands
wrote='cd && printf "%s\n" "$2" >"$1.new" && sync "$1.new" && mv "$1.new" "$1" && sync .'

# selectable: the accounts one of which is active: of the last "use" that was acknowledged, and of those that were tried after it.
selectable() {
  awk '$2 == "use" { if ($1 == "did") n = 0; names[n++] = $3 } END { for (i = 0; i < n; i++) print names[i] }' /opt/acknowledged
}

# run COMMAND…: as the user. A command that fails ends this boot.
run() {
  local out
  out=$(me "$@" 2>&1) || { printf 'FAILED: %s\n%s\n' "$*" "$out"; exit 1; }
}

check() {
  local label text dir
  while read -r label; do
    ok "the login of $label" me grep -q "sk-$label-0123456789" "$home/.swop/accounts/$label/home/.codex/auth.json"
    ok "codex starts as $label" me env SWOP_ACCOUNT="$label" codex true
  done < <(sed -n 's/^did add //p' /opt/acknowledged)
  while read -r label; do
    ok "a login that was to be imported, $label" me grep -rqF "sk-$label-0123456789" "$home"
  done < <(sed -n 's/^did login //p' /opt/acknowledged)
  while read -r text; do
    ok "a file that a session synced, $text" me grep -rqxF "$text" "$home"
  done < <(sed -n 's/^did write //p' /opt/acknowledged)
  while read -r label dir; do
    ok "$dir is bound to $label" says "$label" me sh -c "cd ~/$dir && codex swop which --short"
  done < <(sed -n 's/^did bind //p' /opt/acknowledged)
  if grep -q '^did use' /opt/acknowledged; then
    ok "the active account is among $(selectable | xargs)" grep -qxF "$(me codex swop which --short)" <(selectable)
  fi
  while read -r file; do
    ok "$file" says 1 sqlite3 :memory: "select json_valid(readfile('$file'))"
  done < <(find "$home/.swop" -name meta.json -o -name root.json)
  ok "doctor is content" me codex swop doctor
}

if [ -e "$home/.swop" ]; then
  check
  [ "$failed" = 0 ] || { finish; exit; }
  echo "$passed checks"
fi
echo VM-READY
# login LABEL: a made-up login in a file, which its program synced.
login() {
  run sh -ec 'umask 077; cd; printf "{\"OPENAI_API_KEY\":\"sk-%s-0123456789\"}" "$1" >"$1.json"; sync "$1.json" .' sh "$1"
  echo "did login $1"
}
for ((i = $(grep -c . /opt/acknowledged); ; i++)); do
  label=work-$i
  login "$label"
  run codex swop add "$label" --import "$home/$label.json"
  echo "did add $label"
  echo "try use $label"
  run codex swop use "$label"
  echo "did use $label"
  run sh -ec 'cd; mkdir "$1"; sync .' sh "dir-$i"
  run codex swop bind "$label" "$home/dir-$i"
  echo "did bind $label dir-$i"
  for k in 1 2; do # the second replaces the first, which a start in between has shared
    for file in todo "new-$i"; do
      run codex sh -ec "$wrote" sh "$file" "$file-$i-$k"
      echo "did write $file-$i-$k"
    done
  done
  if me test -d "$home/.swop/accounts/moving"; then
    run codex swop rename moving moved
  elif me test -d "$home/.swop/accounts/moved"; then
    run codex swop rename moved moving
  else
    [ -e "$home/moving.json" ] || login moving
    run codex swop add moving --import "$home/moving.json"
  fi
done

# shellcheck shell=bash
# Confined sessions on this kernel: the attacks, and what keeps signals inside. The argument says as which user.
# shellcheck source-path=SCRIPTDIR source=common.sh
. /opt/common.sh
export SWOP_TEST_PROGRAMS=/opt/bin
as=(as_me /home/me)
[ "$1" != root ] || as=(env HOME=/root)
cd / # where no test takes what it finds for its own
old=/proc/sys/dev/tty/legacy_tiocsti
[ ! -e "$old" ] || echo 1 >"$old" # else the attack by a terminal's input does not succeed outside either
attacks() {
  "${as[@]}" /opt/tests/confine.test -test.timeout 40m -test.v -test.run '^TestAttacks$' | tee /run/attacks | grep -av -e '^=== ' -e '^ *--- PASS'
  return "${PIPESTATUS[0]}"
}
ok "the attacks, as $1" attacks
echo "$(uname -r): $(grep -ac '^    --- PASS' /run/attacks) attacks"
way=Landlock
printf '6.12\n%s\n' "$(uname -r)" | sort --check=quiet --version-sort || way='the filter of system calls'
inside=(SWOP_ROOT=/tmp/open SWOP_ACCOUNT=work SWOP_ALLOW_ROOT=1)
ok "an account, as $1" "${as[@]}" "${inside[@]}" codex swop add work --no-login --confine workspace-write
ok "what keeps signals inside is named, as $1" says "\"signals\": \"$way\"" "${as[@]}" "${inside[@]}" codex swop confine --json
finish

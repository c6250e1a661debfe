# shellcheck shell=bash
# Confined sessions on this kernel: the attacks, what sockets lead to and what works inside. The argument says as which user.
# shellcheck source-path=SCRIPTDIR source=common.sh
. /opt/common.sh
export SWOP_TEST_PROGRAMS=/opt/bin
as=(as_me /home/me)
[ "$1" != root ] || as=(env HOME=/root)
cd /opt/tests || exit
ok "what sockets lead to, as $1" "${as[@]}" ./peer.test -test.timeout 5m -test.run '^Test(Ways|Works|Told|Filter|Landlock)'
cd / # where no test takes what it finds for its own
old=/proc/sys/dev/tty/legacy_tiocsti
[ ! -e "$old" ] || echo 1 >"$old" # else the attack by a terminal's input does not succeed outside either
attacks() {
  "${as[@]}" /opt/tests/swop.test -test.timeout 40m -test.v -test.run '^TestAttacks$' | tee /run/attacks | grep -av -e '^=== ' -e '^ *--- PASS'
  return "${PIPESTATUS[0]}"
}
ok "the attacks, as $1" attacks
echo "$(uname -r): $(grep -ac '^    --- PASS' /run/attacks) attacks"
way=Landlock
printf '6.12\n%s\n' "$(uname -r)" | sort --check=quiet --version-sort || way='the filter of system calls'
inside=(SWOP_ROOT=/tmp/open SWOP_ACCOUNT=work SWOP_CONFINE=workspace-write)
ok "an account, as $1" "${as[@]}" "${inside[@]}" SWOP_CONFINE= codex swop add work --no-login
ok "what keeps signals inside is named, as $1" says "\"signals\": \"$way\"" "${as[@]}" "${inside[@]}" codex swop confine --json
# Yama's strictest mode, which only a restart ends, in a root of its own: the one above remembers that all was well.
echo 3 >/proc/sys/kernel/yama/ptrace_scope
as+=(SWOP_ROOT=/tmp/strict SWOP_ACCOUNT=work SWOP_CONFINE=workspace-write)
ok "an account, as $1" "${as[@]}" SWOP_CONFINE= codex swop add work --no-login
cd /home || exit
ok "kernel.yama.ptrace_scope = 3 is named, as $1" says 'ptrace_scope is 3' "${as[@]}" codex swop confine
ok "nothing runs then, as $1" exits 125 "${as[@]}" codex true
finish

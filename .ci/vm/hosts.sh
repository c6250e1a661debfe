# shellcheck shell=bash
# Two hosts with one home over NFS: two clients of one server, each with a network, mounts, processes and a name of its own.
# shellcheck source-path=SCRIPTDIR source=common.sh
. /opt/common.sh
version=$1

# host NAME NUMBER: starts one. on NAME COMMAND… then runs a command there, as the user, with the home over NFS.
host() {
  local name=$1 n=$2
  unshare --net --mount --uts --pid --fork --kill-child sh -c "hostname $name; mount -t proc proc /proc; exec sleep infinity" &
  until pid[n]=$(pgrep -f "^sleep infinity" -P "$!") && [ "$(nsenter -t "${pid[n]}" -u hostname)" = "$name" ]; do sleep 0.1; done
  ip link add "to-$name" type veth peer name eth0 netns "${pid[n]}"
  ip addr add "10.0.$n.1/24" dev "to-$name"
  ip link set "to-$name" up
  inside "$n" ip addr add "10.0.$n.2/24" dev eth0
  inside "$n" ip link set lo up
  inside "$n" ip link set eth0 up
  inside "$n" mount -t nfs -o "vers=$version,nosharecache" "10.0.$n.1:/me" /mnt/nfs
}
inside() { nsenter -t "${pid[$1]}" -a -- "${@:2}"; }
on() { inside "$1" setpriv --reuid me --regid me --init-groups env HOME=/mnt/nfs USER=me "${@:2}"; }
export -f inside on

# session NUMBER FIFO COMMAND: a session of work on that host, which runs the command and ends when something is written to the FIFO.
session() {
  on "$1" mkfifo "/tmp/$2.begun" "/tmp/$2.end"
  on "$1" env SWOP_ACCOUNT=work codex sh -c "cd; $3; echo >/tmp/$2.begun; cat /tmp/$2.end" &
  on "$1" cat "/tmp/$2.begun"
}
ends() {
  on "$1" sh -c "echo >/tmp/$2.end"
  wait "$!"
}

mkdir -p /mnt/nfs
serve_nfs 10.0.0.0/16
host a 1
host b 2
on 1 stat -c 'device of the home on a: %d' /mnt/nfs
on 2 stat -c 'device of the home on b: %d' /mnt/nfs
for label in work home; do on 1 sh -c "$make_account" sh "$label"; done

# A session on host a, and everything else on host b. The lock tells b of it; b's /proc does not.
on 1 sh -c 'echo old >/mnt/nfs/todo'
session 1 one 'echo made >made; sed -i s/old/new/ todo; sqlite3 new.db "pragma journal_mode=wal; create table t(x); insert into t values (1)"; exec 9>>open; echo open >&9'
ok "b: list says that the account is in use" says 'in use now' on 2 codex swop list
ok "b: remove is refused" exits 4 on 2 codex swop remove work --yes
ok "b: rename is refused" exits 4 on 2 codex swop rename work other
ok "b: logout is refused" exits 4 on 2 codex swop logout work
sleep 11 # what replaced a link is unchanged for so long: where the host has the session itself, it may be moved
ok "b: a second session runs" says b on 2 env SWOP_ACCOUNT=work codex hostname
ok "b: sync" on 2 codex swop doctor --fix
ok "b: what the session on a made stays where it is" silent on 2 sh -c 'ls -d ~/open ~/made ~/new.db 2>/dev/null || :'
ok "b: nor is what it replaced moved" says old on 2 cat /mnt/nfs/todo
# a background server on b is no session; it must not hide the one on a
inside 2 sh -c 'mkdir /tmp/server; cp /bin/bash /tmp/server/codex; mkfifo -m 666 /tmp/server/never'
on 2 sh -c 'CODEX_HOME=~/.swop/accounts/work/home/.codex exec setsid /tmp/server/codex -c "read x <>/tmp/server/never; :" codex app-server --listen unix:///s' &
server=$!
ok "b: sync beside a background server" on 2 codex swop doctor --fix
ok "b: it still stays" silent on 2 sh -c 'ls -d ~/open ~/made ~/new.db 2>/dev/null || :'
kill "$server"
wait "$server"
ends 1 one
ok "b: when a has ended a start shares it, without a word" silent on 2 env SWOP_ACCOUNT=work codex true
ok "b: the file that was open" says open on 2 cat /mnt/nfs/open
ok "b: the replaced file" says new on 2 cat /mnt/nfs/todo
ok "a: history has the version that it replaced" says todo on 1 codex swop history
ok "b: the database with its row" says 1 on 2 sqlite3 /mnt/nfs/new.db 'select * from t'

# Both hosts at once
for n in 1 2; do
  (for i in $(seq 10); do on $n env SWOP_ACCOUNT=home codex sh -c "echo $i >~/new-$n-$i" || echo "status $?"; done) >/tmp/loop-$n 2>&1 &
  loops[n]=$!
done
wait "${loops[1]}" "${loops[2]}"
ok "both start and share at once" exits 1 grep -hv 'waiting for another command' /tmp/loop-1 /tmp/loop-2
on 1 codex swop doctor --fix
ok "each file is there once" says 20 on 2 sh -c 'ls ~/new-?-* | wc -l'
ok "b: rename" on 2 codex swop rename work other
ok "a: runs the renamed account" says a on 1 env SWOP_ACCOUNT=other codex hostname
ok "b: the caller's CODEX_SQLITE_HOME is kept" says /mnt/nfs/.codex-hosts/b on 2 env CODEX_SQLITE_HOME=/mnt/nfs/.codex-hosts/b SWOP_ACCOUNT=home \
  codex printenv CODEX_SQLITE_HOME
ok "a: doctor is content" on 1 codex swop doctor
ok "b: doctor is content" on 2 codex swop doctor
finish

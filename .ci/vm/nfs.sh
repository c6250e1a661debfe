# shellcheck shell=bash
# A home over NFS: the one rule holds there, and no version is dropped by what programs do in the sessions of two accounts.
# shellcheck source-path=SCRIPTDIR source=common.sh
. /opt/common.sh
version=$1
serve_nfs 127.0.0.1
mkdir -p /mnt/nfs
mount -t nfs -o "vers=$version" 127.0.0.1:/"$([ "$version" = 3 ] && echo export/)"me /mnt/nfs || exit
home=/mnt/nfs
as_me /home/me mkdir /mnt/nfs/scratch
for test in TestRule TestRandom; do
  ok "vers=$version: $test" as_me /home/me env SWOP_TEST_SCRATCH=/mnt/nfs/scratch SWOP_SEQUENCES=3 /opt/tests/home.test -test.run "^$test\$"
done
as_me /home/me rmdir /mnt/nfs/scratch

# The programs, one call each.
programs='
printf "one\ntwo\n" >notes; printf "buy milk\n" >todo; mkdir box; echo in >box/a
sqlite3 app.db "pragma journal_mode=wal; create table t(x)" "insert into t values (1),(2)"
cp -a notes notes.bak; sed -i s/milk/bread/ todo
mv notes notes.txt; rm box/a; mkdir box/b
mkdir -p src/deep; echo code >src/deep/main; cp -a src src.copy; rm src.copy/deep/main; touch src.copy/new
git init -q repo; cd repo; echo 1 >f; git add f; git -c user.name=me -c user.email=me@example.org commit -qm first
sqlite3 app.db "insert into t values (3)"; sed -i s/bread/cheese/ todo
cd repo; echo 2 >f; git -c user.name=me -c user.email=me@example.org commit -qam second
printf "new\n" >notes.new; mv notes.new notes.txt; ln notes.txt same; ln -s notes.txt link
'
export GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z'

for label in work home; do as_me "$home" sh -c "$make_account" sh "$label"; done
account=work
while read -r line; do
  [ -n "$line" ] || continue
  ok "$account: $line" as_me "$home" env SWOP_ACCOUNT="$account" codex sh -ec "cd; $line"
  if [ "$account" = work ]; then account=home; else account=work; fi
  as_me "$home" codex swop doctor --fix >/dev/null || echo "doctor --fix failed"
done <<<"$programs"
ok "vers=$version: what was replaced last is outside" says cheese as_me "$home" cat /mnt/nfs/todo
ok "what a session made is outside" says code as_me "$home" cat /mnt/nfs/src/deep/main
ok "git goes on" says second as_me "$home" git -C /mnt/nfs/repo log --oneline
ok "history lists the replaced version of todo" says todo as_me "$home" codex swop history
ok "the database is sound" says ok as_me "$home" sqlite3 /mnt/nfs/app.db 'pragma integrity_check'
ok "doctor is content" as_me "$home" codex swop doctor
ok "nothing is left of open files that were removed" exits 1 as_me "$home" sh -c 'find ~ -name ".nfs*" | grep .'
finish

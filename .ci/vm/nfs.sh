# shellcheck shell=bash
# The engine over NFS: the one rule holds there. What sessions do in a home over NFS is in hosts.sh.
# shellcheck source-path=SCRIPTDIR source=common.sh
. /opt/common.sh
version=$1
serve_nfs 127.0.0.1
mkdir -p /mnt/nfs
mount -t nfs -o "vers=$version" 127.0.0.1:/"$([ "$version" = 3 ] && echo export/)"me /mnt/nfs || exit
as_me /home/me mkdir /mnt/nfs/scratch
for test in TestRule TestRandom; do
  ok "vers=$version: $test" as_me /home/me env SWOP_TEST_SCRATCH=/mnt/nfs/scratch SWOP_SEQUENCES=3 /opt/tests/home.test -test.run "^$test\$"
done
finish

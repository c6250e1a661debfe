# shellcheck shell=bash
# Tests of the file system layer and of the engine on this kernel, as an ordinary user, in memory and on ext4.
# shellcheck source-path=SCRIPTDIR source=common.sh
. /opt/common.sh
cd /opt/tests || exit

# tests DIR: with their files in DIR
tests() {
  ok "disk, in $1" as_me /home/me env TMPDIR="$1" ./disk.test -test.timeout 3m
  ok "mirror, in $1" as_me /home/me env TMPDIR="$1" ./mirror.test -test.short -test.timeout 8m \
    -test.run '^Test(Alone|Engine(Leaves|WithoutLeases|ActsUnderLock|Races|Everyday|Reads|CallFails|Foreign|HugeFile))'
}
tests /dev/shm
chmod 700 /dev/shm # the tests would take it, as memory is faster
tests /home/me
chmod 1777 /dev/shm
finish

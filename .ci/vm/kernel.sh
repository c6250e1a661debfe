# shellcheck shell=bash
# Tests of the file system layer and of the engine on this kernel, as an ordinary user, in memory and on ext4.
# shellcheck source-path=SCRIPTDIR source=common.sh
. /opt/common.sh
cd /opt/tests || exit

# tests DIR: with their files in DIR
tests() {
  ok "disk, in $1" as_me /home/me env TMPDIR="$1" ./disk.test -test.timeout 3m
  ok "home, in $1" as_me /home/me env SWOP_TEST_SCRATCH="$1" SWOP_SEQUENCES=20 SWOP_ROUNDS=400 ./home.test -test.timeout 8m
}
tests /dev/shm
tests /home/me
finish

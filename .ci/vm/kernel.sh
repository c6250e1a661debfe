# shellcheck shell=bash
# Tests of the file system layer and of the engine on this kernel, as an ordinary user, on ext4.
# shellcheck source-path=SCRIPTDIR source=common.sh
. /opt/common.sh
cd /opt/tests || exit
ok disk as_me /home/me env TMPDIR=/home/me ./disk.test -test.timeout 3m
ok home as_me /home/me env SWOP_TEST_SCRATCH=/home/me SWOP_SEQUENCES=20 SWOP_ROUNDS=400 ./home.test -test.timeout 8m
finish

#!/usr/bin/env bash
# Breaks the engine on purpose, one promise at a time, in a copy of the tree, and runs the test that is named for it: each must fail.
#
#	.ci/mutations.sh [NAME]
#
# With NAME, a regular expression, it makes only the mutations whose names match. It exits with 1 if the code to break is not found, or if a test stays green.
set -euo pipefail
only=${1-}
cd "$(dirname "$0")/.."

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
git ls-files -z | xargs -0 cp --parents -t "$tree"
cd "$tree"
survived=0

# mutation NAME FILE OLD NEW PACKAGE TEST…: replace OLD, which must be in FILE exactly once, by NEW, and expect every test to fail.
mutation() {
  local name=$1 file=$2 old=$3 new=$4 package=$5 test out
  shift 5
  [[ $name =~ $only ]] || return 0
  for test in "$@"; do
    go test "$package" -run "^$test\$" >/dev/null 2>&1 || { echo "$test fails before anything is broken"; exit 1; }
  done
  cp "$file" "$tree/.original"
  if ! OLD=$old NEW=$new perl -0pi -e '$n = s/\Q$ENV{OLD}\E/$ENV{NEW}/g; END { exit($n == 1 ? 0 : 1) }' "$file"; then
    echo "$name: $file does not have this once: $old"
    exit 1
  fi
  go build ./... || { echo "$name: does not build"; exit 1; }
  for test in "$@"; do
    if out=$(go test "$package" -run "^$test\$" -count 1 2>&1); then
      printf '%-28s %-34s SURVIVED\n' "$name" "$test"
      survived=$((survived + 1))
    elif grep -qE '^(---|    ---) FAIL' <<<"$out"; then
      printf '%-28s %-34s caught\n' "$name" "$test"
    else
      echo "$out"
      echo "$name: $test did not run"
      exit 1
    fi
  done
  cp "$tree/.original" "$file"
}

mutation "an unsynced rename" manager/disk/file.go 'err = f.Sync()' 'err = nil' ./manager/projection TestWritesAreSynced
mutation "a copy's name unsynced" manager/projection/copy_unix.go 'err = to.Sync()' 'err = nil' ./manager/projection TestEngineDevicesSynced
mutation "a followed link" manager/disk/dir_unix.go 'unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC' \
  'unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC' ./manager/projection TestEngineFollowsNoLink
mutation "a skipped lock" manager/projection/reconcile_unix.go 'defer l.Release()' 'l.Release()' ./manager/projection TestEngineOneAtATime TestEngineActsUnderLock
mutation "a widened mode" manager/disk/file.go 'f.Chmod(0o600)' 'f.Chmod(0o644)' . TestScripts/disk_layout
mutation "a version that is not kept" manager/projection/move_unix.go 'left || !spare, ' 'left && !spare, ' ./manager/projection TestEngineTable TestEngineRandom
mutation "a move under a program" manager/projection/quiet_unix.go 'err == nil && !used && ' 'err == nil && (used || !used) && ' ./manager/projection TestEngineLeavesWhatIsOpen
mutation "a refused lease believed" manager/disk/system_linux.go 'unix.EAGAIN) && d.Local()' 'unix.EAGAIN) || d.Local()' ./manager/projection TestEngineWithoutLeases
mutation "a database known by its name" manager/disk/database_unix.go 'return there && (database' 'return there && (true || database' ./manager/disk TestCompanions
mutation "a log moved in a session" manager/projection/group_unix.go 'if idle, err := p.idle(); err != nil || !idle {
		return false, err
	}
	for name, own := range g.own' 'for name, own := range g.own' ./manager/projection TestEngineTable
mutation "a link restored in a session" manager/projection/rename_unix.go 'if p.was.hadLink(name) {' 'if p.view == "" {' ./manager/projection TestEngineTable
mutation "an old version's copy forgotten" manager/projection/links_unix.go 'p.linked(target) == name' 'p.linked(target) == ""' ./manager/projection TestEngineReadsLinks
mutation "an old file brought back" manager/projection/fold_unix.go 'return own.Ctime' 'return own.Mtime' ./manager/projection TestEngineTable
mutation "an inode's change believed" manager/projection/fold_unix.go 'return own.Mtime' 'return own.Ctime' ./manager/projection TestEngineAdoptedThenReplaced
mutation "a user's link dropped" manager/projection/move_unix.go 'there.Ino == m.place // it may' 'false // it may' ./manager/projection TestEngineLinkByUserIsKept
mutation "a version in three renames" manager/projection/move_unix.go 'i.Ino != m.place {' 'i.Ino == 0 {' ./manager/projection TestEngineCallFails
mutation "a removed directory merged" manager/projection/move_unix.go 'disk.Changed(m.mergeTree(' '(m.mergeTree(' ./manager/projection TestEngineRaces
mutation "a circle copied" manager/projection/links_unix.go ' && !errors.Is(err, unix.ELOOP)' '' ./manager/projection TestEngineLinkInACircle
mutation "a rename that is none" manager/projection/rename_unix.go 'there.Exists() && !own.Exists()' 'there.Exists() && own.Exists() && false' ./manager/projection TestEngineReadsLinks
mutation "a link taken for a rename" manager/projection/rename_unix.go 'own.Exists() && !permuted' 'own.IsDir() && !permuted' ./manager/projection TestEngineReadsLinks
mutation "a link that dangles" manager/projection/retarget_unix.go 'rest, target) == p.outside(leads) {
		return target
	}
	return p.outside(leads)' 'rest, target) == p.outside(leads) {
		return target
	}
	return target' ./manager/projection TestEngineReadsLinks
mutation "what was seen forgotten" manager/projection/scan_unix.go 'err == nil && s.saw(name, there) {' 'err == nil && s.saw(name, there) && false {' ./manager/projection TestEngineRemembersWhatWasSeen
mutation "a link moved in a session" manager/projection/quiet_unix.go '!own.IsRegular() || ' '' ./manager/projection TestEngineTable
mutation "a new file moved in a session" manager/projection/quiet_unix.go ' || !p.was.hadLink(name)' '' ./manager/projection TestEngineNewWaits TestEngineTable
mutation "a link to nothing read" manager/projection/links_unix.go 'err == nil && !there.Exists() {
			delete' 'err == nil && !there.Exists() && false {
			delete' ./manager/projection TestEngineDanglingLinkIsNoRename
mutation "a foreign entry taken out" manager/projection/move_unix.go 'if err != nil || expected(got) {' 'if expected(got); true {' ./manager/projection TestEngineForeignEntryGoesBack
mutation "a killed move forgotten" manager/projection/scan_unix.go 'if s.movesLeft() {' 'if s.stale {' ./manager/projection TestEngineKilled
mutation "a removal believed" manager/projection/pair_unix.go 'case unwritten && got.Unmodified(known):' 'case got.Same(known):' ./manager/projection TestEngineCredentialsRemovedThenWritten
mutation "an error that stops all" manager/projection/projection_unix.go 'err := p.wait(f, p.repair(f)); err' 'err := p.repair(f); err' ./manager/projection TestEngineOneEntryFails
mutation "another login used" manager/projection/waiting_unix.go 'stamp.Private && p.leadsIn' 'stamp.Private && false && p.leadsIn' ./manager/projection TestEngineOneEntryFails
mutation "a reason said again" manager/projection/waiting_unix.go 'fresh = fresh || !known' 'fresh = true || !known' ./manager/projection TestEngineOneEntryFails
mutation "renames that wait for each other" manager/projection/rename_unix.go 'related := slices.ContainsFunc(other, r.related)' 'related := slices.ContainsFunc(other, r.related) || true' . TestScripts/waits_overlay
mutation "a full disk unsaid" manager/projection/reconcile_unix.go 'news != "" &&' 'news == "-" &&' ./manager/projection TestEngineFullDisk TestEngineFullDiskKeepsVersions
mutation "a filled hole" manager/disk/copy_unix.go 'err = copyData(out, in)' '_, err = io.Copy(out, in)' ./manager/projection TestEngineHugeFile TestEngineDevicesHugeFile
mutation "a version's owner unread" manager/history/list.go 'ours := timeOf(id)' 'ours := timeOf(id); ours = true' ./manager/history TestListDamaged
mutation "another entry's versions counted" manager/history/list.go 'entry := [2]string{v.View, v.Path}' 'entry := [2]string{v.View}' ./manager/history TestLimits TestList
mutation "a version half restored" manager/history/restorecopy.go 'r.kept.Move(unfinished+id, r.kept, id)' 'r.kept.Move(unfinished+id, r.kept, unfinished+"1")' ./manager/history TestRestore
mutation "a database restored in use" manager/history/restore.go 'if err := unused(); err != nil {' 'if err := unused(); err != nil && r.name == "" {' ./manager/history TestRestoreRefused
mutation "a root that others can replace" config/trust_unix.go 'err = p.checkDir(path, &st)' '_ = st' . TestScripts/bad_root
mutation "a root that is open" manager/account/check_unix.go 'st.Mode&0o077 != 0' 'st.Mode&0o007 == 0o100' . TestScripts/bad_root
mutation "a HOME left open" manager/account/check_unix.go 'f.Chmod(0o700) != nil' 'f.Chmod(0o704) != nil' . TestScripts/bad_root
mutation "a young version pruned" manager/history/prune.go 'age < x.Young' 'age < 0' ./manager/history TestLimits
mutation "a restore that drops" manager/history/restore.go 'if !replaced {' 'if replaced {' ./manager/history TestRestore
mutation "an answer not searched" shim/bridge/scrub_unix.go 'cover(s.buf, s.forms)' '_ = s.forms' ./shim/bridge TestReflected
mutation "dots in a path" shim/bridge/path.go 'case name == "." || name == "..":' 'case name == "-":' ./shim/bridge TestBadPaths TestBadRequests
mutation "a client's credentials" shim/bridge/forward_unix.go 'p.Out.Header.Del(name)' '_ = name' ./shim/bridge TestClientsCredentials
mutation "any repository" shim/bridge/graphql.go 'return j.readable(owner, name)' '_ = owner; return j.readable("acme", name)' ./shim/bridge TestReadGraphQL
mutation "git without its proof" shim/bridge/githubgit_unix.go '[]byte(g.proof)) != 1' '[]byte(g.proof)) > 1' ./shim/bridge TestGitProof
mutation "a host's own token" shim/bridge/githubgit_unix.go '"GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN"' '"GH_ENTERPRISE_TOKEN"' ./shim/bridge TestUndo
mutation "a pool past its limit" manager/pool/choose.go 'w.used(now) >= leave' 'w.used(now) > leave' ./manager/pool TestChoose
mutation "another login's reading" manager/usage/entry_unix.go '|| e.Login != login ' '' ./manager/usage TestEntry
mutation "another model's limits" manager/usage/reading.go 'if ok && (!named || main.LimitID == "" || main.LimitID == codexBucket) {' 'if ok {' ./manager/usage TestParseReading
mutation "a codex that is left" manager/usage/ask_unix.go '_ = unix.Kill(group, signal) // what outlived' '_ = signal // what outlived' ./manager/usage TestAskEnds
mutation "a stale choice" manager/pool/fast_unix.go '|| file != a.File' '|| file.Inode == 1' ./shim/session TestFastIsFull
mutation "resume as whoever" manager/codex-swop/resume.go 'env = env.With("SWOP_ACCOUNT", key)' '_ = key' . TestScripts/sessions_resume
printf '%d survived\n' "$survived"
[ "$survived" = 0 ]

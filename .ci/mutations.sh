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
export GOFLAGS="${GOFLAGS-} -buildvcs=false" # an empty .git may lie above it, which codex leaves in /tmp
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

mutation "an unsynced rename" disk/file.go 'err = f.Sync()' 'err = nil' ./faults TestSynced
mutation "a removal unsynced" account/store/trash.go 'return gone, disk.SyncDir(s.AccountsDir())' 'return gone, nil' ./faults TestSynced
mutation "an empty login believed" account/login/kept.go 'if errors.Is(err, fs.ErrExist) { // an empty one' 'if errors.Is(err, fs.ErrClosed) { // an empty one' ./account/login TestKept
mutation "a widened mode" disk/file.go 'f.Chmod(0o600)' 'f.Chmod(0o644)' . TestScripts/disk_layout
mutation "a database known by its name" disk/database.go 'return there && (database' 'return there && (true || database' ./disk TestCompanions
mutation "a root that others can replace" config/trust_unix.go 'err := p.checkDir(at, &st); err != nil' 'err := error(nil); err != nil' . TestScripts/bad_root
mutation "a root that is open" account/check_unix.go 'st.Mode&0o077 != 0' 'st.Mode&0o007 == 0o100' . TestScripts/bad_root
mutation "a HOME left open" account/check_unix.go 'f.Chmod(0o700) == nil' 'f.Chmod(0o704) == nil' . TestScripts/bad_root
mutation "an answer not searched" bridge/scrub_unix.go '		cover(text, s.forms)' '' ./bridge TestReflected
mutation "a refused token kept" bridge/printed_unix.go 'first := refused != "" && refused == p.text' 'first := refused != "" && refused != p.text' ./bridge TestTokenRefused
mutation "codex without its stand-in" bridge/bridge_unix.go '[]byte(w.proof)) != 1' '[]byte(w.proof)) > 1' ./bridge TestChatGPT
mutation "another account's id" bridge/chatgpt_unix.go 'case id != "" && id != c.account:' 'case id != "" && id == c.proof:' ./bridge TestChatGPT
mutation "two questions for a token" bridge/chatgpt/tokens_unix.go '			if changed() {
				return nil
			}' '' ./bridge/chatgpt TestTokens
mutation "an ended login forgotten" bridge/chatgpt/tokens_unix.go 'm.Auth == s.sum && (m.Ended ||' 'm.Auth == s.sum && (false ||' ./bridge/chatgpt TestEndedLogin
mutation "a served login replaced" bridge/openai_unix.go '!login.IsStandIn([]byte(text))' 'false' . TestScripts/bridge_serve
mutation "requests of another machine without a bound" bridge/served_unix.go 'l.count > l.most.PerHour' 'false' ./bridge TestServedRefuses
mutation "a login served beyond its time" bridge/served_unix.go '!now.Before(l.most.Until)' 'false' ./bridge TestServedRefuses
mutation "a login for a host that is not named" manager/verb/confined/ssh_unix.go '!slices.Contains(remote.Hosts, host)' 'false' . TestScripts/ssh
mutation "dots in a path" bridge/request/target.go 'case name == "." || name == "..":' 'case name == "-":' ./bridge/request TestBadPaths
mutation "a client timed after its request" bridge/forward_unix.go 'b.ended = errors.Is(err, io.EOF)' '' ./bridge TestStreamLong
mutation "a request that is left not logged" bridge/bridge_unix.go 'defer func() { w.session.log(e) }() // also if send panics' 'defer func() { if recover() == nil { w.session.log(e) } }()' ./bridge TestGone
mutation "a client's credentials" bridge/forward_unix.go 'delete(p.Out.Header, name)' '_ = name' ./bridge TestClientsCredentials
mutation "any repository" bridge/github/graphql.go 'return j.readable(owner, name)' '_ = owner; return j.readable("acme", name)' ./bridge/github TestReadGraphQL
mutation "git without its proof" bridge/git_unix.go 'g.header, g.proof = sessionHeader' 'g.header, g.proof = ""' ./bridge TestGitProof
mutation "a host's own token" bridge/git_unix.go '"GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN"' '"GH_ENTERPRISE_TOKEN"' ./bridge TestUndo
mutation "a pool past its limit" limits/pool/choose.go 'w.At(now).Used >= leave' 'w.At(now).Used > leave' ./limits/pool TestChoose
mutation "another login's reading" limits/usage/entry.go '|| e.Login != login ' '' ./limits/usage TestEntry
mutation "another model's limits" limits/usage/reading.go 'if ok && (!named || main.LimitID == "" || main.LimitID == codexBucket) {' 'if ok {' ./limits/usage TestParseReading
mutation "a codex that is left" account/process/isolate_unix.go '_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)' '_ = syscall.Kill(cmd.Process.Pid, 0)' ./limits/usage TestAskEnds
mutation "a stale choice" limits/pool/fast.go '|| file != a.File' '|| file.Inode == 1' ./session TestFastIsFull
mutation "resume as whoever" manager/verb/limits/resume.go 'env := s.Environ.With("SWOP_ACCOUNT", key)' 'env := s.Environ' . TestScripts/sessions_resume
mutation "a prompt sent twice" limits/transcript/recorded.go '!l.Timestamp.Before(since)' 'l.Timestamp.Before(since)' . TestScripts/exec_limit
mutation "a run that was only near" manager/verb/limits/exec_unix.go 'e.Room(100, x.Now())' 'e.Room(90, x.Now())' . TestScripts/exec_limit
mutation "a failure that is no end" limits/continuation/watch.go 'if w.Events && w.event(line) {' 'if w.Events && w.event(line) && false {' ./limits/continuation TestWatch
mutation "told twice" limits/usage/told.go 'told[i].Percent >= thresholds[crossed]' 'told[i].Percent > thresholds[crossed]' ./limits/usage TestTell
mutation "an older mark" limits/usage/entry.go 'e.BlockedUntil = most.ResetsAt.Time()' 'e.BlockedUntil = marked' ./limits/usage TestNote
mutation "a table that is too wide" manager/terminal/table.go 'if !ok {' 'if false && !ok {' . TestScripts/list_terminal
mutation "a label that is lost" manager/codex-swop/help.go 'return " " + say.ShellQuote(label)' 'return ""' . TestScripts/input_slips
mutation "an answer for any workspace" confine/answers_unix.go 'a.Workspace != workspace' 'false && a.Workspace != workspace' . TestScripts/confine_refused
mutation "a grant by a link" confine/prepare_linux.go 'case real != a.Target:' 'case real == "":' . TestScripts/confine_refused
mutation "a grant that moved" confine/desk_linux.go 'now.Target != a.Target' 'now.Target == ""' . TestScripts/confine_refused
mutation "a denial forgotten" confine/desk_linux.go 'j.desk.Deny(a)' '_ = a' . TestScripts/confine_refused
mutation "read is write" confine/desk_linux.go '(e.Kind == desk.KindWrite || e.Kind == string(to) && to == desk.ToRead)' 'e.Kind != ""' . TestScripts/confine_refused
mutation "git runs ahead" confine/peer/told_linux.go 'F_SETPIPE_SZ, os.Getpagesize()' 'F_SETPIPE_SZ, 16*os.Getpagesize()' ./confine/peer TestTold
mutation "advice before the error" confine/advice/advice_linux.go 'await(said) //' '_ = await //' ./confine/advice TestGive
mutation "git tells nothing" confine/environment_linux.go 'j.advises() &&' 'false &&' . TestScripts/confine_commit
mutation "once for two" confine/desk/desk.go 'q.State == Granted && q.How != Once:' 'q.State == Granted:' ./confine/desk TestDeskOnce
mutation "a time that does not end" confine/desk/answer.go 'd.end(q, "its time is over")' '_ = q' ./confine/desk TestDeskEnds
mutation "a grant taken back and kept" confine/desk/answer.go 'err = q.undo()' 'err = nil' ./confine/desk TestDesk TestDeskEnds
mutation "capabilities of other threads" confine/mountns/namespaces_linux.go 'syscall.AllThreadsSyscall(' 'unix.RawSyscall(' ./session TestCapabilities
mutation "capabilities by exec" confine/mountns/namespaces_linux.go 'c <= unix.CAP_LAST_CAP' 'c < 0' ./session TestCapabilities
mutation "capabilities in the session" confine/mountns/namespaces_linux.go 'err = dropCapabilities()' 'err = nil' . 'TestAttacks/mount_over_a_mask'
mutation "memory of programs outside" confine/mountns/namespaces_linux.go 'uintptr(unix.CLONE_NEWIPC |' 'uintptr(' . TestAttacks/read_memory_that_is_shared_with_a_process_outside
mutation "the namespace of cgroups" confine/mountns/namespaces_linux.go 'own |= unix.CLONE_NEWCGROUP' 'own |= 0' . 'TestAttacks/kill_a_process_outside_by_its_cgroup'
mutation "the kernel's files of root" confine/mountns/namespaces_linux.go '"sys", "sysrq-trigger", "irq", "bus"' '"irq"' . 'TestAttacks/change_what_the_kernel_runs'
mutation "a status while it starts" session/confine_linux.go 'r.refused = refusal(err)' '_ = refusal(err)' . TestScripts/confine_session
mutation "standard input as it is" confine/mountns/input_linux.go 'st.Mode&unix.S_IFMT == unix.S_IFCHR ||' 'true ||' . 'TestAttacks/add_to_the_script'
mutation "netlink by root's capabilities" confine/peer/connect_linux.go 'none[i].Effective = 0' 'none[i].Effective = own[i].Effective' ./confine/peer TestWays
mutation "a host that stays" confine/proxy/proxy.go 'i >= 0' 'i > 1' ./confine/proxy TestProxyEnds
mutation "a name of this machine" confine/proxy/proxy.go 'dialer.Control = refuseOwn' 'dialer.Control = nil' ./confine/proxy TestProxyOwn TestProxyRebinding
mutation "an address of this machine" confine/proxy/proxy.go 'of == from.Addr().Unmap()' 'of == from.Addr().Unmap() && of.IsLoopback()' ./confine/proxy TestProxyOwn
mutation "a log that is pushed out" confine/log.go ' || len(d.told) >= maxTold' '' ./confine TestDiaryBounded
mutation "a setting that git obeys" confine/repository/ordinary.go 'slices.Contains(keys[of.section], of.key)' 'keys[of.section] != nil' ./confine/repository TestPutAside
# shellcheck disable=SC2016 # the backticks are of Go
mutation "comments in git's settings" confine/repository/settings.go '|[^"#;])*)' '|.)*)' ./confine/repository TestPutAside
mutation "what codex obeys in a transcript" confine/records/content_linux.go 'case l.Type == metaType, len(payload) == 0:' 'case l.Type == metaType:' ./confine/records TestBack
mutation "the fields of a context" confine/records/content_linux.go 'return !slices.Contains(known, name)' 'return len(known) < 0' ./confine/records TestBack
mutation "what was read-only" confine/repository/left_linux.go 'if l.kept(path) || slices' 'if false && slices' ./confine/repository TestPutAside
mutation "too long a path" confine/repository/left_linux.go 'if len(dir) > mostPath &&' 'if false && len(dir) > mostPath &&' ./confine/repository TestPutAside
mutation "what was moved" confine/repository/left_linux.go 'for at := filepath.Dir(path); at != from &&' 'for at := filepath.Dir(path); false && at != from &&' ./confine/repository TestPutAside
mutation "what lies in what was put aside" confine/repository/left_linux.go 'for i := 0; i < len(l.left); i++' 'for i := 0; false && i < len(l.left); i++' . TestAttacks/hide_a_repository_in_a_configuration_of_codex
mutation "a repository that becomes one" confine/repository/left_linux.go '"HEAD", "commondir", "refs", "objects"' '"commondir"' ./confine/repository TestPutAside
mutation "a repository that is only used" confine/repository/left_linux.go '(!disk.At(path).IsDir() || s.isNew(filepath.Dir(path)))' 'true' ./confine/repository TestPutAside
mutation "a link on the way to hooks" confine/repository/left_linux.go 'if len(way) > 0 {' 'if false {' . TestAttacks/lead_the_directory_of_hooks_elsewhere_by_two_links
mutation "hooks before their repository" confine/repository/left_linux.go 'isNew := l.arrived(filepath.Join(named.Tree, ".git"))' 'isNew := false && l.arrived(filepath.Join(named.Tree, ".git"))' ./confine/repository TestPutAside
mutation "another account's killed session" confine/bringback_linux.go 'range desk.JailDirs(r.Places.Root)' 'range desk.JailsOf(r.Account.Dir)' . "TestAttacks/leave_a_repository_when_it_is_killed,_before_another_account's_session"
mutation "hooks of a linked work tree" confine/repository/repository.go 'trees := []string{tree, treeOf(git)}' 'trees := []string{treeOf(git)}' ./confine/repository TestFindNamed
mutation "what looks like a repository" confine/roots_linux.go 'slices.Contains(components(path), ".git")' 'repository.Is(path)' ./confine TestNoteGiven
mutation "hidden by another session" confine/notice_linux.go 'began.ModTime().Before(now.ModTime())' 'began.ModTime().After(now.ModTime())' ./confine TestPassOn
mutation "what a session leaves" confine/notice_linux.go 'config.Outermost(roots[1:])' 'roots[:0]' . 'TestAttacks/make_a_repository_that_runs_a_program'
mutation "a view planned as it lies" confine/layout_linux.go '&& !inView && !disk.At' '&& !disk.At' ./confine FuzzLayout
mutation "a verb that runs unconfined" manager/verb/choose.go 'return s.Policy(bound.Confine,' 'return s.Policy("",' . TestScripts/confine_session
[ "$survived" = 0 ]

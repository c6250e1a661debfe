#!/usr/bin/env bash
# Breaks the engine on purpose, one promise at a time, in a copy of the tree, and runs the test that is named for it: each must fail.
#	.ci/mutations.sh [NAME]
# With NAME, a regular expression, it makes only the mutations whose names match. It exits with 1 if the code to break or a test is not found, or if a test stays green.
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
  local name=$1 file=$2 old=$3 new=$4 package=$5 test out indent
  shift 5
  [[ $name =~ $only ]] || return 0
  for test in "$@"; do
    out=$(go test "$package" -v -run "^$test\$" 2>&1) || { echo "$test fails before anything is broken"; exit 1; }
    [[ $test = */* ]] && indent='    ' || indent=''
    grep -q "^$indent--- PASS" <<<"$out" || { echo "$name: no test is called $test"; exit 1; }
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

mutation "an unsynced rename" internal/disk/file.go 'err = f.Sync()' 'err = nil' ./internal/test/faults TestSynced
mutation "a server at work is stopped" internal/account/process/server_linux.go '< atWork }' '< 0 }' ./internal/account/process TestStopBusy
mutation "a rename leaves no link" internal/account/store/rename.go 'err == nil && s.leavesLink(a, from) {' 'false && s.leavesLink(a, from) {' ./internal/test/script TestScripts/remove_paths
mutation "a use that is not told" internal/account/layout.go '_ = os.Chtimes(s.LockFile(key), now, now)' '_ = os.Chtimes(s.LockFile("x"), now, now)' ./internal/test/script TestScripts/disk_layout
mutation "a removal unsynced" internal/account/store/trash.go 'return gone, disk.SyncDir(s.AccountsDir())' 'return gone, nil' ./internal/test/faults TestSynced
mutation "a login in its own home" internal/session/plan.go 'r.apart = !uses' 'r.apart = uses' ./internal/test/script TestScripts/login_kept
mutation "a widened mode" internal/disk/file.go 'f.Chmod(0o600)' 'f.Chmod(0o644)' ./internal/test/script TestScripts/disk_layout
mutation "a database known by its name" internal/home/database.go 'v.hasLog(name) && (' 'v.hasLog(name) || (' ./internal/home TestNotes
mutation "a root that others can replace" config/trust_unix.go 'err := checkWriter(at, &st); err != nil' 'err := error(nil); err != nil' ./internal/test/script TestScripts/bad_root
mutation "a key in another case" config/decode.go 'f, ok := fields[key]' 'f, ok := fields[strings.ToLower(key)]' ./internal/test/script TestScripts/input_files
mutation "a disk that is gone" config/trust_unix.go 'err == unix.ENOENT && link != "" && len(rest) >= behind:' 'false:' ./config TestReadTrustedBehindDanglingLink
mutation "a root that is open" internal/account/check_unix.go 'st.Mode&0o077 != 0' 'st.Mode&0o007 == 0o100' ./internal/test/script TestScripts/bad_root
mutation "a HOME left open" internal/disk/file_unix.go 'top.Chmod(filepath.Base(dir), 0o700)' 'top.Chmod(filepath.Base(dir), 0o704)' ./internal/test/script TestScripts/bad_root
mutation "an answer not searched" internal/bridge/scrub_unix.go '		cover(text, s.secrets)' '' ./internal/bridge TestReflected
mutation "a refused token kept" internal/bridge/command_unix.go 'ours := refused != "" && refused == p.text' 'ours := refused != "" && refused != p.text' ./internal/bridge TestTokenRefused
mutation "codex without its stand-in" internal/bridge/bridge_unix.go '[]byte(w.proof)) != 1' '[]byte(w.proof)) > 1' ./internal/bridge TestChatGPT
mutation "another account's id" internal/bridge/chatgpt_unix.go 'id != "" && id != c.account' 'id != "" && id == c.proof' ./internal/bridge TestChatGPT
mutation "a refused token shown" internal/bridge/attempt_unix.go 'append(a.seen, newer)' '[]string{newer}' ./internal/bridge TestTokenRefused
mutation "two questions for a token" internal/bridge/chatgpt/tokens_unix.go 'if !changed() {' 'if true {' ./internal/bridge/chatgpt TestTokens
mutation "a login asked for again" internal/bridge/chatgpt/tokens_unix.go 'm.Auth == s.sum && left > 0' 'm.Auth == s.sum && left > restTime' ./internal/bridge/chatgpt TestRenewedLoginIsRefused
mutation "dots in a path" internal/bridge/request/target.go 'strings.Trim(name, ". ") == ""' 'name == "-"' ./internal/bridge/request TestBadPaths
mutation "a redirect followed" internal/bridge/forward_unix.go 'answer.StatusCode/100 == 3' 'answer.StatusCode == 399' ./internal/bridge TestUpstreams
mutation "a client's credentials" internal/bridge/forward_unix.go 'delete(p.Out.Header, name)' '_ = name' ./internal/bridge TestClientsCredentials
mutation "graphql without its rule" internal/bridge/github/rest.go 'return r.GraphQL' 'return true' ./internal/bridge/github TestJudgePath
mutation "git without its proof" internal/bridge/git_unix.go 'g.header, g.proof = sessionHeader' 'g.header, g.proof = ""' ./internal/bridge TestGitProof
mutation "a host's own token" internal/bridge/git_unix.go '"GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN"' '"GH_ENTERPRISE_TOKEN"' ./internal/bridge TestUndo
mutation "a pool past its limit" internal/limits/pool/choose.go 'w.At(now).Used >= leave' 'w.At(now).Used > leave' ./internal/limits/pool TestChoose
mutation "another login's reading" internal/limits/usage/entry.go '|| e.Login != login ' '' ./internal/limits/usage TestEntry
mutation "another model's limits" internal/limits/usage/reading.go 'if ok && (!named || main.LimitID == "" || main.LimitID == codexBucket) {' 'if ok {' ./internal/limits/usage TestParseReading
mutation "a program that was asked" internal/account/process/ask_unix.go 'return syscall.Kill(-cmd.Process.Pid, end)' 'return cmd.Process.Kill()' ./internal/account/process TestAskCancelled
mutation "a child that is left" internal/account/process/ask_unix.go 'return syscall.Kill(-cmd.Process.Pid, end)' 'return syscall.Kill(cmd.Process.Pid, end)' ./internal/account/process TestAskCancelled
mutation "resume as whoever" manager/verb/limits/resume.go 'env = session.As(key, s.Environ)' 'env = s.Environ' ./internal/test/script TestScripts/sessions_resume
mutation "a prompt sent twice" internal/limits/transcript/recorded.go '!l.Timestamp.Before(since)' 'l.Timestamp.Before(since)' ./internal/test/script TestScripts/exec_limit
mutation "a run that was only near" manager/verb/limits/exec_unix.go 'limitOf(x.asker, x.current, 100)' 'limitOf(x.asker, x.current, 90)' ./internal/test/script TestScripts/exec_limit
mutation "a confined account stays chosen" internal/account/store/confine.go 's.forget(a.Key, ""), ' '' ./internal/test/script TestScripts/pool_confined
mutation "a failure that is no end" internal/limits/continuation/watch.go 'case w.event(line) && len(w.held) < most:' 'case w.event(line) && len(w.held) < 0:' ./internal/limits/continuation TestWatch
mutation "mount namespaces in the session" internal/confine/mount/namespaces_linux.go 'if p.Nested {' 'if true {' ./internal/test/script TestScripts/confine_sandbox
mutation "a sandbox on another root" internal/confine/sandbox_linux.go 's.mounts[0].Source != "/"' 'false' ./internal/test/script TestScripts/confine_sandbox
mutation "any option of bubblewrap" internal/confine/sandbox_linux.go 'if !ok || len(args) <= n {' 'if ok && len(args) <= n {' ./internal/test/script TestScripts/confine_sandbox
mutation "the environment of a helper" internal/confine/mount/namespaces_linux.go 'attr := &syscall.ProcAttr{Sys' 'attr := &syscall.ProcAttr{Env: p.Program.Env, Sys' ./internal/test/script TestScripts/confine_sandbox
mutation "the filter in a sandbox" internal/confine/helper_linux.go 'filter.Install(), ' '' ./internal/test/script TestScripts/confine_sandbox
mutation "a wider sandbox from within one" internal/confine/sandbox_linux.go 'filepath.Join(desk.RuntimeDir, sandboxSocket)' 'filepath.Join(desk.RuntimeDir, insideFile)' ./internal/test/script TestScripts/confine_sandbox
mutation "a session that stops in part" internal/confine/launch_linux.go 'l.Signal(syscall.SIGSTOP)' '_ = l' ./internal/test/script TestScripts/confine_sandbox
mutation "what goes on by itself" internal/confine/mount/middle_linux.go 'go hold(m.held)' 'go func() { <-m.held }()' ./internal/test/script TestScripts/confine_sandbox
mutation "what another session finds" internal/confine/sandbox_linux.go '|| s.ofSockets(m.Target)' '' ./internal/test/script TestScripts/confine_sandbox
mutation "a stopped session that is asked" internal/confine/desk/client_unix.go '!supervisor.Stopped && ' 'supervisor.PID > 0 && ' ./internal/test/script TestScripts/confine_sandbox
mutation "an answer for any workspace" internal/confine/desk/client_unix.go 'a.Workspace != workspace' 'false && a.Workspace != workspace' ./internal/test/script TestScripts/confine_ask
mutation "an answer for any session" internal/confine/desk/client_unix.go 'a.Session != session' 'false' ./internal/test/script TestScripts/confine_ask
mutation "a grant by a link" internal/confine/prepare_linux.go 'case real != a.Target:' 'case real == "":' ./internal/test/script TestScripts/confine_ask
mutation "a session as the question names it" internal/confine/desk/desk.go 'cmp.Or(d.Session, session)' 'cmp.Or(session, d.Session)' ./internal/test/script TestScripts/confine_ask
mutation "capabilities in the session" internal/confine/mount/namespaces_linux.go ', dropCapabilities(p))' ')' ./internal/test/script TestScripts/confine_session
mutation "memory of programs outside" internal/confine/mount/namespaces_linux.go 'unix.CLONE_NEWIPC|' '' ./internal/confine TestAttacks/read_memory_that_is_shared_with_a_process_outside
mutation "standard input as it is" internal/confine/mount/input_linux.go 'st.Mode&unix.S_IFMT == unix.S_IFCHR ||' 'true ||' ./internal/confine 'TestAttacks/add_to_the_script.*'
mutation "sockets of the caller's" internal/confine/filter/install_linux.go '0, 0, 0), dropSockets())' '0, 0, 0))' ./internal/confine "TestAttacks/reach_a_port_of_this_machine_by_a_socket_of_the_caller's"
mutation "sockets where another session finds them" internal/confine/filter/install_linux.go 'attr.Handled_access_fs = unix' 'attr.Handled_access_fs = 0 * unix' ./internal/confine TestAttacks/make_a_socket_that_another_session_finds
mutation "a group of several users" config/trust_unix.go "case f[3] == gid:" "case false:" ./config TestOwnGroup
mutation "a login to a server in the whole home" internal/confine/scene_linux.go 's.add(mount.Empty, "", s.Home)' '_ = 0' ./internal/test/script TestScripts/confine_network
mutation "a link that a session laid" internal/confine/given.go 'if slices.ContainsFunc(links, g.mayBeLaid) {' 'if len(links) < 0 {' ./internal/confine "TestAttacks/show_a_later_session_a_file_by_a_link_in_the_place_of_a_start-up_file"
mutation "where sessions wrote" internal/confine/directory_linux.go 'j.noteWritten(r.path)' 'func() error { _ = r; return nil }()' ./internal/confine "TestAttacks/show_a_later_session_a_file_by_a_link_in_the_place_of_a_start-up_file"
mutation "where commands wrote" internal/confine/desk_linux.go 'case given && a.Kind == desk.KindWrite:' 'case false:' ./internal/test/script TestScripts/confine_given
mutation "what is not of the disk, by a link" internal/confine/given.go 'to != "" && g.disk.Has(to)' 'to != ""' ./internal/confine "TestAttacks/connect_to_a_socket_in_/tmp_by_a_link_of_the_user's"
mutation "a program that a session put on PATH" internal/account/written.go 'return config.Within(path, dir) })' 'return config.Within(dir, path) })' ./internal/test/script 'TestScripts/(bridge_confined|confine_given|doctor_git|find_real)'
mutation "readonly by a link" internal/confine/scene_linux.go 'through(path, filepath.Join(path, name))...)' 'filepath.Join(path, name))' ./internal/confine TestAttacks/write_a_file_that_is_read-only_by_a_link
mutation "trailers of a request" internal/bridge/forward_unix.go 'p.Out.Trailer = nil' '_ = 0' ./internal/bridge TestClientsCredentials
mutation "the places of a session's" internal/account/written.go 'if leadsInto(place, Written(p.Home)) {' 'if false && leadsInto(place, Written(p.Home)) {' ./internal/test/script TestScripts/root_two
mutation "a granted name" internal/confine/proxy/proxy.go 'case wild, err != nil && i >= len(p.listed):' 'case wild, err != nil && i < 0:' ./internal/confine/proxy TestProxyAllows
mutation "beside swop's programs" internal/confine/prepare_linux.go 'c.Programs = append(Real(filepath.Join(dir, "codex")), c.Helper, codex)' 'c.Programs = Real(dir, codex)' ./internal/test/script TestScripts/confine_given
mutation "a workspace of the system's" internal/confine/workspace.go '!config.Within(path, home) && isShared(path)' 'false' ./internal/test/script TestScripts/confine_session
mutation "the disk of users" internal/confine/mount/users_linux.go '!slices.Contains(ofSystem, entry.Name())' 'false' ./internal/confine TestHomes
mutation "a home by a link" internal/confine/scene_linux.go 'if disk.At(link).IsLink() && s' 'if false && s' ./internal/test/script TestScripts/confine_given
mutation "what hidden names in the shared codex home" internal/confine/scene_linux.go 's.hide(s.Policy.Hidden...)' 's.hide()' ./internal/confine TestAttacks/read_what_is_hidden_in_the_shared_codex_home
mutation "a start that could write what is given" internal/confine/directory_linux.go 'return key != j.scene.Key &&' 'return key == "" &&' ./internal/confine TestObeyedElsewhere
mutation "a submodule that does not know the work tree" internal/confine/git.go 'workTreeOf(dir) == top' 'true' ./internal/test/script TestScripts/confine_given
mutation "what replaces a token" internal/confine/layout_linux.go 'if len(s.shownAt(path))+len(s.shownAt(filepath.Dir(path))) > 0 {' 'if false {' ./internal/test/script TestScripts/bridge_confined
mutation "a confined account in a pool" internal/limits/usage/survey.go 'if s.Meta.Confine == "" {' 'if true {' ./internal/test/script TestScripts/pool_confined
mutation "an answer by a path" internal/confine/desk/desk.go 'case q.ID != of.Of:' 'case q.ID != of.Of && q.Target != of.Of:' ./internal/test/script TestScripts/confine_ask
mutation "a guard of another process" shim/exec_unix.go 'g.parent == os.Getppid()' 'g.parent != os.Getppid()' ./internal/test/script TestScripts/find_wrappers
mutation "starts that nobody counts" shim/starts_linux.go 'slack-slack%1000+starts' 'slack+0*starts' ./internal/test/script TestScripts/find_neighbours
mutation "a usage of what was removed" manager/verb/prepare.go 'if acct, err = s.Store.Find(label); err != nil {' 'if err != nil {' ./internal/test/script TestScripts/usage_kept
mutation "a Ctrl-C of nobody" internal/session/supervise/supervise_unix.go 'key = w.end() == syscall.SIGINT' 'key = w.end() == 0' ./internal/session/supervise TestSuperviseTerminal
mutation "a policy for no account" shim/policy.go 'case meta.Confine == "" && set.policy != config.ConfineOff:' 'case false:' ./internal/test/script TestScripts/confine_account
mutation "setuid programs of mounts" internal/confine/mount/tree_linux.go "attr, top := uint64(unix.MOUNT_ATTR_NOSUID)" "attr, top := uint64(0)" ./internal/confine TestAttacks/find_a_mount_where_a_setuid_program_raises
mutation "a setuid file by openat2" internal/confine/filter/rules_linux.go 'unix.SYS_IO_URING_REGISTER, unix.SYS_OPENAT2,' 'unix.SYS_IO_URING_REGISTER,' ./internal/confine/filter TestFilter
mutation "a confined home that is shared" internal/home/home.go 'a.Meta.Confine != ""' 'a.Meta.Confine == "x"' ./internal/test/script TestScripts/confine_home
mutation "a login renewed meanwhile" internal/account/login/change.go 'renewed := disk.MayExist(filepath.Join(a.Dir, apartLent)) && HoldsLogin(a)' 'renewed := false' ./internal/account/login TestEndChangeRenewed
mutation "sessions by a link" manager/verb/limits/sessions.go 'owner.Meta.Confine != "" {' 'owner.Meta.Confine == "x" {' ./internal/test/script TestScripts/confine_home
mutation "a weaker policy" shim/policy.go 'config.Stricter(meta.Confine, set.policy)' 'false' ./internal/test/script TestScripts/confine_account
mutation "a name of this machine" internal/confine/proxy/proxy.go 'dialer.Control = may.control' 'dialer.Control = nil' ./internal/confine/proxy TestProxyOwn TestProxyRebinding
mutation "an address of this machine" internal/confine/proxy/proxy.go 'addresses, err := net.InterfaceAddrs()' 'addresses, err := []net.Addr(nil), error(nil)' ./internal/confine/proxy TestProxyOwn
mutation "a private network" internal/confine/proxy/proxy.go 'of.IsPrivate() || ' '' ./internal/confine/proxy TestReach
mutation "two workspaces alike" internal/account/login/login.go 'identity(i).Account != first }' 'identity(i).Account == first && i < 0 }' ./internal/test/script TestScripts/login_twin
mutation "an account on hold" internal/limits/pool/choose.go 'if slices.Contains(p.Held, a.Key) {' 'if false {' ./internal/limits/pool TestChoose
mutation "the soonest reset" internal/limits/pool/choose.go 'cost{free, w.ResetsAt.Unix()}' 'cost{free, 0}' ./internal/limits/pool TestChoose
mutation "sums of names that cancel out" internal/home/rules/view.go '*n += Names(mixed(' '*n += Names((' ./internal/home/rules TestNamesDiffer
mutation "a broad token of a command" internal/bridge/token_unix.go 'if b.Kind != config.BridgeGitHub || b.Token.Host {' 'if b.Kind != config.BridgeGitHub || b.Token.Host || len(b.Token.Command) > 0 {' ./internal/test/script TestScripts/bridge_github
mutation "a host command's input" internal/bridge/host_unix.go 'cmd.WaitDelay = hostGrace' 'cmd.Stdin, cmd.WaitDelay = strings.NewReader("input\n"), hostGrace' ./internal/test/script TestScripts/bridge_host
mutation "a key that is shown" internal/account/login/login.go 'return Login{Mode: "api-key"}' 'return Login{Mode: "api-key", Email: *auth.APIKey}' ./manager/codex-swop TestSecrets
mutation "an install in a home of others" manager/verb/swop/install.go 'err := s.Owned(); err != nil' 'err := error(nil); err != nil' ./internal/test/script TestScripts/bad_owner
mutation "a version that is not kept" internal/home/replace.go 'e.there, as, func' 'e.there, dropped, func' ./internal/home TestRandom TestRace
mutation "a move under a program" internal/home/repair.go 'case idle, quiet && unopened && known:' 'case true, quiet && idle:' ./internal/home TestRandom
mutation "the earlier file shared" internal/home/seen.go 'return e.isNewer() && !e.isAsSeen' 'return !e.isAsSeen' ./internal/home TestRule
mutation "a database without its log" internal/home/database.go 'logs = append(logs, file)' '_ = file' ./internal/home TestRule
mutation "a victim that is not kept" internal/disk/dir.go 'if err = d.Move(ours, to, toName)' 'if err = d.Take(ours, to, toName)' ./internal/test/faults TestSaved
mutation "a live file in history" internal/home/history.go 'i.Same(disk.At(place)) || i.Same' 'false && i.Same(disk.At(place)) || false && i.Same' ./internal/home TestStaged
mutation "another file taken for a link's" internal/home/replace.go 'err == nil && was.Same(known) {' 'err == nil && was.Exists() {' ./internal/home TestRace
mutation "a mount point that is emptied" internal/disk/remove.go 'if at == path || strings' 'if false && strings' ./internal/test/script TestScripts/trap_remove
mutation "a file that is open" internal/home/repair.go 'case idle && known && !unopened:' 'case false:' ./internal/test/script TestScripts/waits_listed
mutation "an mv into a confined home" manager/verb/homes/history.go 'config.Within(v.Place, s.Store.AccountsDir()) || ' '' ./internal/test/script TestScripts/confine_home
mutation "a loop of links shared" internal/home/repair.go 'e.mine.IsLink() && disk' 'e.mine.IsDir() && disk' ./internal/home TestRule
mutation "removed under a program" internal/home/repair.go 'if e.mine.Exists() {' 'if e.mine.Exists() && e.there.Exists() {' ./internal/home TestRule
mutation "a field of a newer program" internal/account/json.go 'doc.read().text), &all)' 'doc.read().text[:0]), &all)' ./internal/account TestTexts
mutation "a session's XDG_CONFIG_HOME" config/xdg.go 'if env.Value(homeVariable) == os.Getenv' 'if true || env.Value(homeVariable) == os.Getenv' ./config TestLocatePlaces
mutation "a host command's name" internal/bridge/session_unix.go 'filepath.Join(dir, commandsDir, name)' 'filepath.Join(dir, name)' ./internal/test/script TestScripts/bridge_host
mutation "a login for other machines" config/settings.go 'is:"|bridged"' 'is:"|bridged|shared"' ./config TestParseSettingsRefuses
mutation "a root for all users of Windows" config/trust_windows.go 'CheckAboveRoot() error { return p.CheckProfile(p.Root) }' 'CheckAboveRoot() error { return nil }' ./internal/test/wine TestChild
mutation "one login in two accounts" internal/account/login/sameowner.go 'at < 0 ||' 'true ||' ./internal/test/script TestScripts/login_twin
mutation "what the stamp knows" internal/home/stamp_unix.go 'meta == rules.Names(m.Sum()) &&' '' ./internal/home TestHas
mutation "what a terminal obeys" internal/say/quote.go "r != '\\n' && !strconv.IsPrint(r)" 'false' ./internal/say TestComplain
[ "$survived" = 0 ]

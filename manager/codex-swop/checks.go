//go:build unix

package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"swop/manager/account"
	"swop/manager/login"
	"swop/manager/process"
	"swop/manager/projection"
	"swop/say"
)

func hintsOf(err error) []string { return say.Hints(err) }

func (a *app) checkChoice(s scene) check {
	choice, err := a.choose(s)
	if err != nil {
		return failed("choice", err)
	}
	if choice.Label == "" {
		return fine("choice", "codex runs without an account here")
	}
	if _, err := s.store.Find(choice.Label); err != nil {
		return warn("choice", "codex swop add "+say.ShellQuote(choice.Label), "codex would run as %q here, which is not added yet", choice.Label)
	}
	return fine("choice", "codex runs as %q here", choice.Label)
}

func checkEnvironment(s scene) []check {
	var checks []check
	for _, name := range login.OutrankedBy(s.Env) {
		checks = append(checks, warn("environment", "unset "+name, "%s is set: codex prefers it to any account's login", name))
	}
	return checks
}

// checkAccount examines one account.
func (a *app) checkAccount(s scene, acct account.Account, release string) []check {
	name := fmt.Sprintf("account %q", acct.Meta.Label)
	defects, err := projection.Examine(s.store, acct, s.Root, s.settings)
	if err != nil {
		return []check{failed(name, err)}
	}
	shown := login.Of(acct, s.Root.SharedHome.Path)
	checks := []check{fine(name, "login: %s", shown.Text())}
	switch shown.Mode {
	case "none":
		checks[0] = warn(name, "codex swop login "+say.ShellQuote(acct.Meta.Label), "has no login")
	case "unreadable":
		checks[0] = problem(name, "codex swop login "+say.ShellQuote(acct.Meta.Label), "its auth.json is no login of codex")
	}
	if info, err := os.Lstat(acct.AuthFile()); err == nil && info.Mode().IsRegular() && info.Mode()&0o077 != 0 {
		hint := "chmod 600 " + say.ShellQuote(acct.AuthFile())
		checks = append(checks, warn(name, hint, "its auth.json is open to other users (mode %#o)", info.Mode().Perm()))
	}
	if err := login.CheckConfig(acct, account.CodexCall{}); err != nil {
		checks = append(checks, failed(name, err))
	}
	for _, d := range defects {
		checks = append(checks, warn(name, "codex swop sync", "%q %s", d.Name, d.Text))
	}
	if kept, err := projection.Pinned(s.store, acct, s.settings); err == nil && len(kept) > 0 {
		hint := fmt.Sprintf("codex swop sync %s --share NAME", say.ShellQuote(acct.Meta.Label))
		checks = append(checks, warn(name, hint, "keeps to itself what the rules would share by now: %s", strings.Join(kept, ", ")))
	}
	if apart, err := projection.Unpaired(s.store, acct, s.Root); err == nil && len(apart) > 0 {
		checks = append(checks, warn(name, "set SWOP_ROOT to a directory on the file system of "+s.Root.SharedHome.Path,
			"has its own %s: it lies on another file system than the shared home", strings.Join(apart, ", ")))
	}
	checks = append(checks, checkSocket(name, acct.CodexHome(), release)...)
	return append(checks, checkServer(name, acct, a.now())...)
}

// maxSocket is the longest path of a socket, in bytes (unix(7): sun_path has 108, with a NUL).
const maxSocket = 107

// checkSocket finds a sandbox in which a release that puts its server's socket into the codex home, as up to 0.155, cannot open one.
func checkSocket(name, codexHome, release string) []check {
	n := len(codexHome + "/app-server-control/app-server-control.sock")
	if n <= maxSocket || !socketInHome(release) {
		return nil
	}
	return []check{warn(name, "use codex 0.158 or newer, or set SWOP_ROOT to a shorter path before adding accounts",
		"codex %s cannot start a background server in it: the path of its socket has %d bytes, %d are allowed", release, n, maxSocket)}
}

// socketInHome reports whether the release is 0.128 to 0.157.
func socketInHome(release string) bool {
	var minor int
	_, err := fmt.Sscanf(release, "0.%d.", &minor)
	return err == nil && minor >= 128 && minor < 158
}

// checkServer finds background servers that were started before the account's login was last changed.
func checkServer(name string, acct account.Account, now time.Time) []check {
	old, err := oldServers(acct, now)
	if err != nil {
		return []check{failed(name, err)}
	}
	var checks []check
	for _, server := range old {
		checks = append(checks, warn(name, "codex swop doctor --fix", "its background server %v goes on with an old login", server))
	}
	return checks
}

func oldServers(acct account.Account, now time.Time) ([]process.Process, error) {
	info, err := os.Stat(acct.AuthFile())
	if err != nil {
		return nil, nil //nolint:nilerr // there is no login that could be newer
	}
	servers, err := process.Servers(acct.CodexHome())
	if err != nil {
		return nil, err
	}
	var old []process.Process
	for _, server := range servers {
		if started, err := server.Started(now); err == nil && started.Add(time.Second).Before(info.ModTime()) {
			old = append(old, server)
		}
	}
	return old, nil
}

func checkDisplaced(s scene) check {
	list, err := projection.ListDisplaced(s.store)
	if err != nil {
		return failed("displaced", err)
	}
	if len(list) == 0 {
		return fine("displaced", "nothing is set aside")
	}
	return warn("displaced", "codex swop sync --displaced", "%s", counted(len(list), "version of a file is set aside", "versions of files are set aside"))
}

func checkTrash(s scene) check {
	left, err := s.store.Leftovers()
	if err != nil {
		return failed("trash", err)
	}
	if len(left) > 0 {
		return warn("trash", "codex swop sync", "%s, the first: %s", counted(len(left), "removal is unfinished", "removals are unfinished"), left[0])
	}
	return fine("trash", "empty")
}

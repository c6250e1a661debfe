//go:build unix

package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"swop/install"
	"swop/manager/account"
	"swop/manager/appserver"
	"swop/manager/projection"
	"swop/say"
	"swop/shim"
)

// fix mends what is safe to mend, and says what it did: nothing of the user's is removed, no session is disturbed, no decision is made that
// is the user's. What cannot be mended is for the checks to say.
func (a *app) fix(limit time.Duration) {
	s, err := a.look()
	if s.Home == "" || s.Owned() != nil {
		return
	}
	a.fixModes(s.Places.Root)
	a.fixInstallation(s, limit)
	if err != nil {
		if s, err = a.look(); err != nil {
			return
		}
	}
	a.fixTrash(s)
	accounts, _ := s.store.Accounts() // those that cannot be read are said by the checks
	for _, acct := range accounts {
		a.fixEntries(s, acct)
		a.fixServer(s, acct)
	}
}

// fixModes closes to others what is ours: the root and its directories, the sandboxes and the logins in them. A root is
// known by its root.json: SWOP_ROOT may name anything.
func (a *app) fixModes(root string) {
	if info, err := os.Lstat(filepath.Join(root, "root.json")); err != nil || !info.Mode().IsRegular() {
		return
	}
	dirs := []string{root}
	for _, pattern := range []string{"*", "accounts/*", "accounts/*/home", "accounts/*/home/.codex"} {
		found, _ := fs.Glob(os.DirFS(root), pattern) // fails for a bad pattern alone
		for _, name := range found {
			dirs = append(dirs, filepath.Join(root, name))
		}
	}
	for _, dir := range dirs {
		a.tighten(dir, unix.O_DIRECTORY, 0o700)
	}
	logins, _ := fs.Glob(os.DirFS(root), "accounts/*/home/.codex/auth.json")
	for _, login := range logins {
		a.tighten(filepath.Join(root, login), unix.O_NONBLOCK, 0o600)
	}
}

// tighten gives a file of this user's, no link, a mode if others have rights on it. Anything else is left.
func (a *app) tighten(path string, flags int, mode uint32) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC|flags, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || int(st.Uid) != os.Geteuid() || uint32(st.Mode)&0o077 == 0 {
		return
	}
	if kind := uint32(st.Mode) & unix.S_IFMT; kind != unix.S_IFDIR && kind != unix.S_IFREG {
		return
	}
	if err := unix.Fchmod(fd, mode); err != nil {
		a.say("not mended: %s: %v", say.Name(path), err)
		return
	}
	a.say("mended: %s was open to other users, and has mode %#o now", say.Name(path), mode)
}

// fixInstallation completes an install that was cut off, and puts swop's lines last again in the start-up files where a shell does not find
// the shim first. Who installed with --no-modify-path keeps his files as they are.
func (a *app) fixInstallation(s scene, limit time.Duration) {
	if install.PrefixOf(a.executable) == "" {
		return
	}
	a.fixWriters()
	o, err := a.installed(s)
	if err != nil {
		return
	}
	state, err := install.Examine(o)
	if err != nil {
		return
	}
	behind := state.OnPath && len(state.Outdated) > 0 && !a.allOurs(s, state, limit)
	if !behind && len(state.Leftovers) == 0 {
		return
	}
	o.NoModifyPath = !behind
	report, err := install.Install(o)
	for _, file := range state.Leftovers {
		if _, gone := os.Lstat(file); gone != nil {
			a.say("mended: %s is removed", say.Name(file))
		}
	}
	for _, c := range report.Changes {
		a.say("mended: %s %s", say.Name(c.Path), c.Action)
	}
	if err != nil {
		a.say("not mended: %v", err)
	}
}

// fixWriters takes the right to write from others where the files are this user's.
func (a *app) fixWriters() {
	for _, file := range a.installedFiles() {
		_, open := writers(file)
		if open == 0 {
			continue
		}
		if err := os.Chmod(file, open&^0o022); err != nil {
			a.say("not mended: %v", err)
			continue
		}
		a.say("mended: %s can be written by you alone now", say.Name(file))
	}
}

func (a *app) allOurs(s scene, state install.State, limit time.Duration) bool {
	for i, answers := range a.askAll(s, state.Shells, limit) {
		for _, c := range a.judge(state.Shells[i], answers, state) {
			if c.State != stateOK {
				return false
			}
		}
	}
	return true
}

func (a *app) fixTrash(s scene) {
	before, err := s.store.Leftovers()
	if err != nil || len(before) == 0 {
		return
	}
	err = s.store.EmptyTrash()
	after, _ := s.store.Leftovers() // those that stay are said by the checks
	if len(after) < len(before) {
		a.say("mended: finished %s", counted(len(before)-len(after), "removal", "removals"))
	}
	if err != nil {
		a.say("not mended: %v", err)
	}
}

// fixEntries makes the sandbox whole, as every start of codex does.
func (a *app) fixEntries(s scene, acct account.Account) {
	before, err := projection.Examine(s.store, acct, s.Root, s.settings)
	if err != nil || len(before) == 0 {
		return
	}
	if err := a.syncOne(s, acct); err != nil {
		a.say("not mended: account %q: %v", acct.Meta.Label, err)
		return
	}
	after, err := projection.Examine(s.store, acct, s.Root, s.settings)
	if err == nil && len(after) < len(before) {
		a.say("mended %s of %q", counted(len(before)-len(after), "entry", "entries"), acct.Meta.Label)
	}
}

// fixServer stops a background server that goes on with an old login, unless it runs a turn: the next codex starts another.
func (a *app) fixServer(s scene, acct account.Account) {
	old, err := oldServers(acct, a.now())
	if err != nil || len(old) == 0 {
		return
	}
	ready := shim.Prepared{Account: acct, Root: s.Root, Settings: s.settings}
	stop := appserver.StopOptions{CodexHome: acct.CodexHome(), Env: s.Environment(ready)}
	if real, err := a.codex(s); err == nil {
		stop.Codex = []string{real.Path}
	}
	if err := appserver.Stop(context.Background(), stop); err != nil {
		a.say("not mended: %v", err)
		return
	}
	a.say("mended: stopped %s of %q, which went on with an old login", counted(len(old), "background server", "background servers"), acct.Meta.Label)
}

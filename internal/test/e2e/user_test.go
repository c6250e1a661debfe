//go:build linux

package e2e

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/test/e2e/responses"
	"swop/internal/test/testhome"
)

// A user has a fresh HOME, an environment without anything of the developer's, and a model on loopback.
type user struct {
	t    *testing.T
	home string
	root string // swop's own directory
	work string // the working directory of every command, below home
	env  []string

	programs programs
	model    *responses.Server
}

// newUser makes a user who has both the shim and the real codex on PATH.
func newUser(t *testing.T) *user {
	t.Helper()
	t.Parallel()
	return makeUserAt(t, allPrograms(t), freshHome(t, "home-"))
}

// lean leaves out of a session what codex does for itself: asking github.com for its list of plugins, and a dozen processes that take down
// what the shell defines. TestMatrix and TestREADME show it whole.
const lean = "features = { plugins = false, shell_snapshot = false }\n"

func makeUserAt(t *testing.T, p programs, home string) *user {
	t.Helper()
	u := &user{t: t, home: home, root: filepath.Join(home, ".swop"), work: filepath.Join(home, "work"), model: responses.Start()}
	t.Cleanup(u.model.Close)
	t.Cleanup(func() { reap(t, home) })
	for _, dir := range []string{u.work, u.shared()} {
		testhome.NoError(t, os.Mkdir(dir, 0o700))
	}
	u.write(".codex/config.toml", lean+u.model.Config())
	u.use(p)
	return u
}

// use puts the programs on PATH.
func (u *user) use(p programs) {
	u.t.Helper()
	u.programs = p
	path := strings.TrimPrefix(strings.Join([]string{p.swop, p.real, p.node, "/usr/bin", "/bin"}, ":"), ":")
	// for what codex leaves there
	u.env = []string{"HOME=" + u.home, "PATH=" + path, "LANG=C.UTF-8", "TERM=xterm-256color", "SHELL=/bin/sh", "TMPDIR=" + os.TempDir()}
	// Codex runs commands in a login shell, where /etc/profile sets PATH again.
	u.write(".profile", "PATH="+path+"\n")
	u.hasServer(u.shared())
}

// hasServer makes the codex home one where the terminal interface has started its server before: releases that have one copy themselves,
// 400 MB, into packages/ then. TestMatrix and TestREADME show the first time.
func (u *user) hasServer(home string) {
	u.t.Helper()
	native := nativeDir(u.programs.real)
	if native == "" {
		return // there is no codex, or another one
	}
	current := filepath.Join(home, "packages", "app-server-daemon", "current")
	testhome.NoError(u.t, os.MkdirAll(filepath.Dir(current), 0o700))
	testhome.NoError(u.t, errors.Join(ignoreMissing(os.Remove(current)), os.Symlink(filepath.Dir(native), current)))
}

// neverHadServer undoes that.
func (u *user) neverHadServer() {
	u.t.Helper()
	testhome.NoError(u.t, os.RemoveAll(filepath.Join(u.shared(), "packages")))
}

// nativeDir returns the directory of the native binary that npm's launcher in the directory real starts, real itself where it is that one,
// "" if there is not one that lies alone there, as newer releases have it.
func nativeDir(real string) string {
	if strings.Contains(real, "/vendor/") {
		return real
	}
	dirs, err := filepath.Glob(filepath.Join(real, "..", "@openai", "codex-*", "vendor", "*", "bin"))
	if err != nil || len(dirs) != 1 {
		return ""
	}
	return dirs[0]
}

// useNative makes the native binary, in its place in npm's package, the real codex.
func (u *user) useNative() {
	u.t.Helper()
	p := u.programs
	if p.real = nativeDir(p.real); p.real == "" {
		u.t.Fatalf("%q has no launcher of one native binary", u.programs.real)
	}
	u.use(p)
}

// useExecveNode has npm's launcher run under a Node with which it becomes the native binary instead of starting it.
func (u *user) useExecveNode() {
	u.t.Helper()
	node, err := installedNode()
	if err != nil {
		u.t.Fatalf("no Node with process.execve: %v", err)
	}
	p := u.programs
	p.node = node
	u.use(p)
	u.runInstalled()
}

// runInstalled has the shim run npm's launcher, not what that would start.
func (u *user) runInstalled() {
	u.t.Helper()
	u.write(".config/swop/config.toml", "launch = \"as-installed\"\n")
}

// sandboxed are the tests whose home may not lie in /dev: codex's own sandbox has another one.
var sandboxed = regexp.MustCompile(`Sandbox|^TestConfined/`)

// freshHome makes a directory whose name begins with prefix, in memory if that has room.
func freshHome(t *testing.T, prefix string) string {
	t.Helper()
	dir, err := cacheDir()
	testhome.NoError(t, err)
	testhome.NoError(t, os.MkdirAll(dir, 0o755))
	var room unix.Statfs_t
	if memory := testhome.ProgramScratch(); memory != os.TempDir() && !sandboxed.MatchString(t.Name()) &&
		unix.Statfs(memory, &room) == nil && room.Bavail*uint64(room.Bsize) > 6<<30 {
		dir, prefix = memory, "swop-"+prefix
	}
	home, err := os.MkdirTemp(dir, prefix)
	testhome.NoError(t, err)
	t.Cleanup(func() {
		_ = exec.Command("chmod", "-R", "u+rwX", home).Run() // a killed session leaves a directory of overlayfs without rights
		testhome.NoError(t, os.RemoveAll(home))
	})
	return home
}

// write puts a file below the home, and makes the directories above it; a script is a program.
func (u *user) write(name, content string) {
	u.t.Helper()
	mode := os.FileMode(0o600)
	if strings.HasPrefix(content, "#!") {
		mode = 0o700
	}
	u.mkdir(filepath.Dir(name))
	testhome.NoError(u.t, os.WriteFile(filepath.Join(u.home, name), []byte(content), mode))
}

// mkdir makes a directory below the home.
func (u *user) mkdir(name string) {
	u.t.Helper()
	testhome.NoError(u.t, os.MkdirAll(filepath.Join(u.home, name), 0o700))
}

// shared is the codex home whose state all accounts share.
func (u *user) shared() string { return filepath.Join(u.home, ".codex") }

// sandbox is the codex home inside the sandbox of the account with this key.
func (u *user) sandbox(key string) string { return filepath.Join(u.accounts(), key, "home", ".codex") }

// accounts is the directory of the sandboxes.
func (u *user) accounts() string { return filepath.Join(u.root, "accounts") }

// turn waits until codex asks the model with text.
func (u *user) turn(text string) responses.Request {
	u.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, err := u.model.Turn(ctx, text)
	testhome.NoError(u.t, err)
	return r
}

// login gives ~/.codex a login by API key, with no account.
func (u *user) login(key string) {
	u.t.Helper()
	u.ok(u.direct("login", "--with-api-key").fed(key))
}

//go:build linux

package e2e

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"swop/internal/test/e2e/realcodex"
	"swop/internal/test/testhome"
)

// What happens to the real codex around an installed swop: upgrades, removals, another kind of installation. The shim must run what is
// there, or say what to do, and stay the same file.

// older is a release before [realcodex.Version] that has `codex update`.
const older = "0.155.0"

// npmPatience is for npm, which may have to download 100 MB.
const npmPatience = 5 * time.Minute

// An installedUser has swop as install places it, and npm's global packages in the user's own prefix.
type installedUser struct {
	*user
	bin string // where swop is
}

// newInstalledUser installs swop with its own verb and puts the lines into effect as a user does, by new shells. There is an account,
// which is the active one.
func newInstalledUser(t *testing.T) installedUser {
	t.Helper()
	u := installedUser{user: newUser(t)}
	u.bin = filepath.Join(u.home, ".local", "share", "swop", "bin")
	for _, dir := range []string{"bin", "npm"} {
		u.mkdir(dir)
	}
	u.hasFishCompletions()
	u.write("bin/npm", pinnedNPM)
	u.write(".bashrc", "# mine\n")
	u.write(".profile", "")
	u.env = append([]string{
		"HOME=" + u.home, "LANG=C.UTF-8", "TERM=dumb", "SHELL=/bin/bash",
		"PATH=" + strings.Join([]string{filepath.Join(u.home, "bin"), filepath.Join(u.home, "npm", "bin"), u.programs.node, "/usr/bin", "/bin"}, ":"),
		"npm_config_prefix=" + filepath.Join(u.home, "npm"), "npm_config_update_notifier=false", "LATEST=" + realcodex.Version,
	}, npmSettings(t)...)
	u.ok(u.command(filepath.Join(u.programs.swop, "codex-swop"), "install"))
	u.programs.swop = u.bin
	return u
}

// pinnedNPM is npm with a fixed "latest", which would otherwise be another release every few days.
const pinnedNPM = `#!/bin/sh
echo "HOME=$HOME npm $*" >>"${0%/*}/npm.log"
[ "$*" != 'install -g @openai/codex' ] || set -- install -g "@openai/codex@$LATEST"
PATH=${PATH#"${0%/*}:"}
PATH=$(printf %s "$PATH" | sed "s|${0%/*}:||g")
exec npm "$@"
`

// npmSettings are what npm needs of the developer's configuration, which it reads from HOME.
func npmSettings(t *testing.T) []string {
	t.Helper()
	var settings []string
	for _, name := range []string{"registry", "cache"} {
		out, err := exec.Command("npm", "config", "get", name).Output()
		if err != nil {
			t.Fatalf("npm config get %s: %v", name, err)
		}
		settings = append(settings, "npm_config_"+name+"="+strings.TrimSpace(string(out)))
	}
	return append(settings, given("NODE_EXTRA_CA_CERTS")...)
}

// newShell is a command line in a new interactive bash.
func (u installedUser) newShell(line string) *command {
	ctx, cancel := context.WithTimeout(context.Background(), npmPatience)
	u.t.Cleanup(cancel)
	c := u.command("/bin/bash", "-ic", line)
	run := exec.CommandContext(ctx, c.Path, c.Args[1:]...)
	run.Dir, run.Env, run.Stdout, run.Stderr, run.WaitDelay = c.Dir, c.Env, c.Stdout, c.Stderr, c.WaitDelay
	c.Cmd = run
	return c
}

// runs checks that codex in a new shell is the release, under the account, through the shim.
func (u installedUser) runs(release string) {
	u.t.Helper()
	r := u.ok(u.newShell("command -v codex; codex --version"))
	if want := filepath.Join(u.bin, "codex") + "\ncodex-cli " + release + "\n"; r.stdout != want {
		u.t.Errorf("a new shell says %q, want %q; stderr %q", r.stdout, want, r.stderr)
	}
	prompt := fmt.Sprintf("is this %s, in shell %d?", release, time.Now().UnixNano())
	u.ok(u.newShell("codex exec --skip-git-repo-check '" + prompt + "' </dev/null"))
	if got := u.turn(prompt).Bearer; got != workLogin {
		u.t.Errorf("codex %s sends %q, want the account's %q", release, got, workLogin)
	}
}

// doctor returns what doctor says in a new shell, with its status.
func (u installedUser) doctor(status int, flags ...string) string {
	u.t.Helper()
	return u.want(status, u.newShell("'"+filepath.Join(u.bin, "codex")+"' swop doctor "+strings.Join(flags, " "))).stdout
}

// sums are the programs of swop: a run that replaced one of them changes it.
func (u installedUser) sums() string {
	u.t.Helper()
	text := ""
	for _, name := range []string{"codex", "codex-swop"} {
		file := filepath.Join(u.bin, name)
		data := readText(u.t, file)
		info, err := os.Lstat(file)
		testhome.NoError(u.t, err)
		text += fmt.Sprintf("%s %v %v %x\n", name, info.Mode(), info.ModTime(), sha256.Sum256([]byte(data)))
	}
	return text
}

func wantText(t *testing.T, what, got string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(got, want) {
			t.Errorf("%s has no %q:\n%s", what, want, got)
		}
	}
}

// npmPackage returns the directory of the native program and its files, in the layout of npm's global install.
func (u installedUser) npmPackage() string {
	u.t.Helper()
	return u.vendor(filepath.Join(u.home, "npm", "lib", "node_modules", "@openai", "codex", "node_modules"))
}

// nativePackage is the same of the release that all tests run.
func (u installedUser) nativePackage() string {
	u.t.Helper()
	return u.vendor(filepath.Dir(u.programs.real))
}

func (u installedUser) vendor(modules string) string {
	u.t.Helper()
	pattern := filepath.Join(modules, "@openai", "codex-*", "vendor", "*")
	dirs, err := filepath.Glob(pattern)
	if err != nil || len(dirs) != 1 {
		u.t.Fatalf("native packages %q: %q, want one: %v", pattern, dirs, err)
	}
	return dirs[0]
}

func readText(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	testhome.NoError(t, err)
	return string(text)
}

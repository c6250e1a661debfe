//go:build linux

package e2e

import (
	"crypto/sha256"
	"fmt"
	"os"
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
	releases, err := realcodex.CacheDir()
	testhome.NoError(t, err)
	programsOf(t, release{version: older})
	u.mkdir("npm/bin")
	u.hasFishCompletions()
	u.write("bin/npm", linkingNPM)
	u.write(".bashrc", "# mine\n")
	u.write(".profile", "")
	u.env = []string{
		"HOME=" + u.home, "LANG=C.UTF-8", "TERM=dumb", "SHELL=/bin/bash",
		"PATH=" + strings.Join([]string{filepath.Join(u.home, "bin"), filepath.Join(u.home, "npm", "bin"), u.programs.node, "/usr/bin", "/bin"}, ":"),
		"npm_config_prefix=" + filepath.Join(u.home, "npm"), "RELEASES=" + releases, "LATEST=" + realcodex.Version,
	}
	u.ok(u.command(filepath.Join(u.programs.swop, "codex-swop"), "install"))
	u.programs.swop = u.bin
	return u
}

// linkingNPM installs releases that are at hand, by links; "latest" is a fixed one. TestREADME has the real npm.
const linkingNPM = `#!/bin/sh
echo "HOME=$HOME npm $*" >>"${0%/*}/npm.log"
rm -f "$npm_config_prefix/bin/codex"
case $* in
"uninstall -g @openai/codex") exit ;;
"install -g @openai/codex") version=$LATEST ;;
"install -g @openai/codex@"*) version=${*##*@} ;;
*) exit 1 ;;
esac
ln -s "$RELEASES/codex-$version/node_modules/@openai/codex/bin/codex.js" "$npm_config_prefix/bin/codex"
`

// newShell is a command line in a new interactive bash.
func (u installedUser) newShell(line string) *command { return u.command("/bin/bash", "-ic", line) }

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

func readText(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	testhome.NoError(t, err)
	return string(text)
}

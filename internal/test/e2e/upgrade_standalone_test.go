//go:build linux

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/test/e2e/realcodex"
)

// A standaloneInstaller does what that of codex does: a release below the codex home, a link to it in ~/.local/bin, and lines at the end of
// .bashrc where that is not on PATH. It runs from curl, as `codex update` of such an installation runs it.
const standaloneInstaller = `set -eu
root=${CODEX_HOME:-$HOME/.codex}/packages/standalone
release=$root/releases/$STANDALONE-target
mkdir -p "$root/releases" "$HOME/.local/bin"
[ -d "$release" ] || cp -al "$SOURCES/$STANDALONE/." "$release" 2>/dev/null || { rm -rf "$release"; cp -a "$SOURCES/$STANDALONE/." "$release"; }
ln -sfn "$release" "$root/current"
ln -sfn "$root/current/bin/codex" "$HOME/.local/bin/.codex.$$"
mv -Tf "$HOME/.local/bin/.codex.$$" "$HOME/.local/bin/codex"
case ":$PATH:" in
*":$HOME/.local/bin:"*) ;;
*) printf '\n# >>> Codex installer >>>\nexport PATH="%s:$PATH"\n# <<< Codex installer <<<\n' "$HOME/.local/bin" >>"$HOME/.bashrc" ;;
esac
`

// A codex that moves from npm to a standalone installation puts itself before the shim in .bashrc: doctor sees it and repairs it, and from
// then on its own updates go through the shim. Inside of a session the installer takes the sandbox's HOME for the user's and adds that to
// .bashrc: the same again.
func TestUpgradeToStandalone(t *testing.T) {
	u := newInstalledUser(t)
	u.ok(u.newShell("npm install -g @openai/codex@" + older))
	u.sources()
	u.ok(u.newShell("codex swop add work --with-api-key && codex swop use work").fed(workLogin))
	before := u.sums()
	u.runs(older)

	u.ok(u.newShell("npm uninstall -g @openai/codex; STANDALONE=" + realcodex.Version +
		"; export STANDALONE; eval \"$(curl -fsSL https://chatgpt.com/codex/install.sh)\""))
	link := filepath.Join(u.home, ".local", "bin", "codex")
	if got := u.ok(u.newShell("command -v codex")).stdout; got != link+"\n" {
		t.Fatalf("after the installer a new shell finds codex at %q, want %q: this test proves nothing", got, link)
	}
	said := u.doctor(1)
	wantText(t, "doctor", said, "path: codex is "+link+" here, not swop's", "hint: "+filepath.Join(u.bin, "codex")+" swop install")
	u.ok(u.command("sh", "-c", hintOf(said)))
	wantText(t, "doctor", u.doctor(0), "real codex: "+link+" is")
	u.runs(realcodex.Version)

	r := u.ok(u.newShell("STANDALONE=" + older + " codex update </dev/null"))
	wantText(t, "codex update", r.stdout+r.stderr, "chatgpt.com/codex/install.sh")
	u.runs(older)

	u.ok(u.newShell("STANDALONE=" + realcodex.Version + " codex swop run work -- sh -c 'PATH=/usr/bin:/bin; eval \"$('" + u.home +
		"/bin/curl')\"'"))
	wantText(t, "doctor after an update in a session", u.doctor(1), "hint: "+filepath.Join(u.bin, "codex")+" swop install")
	u.ok(u.newShell("'" + filepath.Join(u.bin, "codex") + "' swop doctor | sed -n 's/^ *hint: //p' >hints; . ./hints"))
	u.runs(realcodex.Version)
	if after := u.sums(); after != before {
		t.Errorf("swop's programs are\n%s\nwant\n%s", after, before)
	}
	u.ok(u.newShell("codex swop uninstall --yes"))
	if text := readText(t, filepath.Join(u.home, ".bashrc")); strings.Contains(text, "swop >>>") ||
		!strings.HasPrefix(text, "# mine\n\n# >>> Codex installer") {
		t.Errorf("after uninstall .bashrc is %q", text)
	}
	if got := u.ok(u.newShell("codex --version")).stdout; got != "codex-cli "+realcodex.Version+"\n" {
		t.Errorf("after uninstall codex --version prints %q", got)
	}
}

// sources puts the releases to install where the installer looks, and a curl that prints the installer first on PATH.
func (u *installedUser) sources() {
	u.t.Helper()
	dir := filepath.Join(u.home, "sources")
	u.ok(u.command("/bin/sh", "-c", `mkdir "$1"; for v in "$2" "$3"; do ln -s "$RELEASES/codex-$v/node_modules/@openai/codex-"*/vendor/* "$1/$v"; done`,
		"sh", dir, older, realcodex.Version))
	u.write("installer", standaloneInstaller)
	u.write("bin/curl", "#!/bin/sh\ncat '"+filepath.Join(u.home, "installer")+"'\n")
	u.env = append(u.env, "SOURCES="+dir)
}

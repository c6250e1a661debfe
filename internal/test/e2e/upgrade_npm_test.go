//go:build linux

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/test/e2e/realcodex"
)

// npm installs, `codex update` upgrades, npm uninstalls and installs again: each new shell runs through the shim what is there.
func TestUpgradeNPM(t *testing.T) {
	u := newInstalledUser(t)
	u.ok(u.newShell("npm install -g @openai/codex@" + older))
	u.ok(u.newShell("codex swop add work --with-api-key && codex swop use work").fed(workLogin))
	before := u.sums()
	u.runs(older)

	u.ok(u.newShell("codex update </dev/null"))
	log := readText(t, filepath.Join(u.home, "bin", "npm.log"))
	if want := "HOME=" + u.home + " npm install -g @openai/codex\n"; !strings.HasSuffix(log, want) {
		t.Errorf("codex update called npm as\n%s\nwant at the end %q: with the user's own HOME", log, want)
	}
	u.runs(realcodex.Version)
	wantText(t, "doctor", u.doctor(0), "codex-cli "+realcodex.Version, "tested with")

	u.ok(u.newShell("npm uninstall -g @openai/codex"))
	for _, line := range []string{"codex --version", "codex update", "SWOP_BYPASS=1 codex --version"} {
		r := u.want(127, u.newShell(line))
		wantText(t, line+" without a codex", r.stderr, "swop: the real codex was not found", "hint: npm install -g @openai/codex")
	}
	wantText(t, "doctor", u.doctor(1), "problem  real codex: the real codex was not found", "hint: npm install -g @openai/codex")
	wantText(t, "list", u.ok(u.newShell("codex swop list")).stdout, "work")

	u.ok(u.newShell(hintOf(u.doctor(1)))) // pasted
	u.runs(realcodex.Version)
	if after := u.sums(); after != before {
		t.Errorf("swop's programs are\n%s\nwant\n%s", after, before)
	}
	if strings.Contains(u.doctor(0), "problem") {
		t.Error("doctor has a problem at the end")
	}
}

// hintOf is the first hint of doctor's.
func hintOf(doctor string) string {
	_, rest, _ := strings.Cut(doctor, "hint: ")
	return firstLine(rest)
}

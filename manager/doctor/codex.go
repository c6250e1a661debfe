package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"swop/codexsandbox"
	"swop/config"
	"swop/internal/say"
	"swop/internal/session"
	"swop/internal/session/launcher"
	"swop/shim"
)

// patience is how long codex may take to answer, on a busy machine.
const patience = 30 * time.Second

// checkCodex finds the real codex and asks it for its release.
func checkCodex(x *exam) {
	real, err := x.Codex()
	if err != nil {
		x.failed(err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	text, err := session.Asking(x.Invocation, real, x.Settings, "--version").Output(ctx, 4096)
	if ctx.Err() != nil {
		err = fmt.Errorf("no answer within %v", patience)
	}
	if err != nil {
		x.problem("SWOP_BYPASS=1 codex --version", "codex --version, which runs %s: %v", real.Path, err)
		return
	}
	x.judgeRelease(real.Path, strings.TrimSpace(text))
	if real.Noted {
		hint := fmt.Sprintf("put %s on PATH, or in config.toml: codex = %q", filepath.Dir(real.Path), real.Path)
		x.warn(hint, "no codex is on PATH here; an earlier start found %s", real.Path)
	}
}

// judgeRelease says whether swop was tested with a release such as codex-cli 0.169.0. A newer one is no reason for a warning: one comes
// every few days, and its new entries are shared by rule. An older one may lack options that the accounts need, and a program that names no
// release is no Codex CLI.
func (x *exam) judgeRelease(file, text string) {
	said := fmt.Sprintf("%s is %q; swop is tested with %s to %s", say.Name(file), text, shim.OldestTested, shim.NewestTested)
	r, err := codexsandbox.ParseRelease(text)
	switch {
	case err != nil:
		x.warn("npm install -g @openai/codex", "%s says %q, which is no release of OpenAI's Codex CLI", say.Name(file), text)
	case compare(r, tested(shim.OldestTested)) < 0:
		x.warn("npm install -g @openai/codex", "%s", said)
	case compare(r, tested(shim.NewestTested)) > 0:
		x.fine("%s: this one is newer than tested", said)
	default:
		x.fine("%s", said)
	}
}

// tested returns a release that the shim names.
func tested(version string) codexsandbox.Release {
	r, _ := codexsandbox.ParseRelease("codex-cli " + version) // a test reads both
	return r
}

func compare(a, b codexsandbox.Release) int {
	return cmp.Or(cmp.Compare(a.Major, b.Major), cmp.Compare(a.Minor, b.Minor), cmp.Compare(a.Patch, b.Patch))
}

// checkFastStart says whether swop starts the program of npm's launcher in the launcher's place, or why not. It asks a launcher that was
// not asked yet, or not understood.
func checkFastStart(x *exam) {
	real, err := x.Codex()
	if err != nil || x.Env.Value("SWOP_BYPASS") == "1" {
		return // checkCodex reports it
	}
	if x.Settings.Launch != config.LaunchNative {
		x.fine("off: config.toml says launch = %q", x.Settings.Launch)
		return
	}
	l, ok := real.Launcher()
	if !ok {
		if real.Script() { // a program starts fast
			x.fine("off: %s is not npm's launcher, and runs as installed", say.Name(real.Path))
		}
		return
	}
	answer, err := launcher.Ask(l, x.Places, x.Env, true)
	start, _ := real.Launch(&x.Places, []string{"codex"}, x.Env, x.Settings.Launch)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		x.fine("off: npm's launcher runs until the first account is there")
	case err != nil:
		x.warn("", "off: npm's launcher cannot be asked what it starts: %v", err)
	case answer.Why != "":
		x.warn("", "off: %s runs as installed: %s", say.Name(real.Path), answer.Why)
	case start.Path == real.Path:
		x.warn("", "off: %s runs as installed, because Node would change an argument, a variable or PATH", say.Name(real.Path))
	default:
		x.fine("on: codex runs without npm's launcher")
	}
}

package doctor

import (
	"context"
	"fmt"
	"os/exec"
	"strings"

	"swop/account/process"
	"swop/codexsandbox"
	"swop/install"
	"swop/say"
	"swop/shim"
)

// codex returns the real codex, as a call finds it.
func (x *exam) codex() (shim.Program, error) {
	i := x.Invocation
	i.Env = install.WithoutShims(x.Env)
	return i.FindCodex(x.Settings, x.shim())
}

// checkCodex finds the real codex and asks it for its release.
func checkCodex(x *exam) []Finding {
	real, err := x.codex()
	if err != nil {
		return failed(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	text, err := process.Ask(ctx, exec.Cmd{Path: real.Path, Args: []string{real.Path, "--version"}, Env: x.Env.With("SWOP_BYPASS", "1")}, 4096)
	if ctx.Err() != nil {
		err = fmt.Errorf("no answer within %v", patience)
	}
	if err != nil {
		return problem("npm install -g @openai/codex", "%s --version: %v", real.Path, err)
	}
	return judgeRelease(real.Path, strings.TrimSpace(text))
}

// The first and the last release of docs/evidence/matrix.md.
var oldest, newest = codexsandbox.Release{Minor: 29}, codexsandbox.Release{Minor: 169}

// judgeRelease says whether swop was tested with a release such as codex-cli 0.169.0. A newer one is no reason for a warning: one comes every few
// days, and what it adds is shared by rule. An older one may lack what the accounts rest on, and
// a program that names no release is another one of that name.
func judgeRelease(file, text string) []Finding {
	said := fmt.Sprintf("%s is %q; swop is tested with %s to %s", say.Name(file), text, oldest, newest)
	r, err := codexsandbox.ParseRelease(text)
	switch {
	case err != nil:
		return warn("npm install -g @openai/codex", "%s says %q, which is no release of OpenAI's Codex CLI", say.Name(file), text)
	case r.Before(oldest.Minor):
		return warn("npm install -g @openai/codex", "%s", said)
	}
	return fine("%s", said)
}

//go:build unix

package doctor

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

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
	cmd := exec.CommandContext(ctx, real.Path, "--version")
	cmd.Env = x.Env.With("SWOP_BYPASS", "1")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if ctx.Err() != nil {
		err = fmt.Errorf("no answer within %v", patience)
	}
	if err != nil {
		return problem("npm install -g @openai/codex", "%s --version: %v", real.Path, err)
	}
	text := strings.TrimSpace(string(out)) // codex-cli 0.169.0
	x.release, _ = parseRelease(text)
	return judgeRelease(real.Path, text)
}

// judgeRelease says whether swop was tested with a release. A newer one is no reason for a warning: one comes every few days, and what it
// adds is shared by rule. An older one may lack what the accounts rest on.
func judgeRelease(file, text string) []Finding {
	said := fmt.Sprintf("%s is %q", say.Name(file), text)
	at, ok := parseRelease(text)
	tested := testedReleases()
	oldest, newest := tested[0], tested[len(tested)-1]
	switch {
	case !ok:
		return fine("%s", said)
	case slices.Contains(tested, at):
		return fine("%s, a release that swop is tested with", said)
	case at.compare(oldest) < 0:
		return warn("npm install -g @openai/codex", "%s, older than %s, the oldest that swop is tested with", said, oldest)
	case at.compare(newest) > 0:
		return fine("%s, newer than %s, the newest that this swop is tested with", said, newest)
	}
	return fine("%s, not itself tested; older and newer releases are", said)
}

// A codexRelease is major, minor and patch.
type codexRelease [3]int

// testedReleases are those of docs/evidence/matrix.md, in their order.
func testedReleases() []codexRelease {
	return []codexRelease{
		{0, 29, 0}, {0, 47, 0}, {0, 59, 0}, {0, 77, 0}, {0, 92, 0}, {0, 113, 0}, {0, 128, 0}, {0, 144, 6}, {0, 155, 0}, {0, 169, 0},
	}
}

// parseRelease reads the last word of what codex says, as 0.169.0; 0.170.0-alpha.3 counts as 0.170.0.
func parseRelease(text string) (r codexRelease, ok bool) {
	_, err := fmt.Sscanf(text[strings.LastIndexByte(text, ' ')+1:], "%d.%d.%d", &r[0], &r[1], &r[2])
	return r, err == nil
}

func (r codexRelease) compare(other codexRelease) int {
	return slices.CompareFunc(r[:], other[:], cmp.Compare[int])
}

func (r codexRelease) String() string { return fmt.Sprintf("%d.%d.%d", r[0], r[1], r[2]) }

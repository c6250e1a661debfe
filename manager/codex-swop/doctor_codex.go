//go:build unix

package main

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"swop/say"
)

// codexLimit is how long the real codex may take to say its release: npm's launcher takes 41 ms, a cold disk more.
const codexLimit = 30 * time.Second

// checkCodex finds the real codex and asks it for its release, "" where it does not tell.
func (a *app) checkCodex(s scene, limit time.Duration) (c check, release string) {
	env := s.Env
	s.Env = withoutShims(env)
	real, err := a.codex(s)
	if err != nil {
		return failed("real codex", err), ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, real.Path, "--version")
	cmd.Env = env.With("SWOP_BYPASS", "1")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if ctx.Err() != nil {
		err = fmt.Errorf("no answer within %v", limit)
	}
	if err != nil {
		return problem("real codex", "npm install -g @openai/codex", "%s --version: %v", real.Path, err), ""
	}
	text := strings.TrimSpace(string(out)) // codex-cli 0.169.0
	release = text[strings.LastIndexByte(text, ' ')+1:]
	return judgeRelease(real.Path, text, release), release
}

// judgeRelease says whether swop was tried with a release. A newer one is no reason for a warning: one comes every few days, and what it
// adds is shared by rule. An older one may lack what the accounts rest on.
func judgeRelease(file, text, release string) check {
	said := fmt.Sprintf("%s is %q", say.Name(file), text)
	at, ok := parseRelease(release)
	if !ok {
		return fine("real codex", "%s", said)
	}
	tried := triedReleases()
	oldest, newest := tried[0], tried[len(tried)-1]
	switch {
	case slices.Contains(tried, at):
		return fine("real codex", "%s, a release that swop is tested with", said)
	case at.compare(oldest) < 0:
		return warn("real codex", "npm install -g @openai/codex", "%s, older than %s, the oldest that swop is tested with", said, oldest)
	case at.compare(newest) > 0:
		return fine("real codex", "%s, newer than %s, the newest that this swop is tested with", said, newest)
	}
	return fine("real codex", "%s, between releases that swop is tested with", said)
}

// A codexRelease is major, minor and patch.
type codexRelease [3]int

// triedReleases are those of docs/matrix.md, in their order.
func triedReleases() []codexRelease {
	return []codexRelease{
		{0, 29, 0}, {0, 47, 0}, {0, 59, 0}, {0, 77, 0}, {0, 92, 0}, {0, 113, 0}, {0, 128, 0}, {0, 144, 6}, {0, 155, 0}, {0, 169, 0},
	}
}

// parseRelease reads "0.169.0" and what begins like it, as "0.170.0-alpha.3", which counts as 0.170.0.
func parseRelease(text string) (r codexRelease, ok bool) {
	n, err := fmt.Sscanf(text, "%d.%d.%d", &r[0], &r[1], &r[2])
	return r, n == len(r) && err == nil
}

func (r codexRelease) compare(other codexRelease) int {
	return slices.CompareFunc(r[:], other[:], cmp.Compare[int])
}

func (r codexRelease) String() string { return fmt.Sprintf("%d.%d.%d", r[0], r[1], r[2]) }

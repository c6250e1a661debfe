//go:build linux

package e2e

import (
	"path/filepath"
	"testing"

	"swop/config"
	"swop/internal/test/testhome"
)

// TestDocsSandbox runs the verb in the real codex's sandbox, and then a new Go program, in a module of its own outside of the repository.
func TestDocsSandbox(t *testing.T) {
	testhome.Needs(t, "bwrap")
	u := newReader(t)
	newClone(t, filepath.Join(u.home, "src", "swop"))
	// so that the next run finds what this one compiled
	u.env = append(append(u.env, goEnv(t)...), "GOFLAGS=-trimpath", "PATH="+config.Env(u.env).Value("PATH")+":"+u.tools("go"))
	u.follow("docs/sandbox.md", tally{run: 10})
}

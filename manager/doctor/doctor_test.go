//go:build unix

package doctor

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"swop/config"
	"swop/internal/say"
)

// Where the files cannot be read, the reason is the last finding: what needs them is left out. No hint calls a codex that is not swop's.
func TestExamineUnreadable(t *testing.T) {
	s := Subject{Err: say.WithHint(errors.New("unreadable"), "codex swop doctor --fix"), Program: filepath.Join(t.TempDir(), "codex-swop")}
	s.Env = config.Env{"PATH=/none"}
	want := []Finding{
		{"path", Problem, "codex is missing beside " + s.Program, "./install.sh", programsGroup},
		{"files", Problem, "unreadable", s.shim() + " swop doctor --fix", programsGroup},
	}
	if got := s.Examine(); !slices.Equal(got, want) {
		t.Errorf("Examine() = %+v, want %+v", got, want)
	}
}

//go:build unix

package doctor

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"swop/config"
	"swop/internal/say"
	"swop/manager/verb"
)

// Where the files cannot be read, the reason is the last finding: what needs them is left out. No hint calls a codex that is not swop's.
func TestExamineUnreadable(t *testing.T) {
	s := verb.Setup{Call: &verb.Call{Executable: filepath.Join(t.TempDir(), "codex-swop")}}
	err := say.WithHint(errors.New("unreadable"), "codex swop doctor --fix")
	s.Env = config.Env{"PATH=/none"}
	want := []Finding{
		{"path", Problem, "codex is missing beside " + s.Executable, "./install.sh", programsGroup},
		{"files", Problem, "unreadable", s.Shim() + " swop doctor --fix", programsGroup},
	}
	if got := Examine(s, err); !slices.Equal(got, want) {
		t.Errorf("Examine = %+v, want %+v", got, want)
	}
}

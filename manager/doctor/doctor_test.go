//go:build unix

package doctor

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
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

func TestJudgeRelease(t *testing.T) {
	for release, state := range map[string]string{
		"0.169.0": OK, "0.29.0": OK, "0.172.0-alpha.3": OK, "1.0.0": OK, "0.28.9": Warning, "nonsense": Warning, "": Warning,
	} {
		x := &exam{}
		x.judgeRelease("/usr/bin/codex", "codex-cli "+release)
		c := x.found[0]
		said := "swop is tested with 0.29.0 to "
		if !strings.Contains(release, ".") {
			said = "which is no release of OpenAI's Codex CLI"
		}
		if c.State != state || !strings.Contains(c.Text, said) || (c.Hint != "") != (c.State != OK) {
			t.Errorf("judgeRelease(%q) = %+v, want %s", release, c, state)
		}
		if newer := release == "0.172.0-alpha.3" || release == "1.0.0"; strings.HasSuffix(c.Text, ": this one is newer than tested") != newer {
			t.Errorf("judgeRelease(%q) says %q; newer than tested: %v", release, c.Text, newer)
		}
	}
}

//go:build unix

package swop_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"swop/internal/test/testhome"
)

// hints are the hints that swop gave in the scripts, and the commands at the end of its other messages.
var hints sync.Map

// noteHints remembers the hints of the last command.
func noteHints(ts *testscript.TestScript) {
	for line := range strings.Lines(ts.ReadFile("stdout") + "\n" + ts.ReadFile("stderr") + "\n" + ts.ReadFile("ttyout")) {
		text, said := strings.CutPrefix(strings.TrimSpace(line), "swop: ")
		if hint, ok := strings.CutPrefix(text, "hint: "); ok {
			hints.Store(hint, true)
		} else if _, command, ok := strings.Cut(text, ": codex swop "); ok && said {
			hints.Store("codex swop "+command, true)
		}
	}
}

// typeHints lets the command tree take the hints, as TestHints of codex-swop does.
func typeHints(t *testing.T) {
	var list []string
	hints.Range(func(hint, _ any) bool {
		list = append(list, hint.(string))
		return true
	})
	file := filepath.Join(t.TempDir(), "hints")
	testhome.NoError(t, os.WriteFile(file, []byte(strings.Join(list, "\n")), 0o600))
	cmd := exec.Command("go", "test", "-vet=off", "-count=1", "swop/manager/codex-swop", "-run", "^TestHints$")
	cmd.Env = append(os.Environ(), "SWOP_TEST_HINTS="+file)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("hints of the scripts: %v\n%s", err, out)
	}
}

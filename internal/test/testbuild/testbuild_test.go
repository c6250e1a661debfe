package testbuild_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/test/testbuild"
	"swop/internal/test/testhome"
)

// TestSourcesNoted runs a test that builds the programs, and reads what go test would compare before it reuses the result.
func TestSourcesNoted(t *testing.T) {
	dir := os.Getenv("TESTBUILD_DIR")
	if dir != "" {
		testhome.NoError(t, testbuild.Programs(dir))
		return
	}
	testhome.NotShort(t, "builds swop")
	dir = t.TempDir()
	log := filepath.Join(dir, "log")
	cmd := exec.Command(os.Args[0], "-test.run=^TestSourcesNoted$", "-test.testlogfile="+log)
	cmd.Env = append(os.Environ(), "TESTBUILD_DIR="+filepath.Join(dir, "bin"), testbuild.Built+"=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(log)
	testhome.NoError(t, err)
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	testhome.NoError(t, err)
	for _, source := range []string{
		"shim", "shim/codex", "internal/account", "manager/codex-swop", "internal/session/launcher/ask.cjs",
		"go.mod",
	} {
		if want := "open " + filepath.Join(root, source) + "\n"; !strings.Contains(string(text), want) {
			t.Errorf("go test does not compare %s:\n%s", source, text)
		}
	}
	for _, program := range []string{"codex", "codex-swop"} {
		if _, err := os.Stat(filepath.Join(dir, "bin", program)); err != nil {
			t.Error(err)
		}
	}
}

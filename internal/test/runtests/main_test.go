package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"swop/internal/test/e2e/realcodex"
	"swop/internal/test/testfile"
)

func TestCommand(t *testing.T) {
	for args, want := range map[string]string{
		"":                            "./internal/test/e2e ./internal/test/script ./internal/test/wine ./internal/test/faults ./...",
		"-short":                      "-short ./internal/test/e2e ./internal/test/script ./internal/test/wine ./internal/test/faults ./...",
		"--install --short -race":     "-short -race ./internal/test/e2e ./internal/test/script ./internal/test/wine ./internal/test/faults ./...",
		"-v -short -require ./config": "-short -v ./config",
	} {
		more := 1
		if strings.HasPrefix(want, "-short") {
			more = 3
		}
		want = fmt.Sprintf("test -json -timeout 40m -count=1 -p %d %s", runtime.NumCPU()+more, want)
		c, err := parse(strings.Fields(args))
		if got := strings.Join(c.command(), " "); err != nil || got != want {
			t.Errorf("./test.sh %s runs go %s, %v, want go %s", args, got, err, want)
		}
	}
}

// README says how many releases the tests fetch and keep.
func TestReleasesInREADME(t *testing.T) {
	text, err := os.ReadFile("../../../README.md")
	testfile.NoError(t, err)
	number := map[int]string{4: "four", 5: "five", 6: "six"}[len(realcodex.Releases())]
	if want := " GB in caches (" + number + " releases of Codex,"; !strings.Contains(strings.Join(strings.Fields(string(text)), " "),
		strings.TrimSpace(want)) {
		t.Errorf("README.md does not say %q", want)
	}
}

package main

import (
	"os"
	"strings"
	"testing"

	"swop/internal/test/e2e/realcodex"
	"swop/internal/test/testfile"
)

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

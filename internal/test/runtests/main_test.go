package main

import (
	"strings"
	"testing"

	"swop/internal/test/e2e/realcodex"
	"swop/internal/test/testhome"
)

// README says how many releases the tests fetch and keep.
func TestReleasesInREADME(t *testing.T) {
	text := testhome.TextOf("../../../README.md")
	number := map[int]string{4: "four", 5: "five", 6: "six"}[len(realcodex.Releases())]
	if want := " GB in caches (" + number + " releases of Codex,"; !strings.Contains(strings.Join(strings.Fields(text), " "),
		strings.TrimSpace(want)) {
		t.Errorf("README.md does not say %q", want)
	}
}

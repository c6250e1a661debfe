package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

// CONTRIBUTING.md lists the packages as layers does, and the places that it names as `file:function` exist.
func TestContributing(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	testhome.NoError(t, err)
	var listed, want []string
	for _, row := range regexp.MustCompile(`(?m)^- \[[^]]*\]\((\S+)\)(?: (✓))?`).FindAllStringSubmatch(string(page), -1) {
		listed = append(listed, row[1]+row[2])
	}
	for _, l := range layers {
		if l.hot {
			l.dir += "✓"
		}
		want = append(want, l.dir)
	}
	if got, want := strings.Join(listed, "\n"), strings.Join(want, "\n"); got != want {
		t.Errorf("CONTRIBUTING.md lists\n%s\nand layers\n%s", got, want)
	}
	places := regexp.MustCompile("`([^` ]+\\.go):(\\w+)`").FindAllStringSubmatch(string(page), -1)
	if len(places) < 10 {
		t.Errorf("CONTRIBUTING.md names the places %q, want at least ten", places)
	}
	for _, place := range places {
		source, err := os.ReadFile(filepath.Join(root, place[1]))
		if defined := regexp.MustCompile(`(?m)^func (\([^)]*\) )?` + place[2] + `\(`); err != nil || !defined.Match(source) {
			t.Errorf("CONTRIBUTING.md names %s, which does not exist: %v", place[0], err)
		}
	}
}

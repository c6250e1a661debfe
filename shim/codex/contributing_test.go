package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

// CONTRIBUTING.md lists the packages as layers does, and the places that it names as `file:function` exist, and the flags of go test; the
// jobs that it says may fail may, and no release waits for them.
func TestContributing(t *testing.T) {
	root := filepath.Join("..", "..")
	page := testhome.TextOf(filepath.Join(root, "CONTRIBUTING.md"))
	var listed, want []string
	for _, row := range regexp.MustCompile(`(?m)^- \[[^]]*\]\((\S+)\)(?: (✓))?`).FindAllStringSubmatch(page, -1) {
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
	places := regexp.MustCompile("`([^` ]+\\.go):(\\w+)`").FindAllStringSubmatch(page, -1)
	if len(places) < 10 {
		t.Errorf("CONTRIBUTING.md names the places %q, want at least ten", places)
	}
	for _, place := range places {
		source, err := os.ReadFile(filepath.Join(root, place[1]))
		if defined := regexp.MustCompile(`(?m)^func (\([^)]*\) )?` + place[2] + `\(`); err != nil || !defined.Match(source) {
			t.Errorf("CONTRIBUTING.md names %s, which does not exist: %v", place[0], err)
		}
	}
	tests, err := filepath.Glob(filepath.Join(root, "internal/test/*/*_test.go"))
	testhome.NoError(t, err)
	flags := `"run" "short" "v"`
	for _, test := range tests {
		flags += strings.Join(regexp.MustCompile(`flag\.\w+\("[^"]*"`).FindAllString(testhome.TextOf(test), -1), " ")
	}
	for _, flag := range regexp.MustCompile("[`'] ?-([a-z-]+)[^`\n]*`").FindAllStringSubmatch(page, -1) {
		if !strings.Contains(flags, `"`+flag[1]+`"`) {
			t.Errorf("CONTRIBUTING.md names the flag -%s, which does not exist", flag[1])
		}
	}
	jobs := testhome.TextOf(filepath.Join(root, ".github/workflows/check.yml"))
	for _, name := range []string{"macos", "windows"} {
		if want := "  " + name + ":\n    if: github.ref_type != 'tag'\n    continue-on-error: true\n"; !strings.Contains(jobs, want) {
			t.Errorf("check.yml does not say %q", want)
		}
	}
}

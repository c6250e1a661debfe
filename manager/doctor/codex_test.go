//go:build unix

package doctor

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"swop/internal/testhome"
)

func TestJudgeRelease(t *testing.T) {
	for _, tt := range []struct{ release, state, want string }{
		{"0.169.0", OK, "a release that swop is tested with"},
		{"0.29.0", OK, "a release that swop is tested with"},
		{"0.144.5", OK, "not itself tested"},
		{"0.169.1", OK, "newer than 0.169.0"},
		{"0.170.0-alpha.3", OK, "newer than 0.169.0"},
		{"1.0.0", OK, "newer than 0.169.0"},
		{"0.28.9", Warning, "older than 0.29.0"},
		{"nonsense", OK, `is "codex-cli nonsense"`},
		{"", OK, `is "codex-cli "`},
		{"0.169", OK, `is "codex-cli 0.169"`},
	} {
		c := judgeRelease("/usr/bin/codex", "codex-cli "+tt.release)[0]
		if c.State != tt.state || !strings.Contains(c.Text, tt.want) || (c.Hint != "") != (c.State != OK) {
			t.Errorf("judgeRelease(%q) = %+v, want %s and %q", tt.release, c, tt.state, tt.want)
		}
	}
}

// The releases that doctor calls tested are those that were.
func TestTestedReleasesAreThoseOfTheMatrix(t *testing.T) {
	text, err := os.ReadFile("../../docs/evidence/matrix.md")
	testhome.NoError(t, err)
	var want []codexRelease
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+\.\d+\.\d+) \|`).FindAllStringSubmatch(string(text), -1) {
		r, ok := parseRelease(row[1])
		if !ok {
			t.Fatalf("docs/evidence/matrix.md has the release %q", row[1])
		}
		want = append(want, r)
	}
	if got := testedReleases(); !slices.Equal(got, want) || !slices.IsSortedFunc(got, codexRelease.compare) {
		t.Errorf("testedReleases() = %v, want %v, those of docs/evidence/matrix.md", got, want)
	}
}

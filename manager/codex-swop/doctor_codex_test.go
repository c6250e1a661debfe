//go:build unix

package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestJudgeRelease(t *testing.T) {
	for _, tt := range []struct{ release, state, want string }{
		{"0.169.0", stateOK, "a release that swop is tested with"},
		{"0.29.0", stateOK, "a release that swop is tested with"},
		{"0.144.5", stateOK, "between releases"},
		{"0.169.1", stateOK, "newer than 0.169.0"},
		{"0.170.0-alpha.3", stateOK, "newer than 0.169.0"},
		{"1.0.0", stateOK, "newer than 0.169.0"},
		{"0.28.9", stateWarning, "older than 0.29.0"},
		{"nonsense", stateOK, `is "codex-cli nonsense"`},
		{"", stateOK, `is "codex-cli "`},
		{"0.169", stateOK, `is "codex-cli 0.169"`},
	} {
		c := judgeRelease("/usr/bin/codex", "codex-cli "+tt.release, tt.release)
		if c.State != tt.state || !strings.Contains(c.Text, tt.want) || (c.Hint != "") != (c.State != stateOK) {
			t.Errorf("judgeRelease(%q) = %+v, want %s and %q", tt.release, c, tt.state, tt.want)
		}
	}
}

// The releases that doctor calls tested are those that were.
func TestTriedReleasesAreThoseOfTheMatrix(t *testing.T) {
	text, err := os.ReadFile("../../docs/matrix.md")
	if err != nil {
		t.Fatal(err)
	}
	var want []codexRelease
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+\.\d+\.\d+) \|`).FindAllStringSubmatch(string(text), -1) {
		r, ok := parseRelease(row[1])
		if !ok {
			t.Fatalf("docs/matrix.md has the release %q", row[1])
		}
		want = append(want, r)
	}
	if got := triedReleases(); !slices.Equal(got, want) || !slices.IsSortedFunc(got, codexRelease.compare) {
		t.Errorf("triedReleases() = %v, want %v, those of docs/matrix.md", got, want)
	}
}

package codexsandbox

import (
	"fmt"
	"strings"
)

// Release is a released version of codex.
type Release struct {
	Major, Minor, Patch int
	Pre                 string // "alpha.3" of a prerelease, else ""
}

func (r Release) String() string {
	text := fmt.Sprintf("%d.%d.%d", r.Major, r.Minor, r.Patch)
	if r.Pre != "" {
		text += "-" + r.Pre
	}
	return text
}

// Before reports whether r is older than 0.minor; a prerelease of that one is not.
func (r Release) Before(minor int) bool { return r.Major == 0 && r.Minor < minor }

// ParseRelease reads what `codex --version` prints: a line "codex-cli 0.169.0", other lines being a wrapper's. It fails where there
// is none, and for 0.0.0, which codex calls itself that was built from its sources.
func ParseRelease(output string) (Release, error) {
	for line := range strings.Lines(output) {
		words := strings.Fields(line)
		if len(words) != 2 || words[0] != "codex-cli" && words[0] != "codex" {
			continue
		}
		if r, ok := parseVersion(words[1]); ok {
			return r, nil
		}
	}
	return Release{}, fmt.Errorf("no release in %.80q", output)
}

func parseVersion(text string) (Release, bool) {
	var n [3]int32
	numbers, pre, _ := strings.Cut(text, "-")
	_, err := fmt.Sscanf(numbers, "%d.%d.%d", &n[0], &n[1], &n[2])
	r := Release{int(n[0]), int(n[1]), int(n[2]), pre}
	return r, err == nil && r.String() == text && r != Release{Pre: pre}
}

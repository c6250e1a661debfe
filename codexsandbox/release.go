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
	return strings.TrimSuffix(fmt.Sprintf("%d.%d.%d-%s", r.Major, r.Minor, r.Patch, r.Pre), "-")
}

// Before reports whether r is older than 0.minor; a prerelease of 0.minor is not.
func (r Release) Before(minor int) bool { return r.Major == 0 && r.Minor < minor }

// ParseRelease reads the output of `codex --version`: a line "codex-cli 0.169.0"; a wrapper may add other lines. It fails without such a
// line, and for 0.0.0, the release of a codex that was built from its sources.
func ParseRelease(output string) (Release, error) {
	for line := range strings.Lines(output) {
		text, _ := strings.CutPrefix(strings.TrimSpace(line), "codex-cli ")
		numbers, pre, _ := strings.Cut(text, "-")
		r := Release{Pre: pre}
		_, err := fmt.Sscanf(numbers, "%d.%d.%d", &r.Major, &r.Minor, &r.Patch)
		if err == nil && "codex-cli "+r.String() == strings.TrimSpace(line) && r != (Release{Pre: pre}) {
			return r, nil
		}
	}
	return Release{}, fmt.Errorf("no release in %.80q", output)
}

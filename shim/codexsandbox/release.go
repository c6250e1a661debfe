package codexsandbox

import (
	"fmt"
	"strconv"
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

// before reports whether r is older than 0.minor; a prerelease of that one is not.
func (r Release) before(minor int) bool { return r.Major == 0 && r.Minor < minor }

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
	numbers, pre, dashed := strings.Cut(text, "-")
	parts := strings.Split(numbers, ".")
	if len(parts) != 3 || dashed && pre == "" {
		return Release{}, false
	}
	r := Release{Pre: pre}
	for i, to := range []*int{&r.Major, &r.Minor, &r.Patch} {
		n, err := strconv.ParseUint(parts[i], 10, 31)
		if err != nil {
			return Release{}, false
		}
		*to = int(n)
	}
	return r, r != Release{Pre: pre}
}

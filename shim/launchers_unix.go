//go:build unix

package shim

// A launcher is one version of npm's launcher of codex, bin/codex.js of the package @openai/codex, and what it does on Linux and macOS.
// It was read: what it does is no guess from its output. launchers.sh prints the size and the sum of each, and says which is not here yet.
type launcher struct {
	since   string   // the first release that brought it
	size    int64    // in bytes
	sum     string   // SHA-256
	layouts []layout // where it looks for the native binary, the first that is there wins
	drops   []string // the variables that it removes, before it sets any
	sets    []string // the variables that it sets, in this order
}

// A layout is where a release keeps its native binary.
type layout struct {
	binary string // below vendor/<target> of the platform's package
	// tools is the directory beside it that the launcher puts first on PATH if it is there; empty entries of PATH are dropped then, and
	// also if it is not. "" where the launcher leaves PATH alone.
	tools string
}

// The variables that launchers set. By the second, codex tells how it was installed, and how to update itself.
const (
	packageRoot  = "CODEX_MANAGED_PACKAGE_ROOT"
	managedByNPM = "CODEX_MANAGED_BY_NPM"
)

// launchers are all that the releases from 0.113.0 to 0.169.0 have.
var launchers = [...]launcher{
	{
		since:   "0.113.0",
		size:    6659,
		sum:     "baefc109b871e73a7bab298ee19b8bf73c8b647c4f8649a9794fc5db01db17b9",
		layouts: []layout{{"codex/codex", "path"}},
		sets:    []string{managedByNPM},
	},
	{
		since:   "0.131.0",
		size:    6748,
		sum:     "7106921154740a91fc4c1b343109b4a067b1100afdaa85a367faed7c9be9c216",
		layouts: []layout{{"codex/codex", "path"}},
		sets:    []string{managedByNPM, packageRoot},
	},
	{
		since:   "0.133.0",
		size:    6911,
		sum:     "aa3c64b122c9d06bf48eaf988f5970aa69556d69506c3118cf07d10b2401b48a",
		layouts: []layout{{"bin/codex", "codex-path"}, {"codex/codex", "path"}},
		sets:    []string{managedByNPM, packageRoot},
	},
	{
		since:   "0.138.0",
		size:    5827,
		sum:     "d3be844c45c4fd89392536e56e1010963f94785592596b50cd0c45bb8a341406",
		layouts: []layout{{"bin/codex", ""}},
		sets:    []string{managedByNPM, packageRoot},
	},
	{
		since:   "0.144.0",
		size:    7236,
		sum:     "134063e133f0b4244fa3b251acf973d4fe4b4aeeacbdc135211bf480f59f1477",
		layouts: []layout{{"bin/codex", ""}},
		drops:   []string{managedByNPM, "CODEX_MANAGED_BY_BUN", "CODEX_MANAGED_BY_PNPM"},
		sets:    []string{packageRoot, managedByNPM},
	},
	{
		since:   "0.153.0",
		size:    8790,
		sum:     "61b0194f3bb6534439c8d26a3ed57d0805f84b884588b761795323eeb92fcf70",
		layouts: []layout{{"bin/codex", ""}},
		drops:   []string{managedByNPM, "CODEX_MANAGED_BY_BUN", "CODEX_MANAGED_BY_PNPM", "CODEX_MANAGED_BY_VITE_PLUS"},
		sets:    []string{packageRoot, managedByNPM},
	},
	{
		since:   "0.166.0",
		size:    9154,
		sum:     "e14fc83739c13c1074b12bd1acce4010c893c7f6fbfc1593b4a31d74cabb57af",
		layouts: []layout{{"bin/codex", ""}},
		drops:   []string{managedByNPM, "CODEX_MANAGED_BY_BUN", "CODEX_MANAGED_BY_PNPM", "CODEX_MANAGED_BY_VITE_PLUS"},
		sets:    []string{packageRoot, managedByNPM},
	},
}

// launcherOfSize returns the one launcher that has this size, nil if none has: no other is worth reading.
func launcherOfSize(size int64) *launcher {
	for i := range launchers {
		if launchers[i].size == size {
			return &launchers[i]
		}
	}
	return nil
}

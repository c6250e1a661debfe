package shim

// A launcher is one version of npm's launcher of codex, bin/codex.js of the package @openai/codex, and what it does on Linux and macOS.
// It was read: what it does is no guess from its output. launchers.sh prints the size and the sum of each, and says which is not here yet.
type launcher struct {
	since   string   // the first release that brought it
	size    int64    // in bytes
	sum     string   // FNV-1a of 128 bits, in hexadecimal
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
		sum:     "b1d3861de0cf46f1a39e8efdf811132d",
		layouts: []layout{{"codex/codex", "path"}},
		sets:    []string{managedByNPM},
	},
	{
		since:   "0.131.0",
		size:    6748,
		sum:     "1a1b589e7f0bff2c38baaa397276c366",
		layouts: []layout{{"codex/codex", "path"}},
		sets:    []string{managedByNPM, packageRoot},
	},
	{
		since:   "0.133.0",
		size:    6911,
		sum:     "7ced070c4dafc212289c0b605ce86ae8",
		layouts: []layout{{"bin/codex", "codex-path"}, {"codex/codex", "path"}},
		sets:    []string{managedByNPM, packageRoot},
	},
	{
		since:   "0.138.0",
		size:    5827,
		sum:     "90e8704ca289056c1df11c252074c037",
		layouts: []layout{{"bin/codex", ""}},
		sets:    []string{managedByNPM, packageRoot},
	},
	{
		since:   "0.144.0",
		size:    7236,
		sum:     "01fa21d8506ad48b98b12dfd99df36e9",
		layouts: []layout{{"bin/codex", ""}},
		drops:   []string{managedByNPM, "CODEX_MANAGED_BY_BUN", "CODEX_MANAGED_BY_PNPM"},
		sets:    []string{packageRoot, managedByNPM},
	},
	{
		since:   "0.153.0",
		size:    8790,
		sum:     "a968ff47b642321b016dcd793c19e87d",
		layouts: []layout{{"bin/codex", ""}},
		drops:   []string{managedByNPM, "CODEX_MANAGED_BY_BUN", "CODEX_MANAGED_BY_PNPM", "CODEX_MANAGED_BY_VITE_PLUS"},
		sets:    []string{packageRoot, managedByNPM},
	},
	{
		since:   "0.166.0",
		size:    9154,
		sum:     "5c4db8aa2cebdc4f5245bb15fd0d6b31",
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

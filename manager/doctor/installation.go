package doctor

import (
	"os"

	"swop/install"
	"swop/internal/disk"
)

// runsShim reports whether codex is the shim on the caller's PATH.
func (x *exam) runsShim() bool {
	found, err := disk.OnPath("codex", x.Env.Value("PATH"))
	return err == nil && disk.SameFile(found, x.Shim())
}

// checkPath says which codex is first on the caller's PATH, and names other installations.
func checkPath(x *exam) {
	findOnPath(x)
	for _, other := range install.Others(x.Home, x.Env, x.Shim()) {
		x.warn(install.Removes(other), "another swop is installed: %s", other)
	}
}

// findOnPath says which codex is first on the caller's PATH. The hint is an install if that would change start-up files.
func findOnPath(x *exam) {
	if _, err := os.Stat(x.Shim()); err != nil { // it is missing, or a link that leads nowhere
		x.problem("./install.sh", "codex is missing beside %s", x.Executable)
		return
	}
	hint, hook := "codex swop install", false
	prefix := install.PrefixOf(x.Executable)
	if prefix != "" && install.Complete(install.Options{Prefix: prefix, Home: x.Home, Env: x.Env}) {
		hint = install.LineFor(x.Env.Value("SHELL"), prefix)
		hook = x.Env.Value("MISE_SHELL")+x.Env.Value("DIRENV_DIFF") != ""
	}
	found, err := disk.OnPath("codex", x.Env.Value("PATH"))
	switch {
	case x.direct:
		x.fine("codex is %s", found)
	case err != nil:
		x.problem(hint, "no codex is on PATH here, neither swop's nor the real one")
	case hook:
		x.warn(hint, "mise or direnv puts %s first on PATH: a shell that reads the line below runs swop's, other programs that one", found)
	default:
		x.problem(hint, "codex is %s here, not swop's", found)
	}
}

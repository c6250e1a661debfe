package doctor

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"swop/install"
	"swop/internal/disk"
	"swop/internal/say"
)

// shim is the path of the shim beside this program.
func (s Subject) shim() string { return filepath.Join(filepath.Dir(s.Program), "codex"+disk.Exe) }

func (s Subject) isShim(file string) bool { return disk.SameFile(file, s.shim()) }

// checkPath examines what codex is on the caller's PATH, and warns of other shims there.
func checkPath(x *exam) []Finding {
	if !x.isShim(x.shim()) {
		return problem("./install.sh", "codex is missing beside %s", x.Program)
	}
	line := install.LineFor(x.Env.Value("SHELL"), filepath.Dir(x.Program))
	found := problem(line, "the shim is not on PATH here")
	switch at := slices.IndexFunc(x.onPath, x.isShim); {
	case at == 0:
		found = fine("codex is %s", x.onPath[0])
	case at > 0:
		found = problem(line, "%s comes before the shim on PATH here", x.onPath[0])
	}
	for _, file := range x.onPath { // a call passes over the shims of other installations, but one may come first some day
		if x.isShim(file) || !install.IsShim(file) {
			continue
		}
		hint := "rm " + say.ShellQuote(file)
		if sibling := filepath.Join(filepath.Dir(file), "codex-swop"+disk.Exe); install.PrefixOf(sibling) != "" {
			hint = say.ShellQuote(sibling) + " uninstall"
		}
		found = append(found, warn(hint, "%s is a shim of another installation of swop", file)...)
	}
	return found
}

// checkInstallation examines what install made: whoever can write there decides what codex is.
func checkInstallation(x *exam) []Finding {
	if x.stateErr != nil || x.Home == "" || x.Owned() != nil {
		return failed(x.stateErr)
	}
	bin, prefix := filepath.Dir(x.Program), install.PrefixOf(x.Program)
	if prefix == "" {
		return fine("%s was not made by codex swop install", say.Name(bin))
	}
	var found []Finding
	for _, path := range []string{prefix, bin, x.shim(), x.Program} {
		file := writable(path)
		if file == nil {
			continue
		}
		name, quoted := say.Name(path), say.ShellQuote(path)
		if file.Owner < 0 {
			found = append(found, problem("chmod go-w "+quoted, "%s is writable by other users (mode %o); they could replace codex", name, file.Mode)...)
			continue
		}
		foreign := problem(fmt.Sprintf("sudo chown %d %s", os.Geteuid(), quoted), "%s belongs to uid %d, which could replace codex", name, file.Owner)
		if own := install.DefaultPrefix(x.Home, x.Env); path == prefix && prefix != own { // another user's, with all its contents
			foreign[0].Hint = "codex swop install --prefix " + say.ShellQuote(own)
			return foreign
		}
		found = append(found, foreign...)
	}
	if found == nil {
		return fine("%s", say.Name(prefix))
	}
	return found
}

// openFile says how another user can write a file.
type openFile struct {
	Owner int         // the other user who owns it, -1 if this user or root does
	Mode  fs.FileMode // its permissions
}

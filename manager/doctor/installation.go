package doctor

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"swop/disk"
	"swop/install"
	"swop/say"
)

// shim is the path of the shim beside this program.
func (s Subject) shim() string { return filepath.Join(filepath.Dir(s.Program), "codex"+disk.Exe) }

// Writable returns the files of the installation that another user can write, none if this program is not installed.
func (s Subject) Writable() (list []WritableFile) {
	prefix := install.PrefixOf(s.Program)
	if prefix == "" {
		return nil
	}
	for _, file := range []string{prefix, filepath.Dir(s.Program), s.shim(), s.Program} {
		if w := writable(file); w != nil {
			list = append(list, *w)
		}
	}
	return list
}

func (s Subject) isShim(file string) bool { return disk.SameFile(file, s.shim()) }

// checkPath examines what codex is on the caller's PATH, and warns of other shims there.
func checkPath(x *exam) []Finding {
	if !x.isShim(x.shim()) {
		return problem("./install.sh", "codex is missing beside %s", x.Program)
	}
	line := install.LineFor(x.Env.Value("SHELL"), filepath.Dir(x.Program))
	found := problem(line, "the shim is not on PATH here")
	// VS Code and its relatives, and JetBrains' programs, put their extensions first on PATH after the start-up files.
	inEditor := x.Env.Value("TERM_PROGRAM") == "vscode" || x.Env.Value("TERMINAL_EMULATOR") == "JetBrains-JediTerm"
	switch at := slices.IndexFunc(x.onPath, x.isShim); {
	case at == 0:
		found = fine("codex is %s", x.onPath[0])
	case at > 0 && inEditor && x.state.OnPath && !x.state.EveryPrompt:
		found = problem("codex swop install --every-prompt", "%s comes before the shim on PATH here, in a terminal of an editor", x.onPath[0])
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
	for _, file := range x.Writable() {
		name, quoted := say.Name(file.Path), say.ShellQuote(file.Path)
		if file.Owner < 0 {
			found = append(found, problem("chmod go-w "+quoted, "%s is writable by other users (mode %o), who can put another codex there", name, file.Mode)...)
			continue
		}
		foreign := problem(fmt.Sprintf("sudo chown %d %s", os.Geteuid(), quoted), "%s belongs to uid %d, who can put another codex there", name, file.Owner)
		if own := install.DefaultPrefix(x.Home, x.Env); file.Path == prefix && prefix != own { // another user's, with all its contents
			foreign[0].Hint = "codex swop install --prefix " + say.ShellQuote(own)
			return foreign
		}
		found = append(found, foreign...)
	}
	if !install.SameBuild(bin) {
		found = append(found, warn("./install.sh", "codex and codex-swop in %s are from different builds", say.Name(bin))...)
	}
	if found == nil {
		return fine("%s", say.Name(prefix))
	}
	return found
}

// WritableFile is a file of the installation that another user can write.
type WritableFile struct {
	Path  string
	Owner int         // the other user who owns it, -1 if this user or root does
	Mode  fs.FileMode // its permissions
}

// installed returns the options to install again what is installed.
func (s Subject) installed() install.Options {
	return install.Options{Prefix: install.PrefixOf(s.Program), From: filepath.Dir(s.Program), Home: s.Home, Env: s.Env, Completions: s.Completions}
}

// Reinstall returns the options for an install that repairs the start-up files; needed is false where there is nothing to repair: they are only
// changed where a shell does not find the shim first and an earlier install changed them.
func (s Subject) Reinstall() (o install.Options, needed bool) {
	o = s.installed()
	state, err := install.Examine(o)
	if err != nil || o.Prefix == "" || !state.OnPath || len(state.Outdated) == 0 {
		return o, false
	}
	return o, Any(checkShells(&exam{Subject: s, state: state}), Warning, Problem)
}

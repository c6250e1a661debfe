package shim

import (
	"path/filepath"
	"slices"
	"strings"

	"swop/config"
)

// endings are those of the programs that can be run here, in the order in which cmd looks for them without PATHEXT.
var endings = []string{".com", ".exe", ".bat", ".cmd"}

// filesIn returns the files in the directories of path that codex may be: in each the endings of PATHEXT decide, in their order, then the
// others that can be run: npm installs codex.cmd.
func filesIn(path string, env config.Env) (files []string) {
	order := endingsIn(env.Value("PATHEXT"))
	for _, dir := range filepath.SplitList(path) {
		for _, ending := range order {
			if filepath.IsAbs(dir) { // nothing is run from the working directory
				files = append(files, filepath.Join(dir, "codex"+ending))
			}
		}
	}
	return files
}

// endingsIn returns the endings in the order of pathext, and then the others.
func endingsIn(pathext string) (order []string) {
	for _, ending := range slices.Concat(strings.Split(strings.ToLower(pathext), ";"), endings) {
		if slices.Contains(endings, ending) && !slices.Contains(order, ending) {
			order = append(order, ending)
		}
	}
	return order
}

func mayRun(path string) bool { return slices.Contains(endings, strings.ToLower(filepath.Ext(path))) }

// ownBin is the directory of programs that install.sh --with-codex lets npm put the real codex in.
func ownBin(shim string) string { return ownPrefix(shim) }

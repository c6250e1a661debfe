package shim

import (
	"path/filepath"
	"slices"
	"strings"

	"swop/config"
)

// endings are those of the programs that can be run here, in the order in which cmd looks for them: npm installs codex.cmd.
var endings = []string{".com", ".exe", ".bat", ".cmd"}

// filesIn returns the files in the directories of path that codex may be.
func filesIn(path string, _ config.Env) (files []string) {
	for _, dir := range filepath.SplitList(path) {
		for _, ending := range endings {
			if filepath.IsAbs(dir) { // nothing is run from the working directory
				files = append(files, filepath.Join(dir, "codex"+ending))
			}
		}
	}
	return files
}

func mayRun(path string) bool { return slices.Contains(endings, strings.ToLower(filepath.Ext(path))) }

// ownBin is the directory of programs that install.sh --with-codex lets npm put the real codex in.
func ownBin(shim string) string { return ownPrefix(shim) }

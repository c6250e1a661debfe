package shim

import (
	"path/filepath"
	"slices"
	"strings"

	"swop/config"
)

// endings are the endings of programs, in the order in which cmd looks for them: npm installs codex.cmd.
var endings = []string{".com", ".exe", ".bat", ".cmd"}

// filesIn returns the paths that codex may have in the directories of path.
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

// ownBin returns the directory in which npm puts the real codex for install.sh --with-codex.
func ownBin(shim string) string { return ownPrefix(shim) }

package shim

import (
	"path/filepath"
	"slices"
	"strings"

	"swop/config"
)

// endings are those of the programs that can be run here, in the order in which cmd looks for them without PATHEXT.
var endings = []string{".com", ".exe", ".bat", ".cmd"}

// FindReal returns the first program named codex in the directories of path whose file is none of skip. In each directory the endings of
// pathext decide, in their order, then the others that can be run: npm installs codex.cmd. Empty and relative entries are
// passed over, so that nothing is run from the working directory. If no program is found, the error wraps [ErrNoCodex].
func FindReal(path string, skip []FileID, pathext string) (Program, error) {
	order := endingsIn(pathext)
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		for _, ending := range order {
			if p, err := programAt(filepath.Join(dir, "codex"+ending), skip); err == nil {
				return p, nil
			}
		}
	}
	return Program{}, noCodex()
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

// SearchFor returns how [FindReal] is to search.
func SearchFor(env config.Env) (pathext string) { return env.Value("PATHEXT") }

func mayRun(path string) bool { return slices.Contains(endings, strings.ToLower(filepath.Ext(path))) }

// ownCodex is what npm calls the program of codex, in the directory ownBin.
const ownCodex = "codex.cmd"

// ownBin is the directory of programs that install.sh --with-codex lets npm put the real codex in.
func ownBin(shim string) string { return ownPrefix(shim) }

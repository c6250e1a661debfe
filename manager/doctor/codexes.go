package doctor

import (
	"path/filepath"

	"swop/shim"
)

// codexesOn returns the programs named codex in the directories of path, in its order and each file once.
func codexesOn(path string) (files []string) {
	var seen []shim.FileID
	for {
		p, err := shim.FindReal(path, seen, shim.SearchFor(nil))
		if err != nil {
			return files
		}
		seen, files = append(seen, p.ID), append(files, filepath.Clean(p.Path))
	}
}

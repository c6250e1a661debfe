package doctor

import (
	"path/filepath"

	"swop/disk/sys"
	"swop/install"
)

// Writable returns the files of the installation that another user can write, none if this program is not installed.
func (s Subject) Writable() (list []WritableFile) {
	prefix := install.PrefixOf(s.Program)
	if prefix == "" {
		return nil
	}
	for _, file := range []string{prefix, filepath.Dir(s.Program), s.shim(), s.Program} {
		if who, err := sys.Others(file, sys.ToWrite); err == nil && who != "" {
			list = append(list, WritableFile{Path: file, Owner: -1})
		}
	}
	return list
}

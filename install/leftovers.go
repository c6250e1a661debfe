//go:build unix

package install

import (
	"os"
	"path/filepath"
	"slices"
)

// leftovers returns the files that interrupted runs left.
func (s *session) leftovers() []string {
	files := []string{textFile{target: recordFile(s.prefix)}.tmp()}
	for _, name := range programNames {
		files = append(files, staged(filepath.Join(s.bin, name)))
	}
	for _, name := range completionNames() {
		files = append(files, textFile{target: filepath.Join(s.completionDir(), name)}.tmp())
	}
	for _, path := range s.where().everywhere() {
		if f, err := readText(path); err == nil && f.info != nil {
			files = append(files, f.tmp())
		}
		files = append(files, textFile{target: path}.tmp())
	}
	slices.Sort(files)
	return slices.DeleteFunc(slices.Compact(files), func(file string) bool { return !exists(file) })
}

// removeLeftovers removes them. The lock is held, so no other run uses them; what belongs to another user is kept.
func (s *session) removeLeftovers() error {
	for _, file := range s.leftovers() {
		if !mayWrite(filepath.Dir(file)) {
			continue
		}
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return nil
}

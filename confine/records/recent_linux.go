package records

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of what [Recent] copies.
const (
	maxRecent      = 64
	maxRecentBytes = 64 << 20
)

// Recent copies the newest transcripts in from, by their names, into to, where a session that cannot have all of them writes. What cannot be read is left out.
func Recent(from, to string) error {
	from, err := filepath.EvalSymlinks(from)
	if err != nil {
		return err
	}
	var files []string
	err = filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && isTranscript(entry.Name()) {
			files = append(files, path)
		}
		return nil
	})
	slices.SortFunc(files, func(a, b string) int { return strings.Compare(filepath.Base(b), filepath.Base(a)) })
	left := int64(maxRecentBytes)
	for _, path := range files[:min(len(files), maxRecent)] {
		info, statErr := os.Stat(path)
		if statErr != nil || info.Size() > left {
			continue
		}
		text, readErr := os.ReadFile(path)
		if readErr != nil {
			continue
		}
		left -= int64(len(text))
		at := filepath.Join(to, strings.TrimPrefix(path, from))
		err = errors.Join(err, os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, text, 0o600), os.Chtimes(at, info.ModTime(), info.ModTime()))
	}
	return err
}

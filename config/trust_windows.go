package config

import (
	"errors"
	"io/fs"
	"path/filepath"

	"swop/internal/disk"
	"swop/internal/say"
)

// readTrustedText returns the contents of the regular file at path, of most bytes at most, if it lies in the user's profile; ""
// if it is missing.
func readTrustedText(path string, places *Places, most int64) (string, error) {
	text, err := disk.ReadFile(path, most)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return text, places.CheckProfile(path)
}

// CheckAboveRoot refuses a root outside of the user's profile.
func (p *Places) CheckAboveRoot() error { return p.CheckProfile(p.Root) }

// CheckProfile refuses a path outside of the user's profile, whose ACL keeps other users out of all that is made in it.
func (p *Places) CheckProfile(path string) error {
	for at := filepath.Clean(path); !disk.SameFile(at, p.Home); at = filepath.Dir(at) {
		if filepath.Dir(at) == at {
			err := disk.Unsafe("%s: lies outside of your profile, where other users may reach it", path)
			return say.WithHint(err, "use a directory in "+say.ShellQuote(p.Home))
		}
	}
	return nil
}

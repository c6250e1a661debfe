//go:build unix

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"swop/config"
	configfile "swop/config/file"
	"swop/manager/disk"
	"swop/say"
)

// removeRoot removes what is left of the root and of the selector when the last account is gone. It returns what it removed. Versions that were
// set aside, and what others put there, are the user's: they stay, and the root with them.
func (a *app) removeRoot(s scene) ([]string, error) {
	var gone []string
	root := s.Places.Root
	if err := emptyRoot(root); err != nil {
		return nil, fmt.Errorf("%s: %w", root, err) // the error names what is in the root
	}
	aside := filepath.Join(root, "displaced")
	switch {
	case removed(root):
		gone = append(gone, root)
	case isThere(aside):
		a.say("kept: %s, versions of your files that were set aside", say.Name(aside))
	case isThere(root):
		a.say("kept: %s, which holds more than swop made", say.Name(root))
	}
	if err := disk.ClearTemps(filepath.Join(s.Places.Config, config.SelectorFile), a.now()); err != nil {
		return gone, err
	}
	selector, err := dropSelector(s.Places)
	removed(s.Places.Config)
	if selector != "" {
		gone = append(gone, selector)
	}
	return gone, err
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// emptyRoot removes the files that are swop's own, and the directories that this empties. There is no session that could hold one of the locks.
func emptyRoot(path string) error {
	root, err := os.OpenRoot(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	locks, err := fs.Glob(root.FS(), "locks/*")
	if err != nil {
		return err
	}
	marks, err := fs.Glob(root.FS(), "pending/*")
	if err != nil {
		return err
	}
	for _, file := range append(locks, marks...) {
		if err := root.Remove(file); err != nil {
			return err
		}
	}
	for _, dir := range []string{"locks", "pending", "trash", "accounts", "displaced"} {
		removeEmptyIn(root, dir)
	}
	if entries, err := fs.ReadDir(root.FS(), "."); err != nil || len(entries) != 1 || entries[0].Name() != "root.json" {
		return err // what else is there is not ours: the root stays a root
	}
	return root.Remove("root.json")
}

// removeEmptyIn removes a directory, and the directories in it, as far as there is nothing else in them.
func removeEmptyIn(root *os.Root, dir string) {
	entries, _ := fs.ReadDir(root.FS(), filepath.ToSlash(dir)) // one that cannot be read stays
	for _, entry := range entries {
		if entry.IsDir() {
			removeEmptyIn(root, filepath.Join(dir, entry.Name()))
		}
	}
	if info, err := root.Lstat(dir); err == nil && info.IsDir() {
		_ = root.Remove(dir) // fails where it is not empty, which is the test
	}
}

// removed removes an empty directory and says whether it is gone.
func removed(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir() && os.Remove(dir) == nil
}

// dropSelector removes the selector where it is as swop writes one that selects nothing. A link stays.
func dropSelector(p config.Places) (string, error) {
	file := filepath.Join(p.Config, config.SelectorFile)
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() {
		return "", nil //nolint:nilerr // there is none
	}
	empty, err := configfile.SelectorText(config.Selector{})
	if err != nil {
		return "", err
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != string(empty) {
		return "", err
	}
	return file, os.Remove(file)
}

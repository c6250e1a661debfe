package accounts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/store"
	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/home"
	"swop/internal/say"
	"swop/manager/verb"
	"swop/shim"
)

// removeRoot removes what is left of the root and of the selector when the last account is gone. It returns what it removed. Earlier
// versions of files, and what others put there, are the user's: they are kept, and the root with them.
func removeRoot(s verb.Setup) ([]string, error) {
	var gone []string
	root := s.Places.Root
	if err := s.Store.EmptyTrash(); err != nil { // without its lock no later run could
		return nil, err
	}
	if err := emptyRoot(root); err != nil {
		return nil, fmt.Errorf("%s: %w", root, err) // the error names what is in the root
	}
	if disk.RemoveEmpty(root) {
		gone = append(gone, root)
	}
	sayKept(s)
	selector, err := dropSelector(s.Places)
	disk.RemoveEmpty(s.Places.Config)
	if selector != "" {
		gone = append(gone, selector)
	}
	return gone, err
}

// sayKept says what is left in the root, and why.
func sayKept(s verb.Setup) {
	why := map[string]string{
		"accounts":   "links to your home for programs that know the old paths: remove it once none of them runs",
		home.KeptDir: "earlier versions of your files",
	}
	entries, _ := os.ReadDir(s.Places.Root) // it is missing where nothing is left
	for _, entry := range entries {
		at := say.Name(filepath.Join(s.Places.Root, entry.Name()))
		switch name := entry.Name(); {
		case name == account.RootFile, name == account.IgnoreFile, name == store.RemovedHome:
		case why[name] != "":
			s.Say("kept: %s, %s", at, why[name])
		default:
			s.Say("kept: %s, which is not swop's", at)
		}
	}
}

// emptyRoot removes swop's own files, and the directories that are empty then. No session is left that could hold a lock.
func emptyRoot(path string) error {
	root, err := disk.Open(path, disk.NoFollow)
	if err != nil {
		return disk.Ignore(err, fs.ErrNotExist)
	}
	defer root.Close()
	for _, name := range []string{"locks", "pending", "usage", "last", "log", "run", "confine.made", "confine.written", shim.LaunchDir} {
		if err := disk.RemoveAll(root, name); err != nil {
			return err
		}
	}
	for _, name := range []string{"trash", "accounts", home.KeptDir} {
		if there, err := root.Stat(name); err == nil && there.IsDir() {
			removeEmptyIn(filepath.Join(path, name))
		}
	}
	entries, err := root.Entries()
	var own []string
	text, ignoreErr := disk.ReadFile(filepath.Join(path, account.IgnoreFile), sys.O_NOFOLLOW, account.MaxJSON)
	if ignoreErr == nil && text == account.IgnoreText {
		own = []string{account.IgnoreFile}
	}
	if _, ok := entries[account.RootFile]; err != nil || !ok || len(entries) != 1+len(own) {
		return err // the rest is not ours: the root remains a root
	}
	for _, name := range append(own, account.RootFile) {
		err = errors.Join(err, root.Unlink(name))
	}
	return err
}

// removeEmptyIn removes a directory, and the directories in it, as far as they hold nothing else.
func removeEmptyIn(dir string) {
	entries, _ := os.ReadDir(dir) // one that cannot be read is kept
	for _, entry := range entries {
		if entry.IsDir() {
			removeEmptyIn(filepath.Join(dir, entry.Name()))
		}
	}
	disk.RemoveEmpty(dir)
}

// dropSelector removes the selector if it is exactly what swop writes to select nothing, and returns its path, else "". A link is kept.
func dropSelector(p config.Places) (string, error) {
	path := filepath.Join(p.Config, config.SelectorFile)
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return "", nil //nolint:nilerr // nothing to remove
	}
	empty, err := config.SelectorText(config.Selector{})
	if err != nil {
		return "", err
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != string(empty) {
		return "", err
	}
	return path, os.Remove(path)
}

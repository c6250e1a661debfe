//go:build unix

package manager

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"swop/config"
)

// Share ends what keeps an entry of the account's sandbox its own although the rules would share it by now: the next reconcile brings
// it to the shared home. It reports whether anything was kept under that name; a rule that still makes the name private is an error.
func (s Store) Share(a Account, name string, settings config.Settings) (bool, error) {
	recorded, err := readKept(a)
	if err != nil {
		return false, err
	}
	_, private := settings.For(a.Key)
	rules := map[string]Rules{"codex": CodexHomeRules(private.CodexHome, a.Meta.State), "home": HomeRules(private.Home, s.rootName())}
	found, still := false, false
	for view, r := range rules {
		line := keptLine(view, name)
		if !recorded[line] {
			continue
		}
		if r.Class(name) == Private {
			still = true
			continue
		}
		found = true
		delete(recorded, line)
	}
	if !found {
		if still {
			return false, unsafe("%q of %q is private by the rules", name, a.Meta.Label)
		}
		return false, nil
	}
	return true, writeKept(a, recorded)
}

// MoveSharedHome makes dir the codex home that all accounts share; the files themselves are the caller's to move. The caller holds
// every account exclusively, and reconciles them afterwards.
func (s Store) MoveSharedHome(root Root, dir string) (Root, error) {
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return root, &os.PathError{Op: "stat", Path: dir, Err: err}
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return root, fmt.Errorf("%s: is not a directory", dir)
	}
	if err := s.checkOwner(dir, &st); err != nil {
		return root, err
	}
	if err := s.checkApart(dir); err != nil {
		return root, err
	}
	if root.SharedHome.Path != dir {
		root.Former = append(slices.Clone(root.Former), withoutSlash(root.SharedHome.Path))
	}
	root.SharedHome = SharedHome{dir, uint64(st.Dev), st.Ino}
	text, err := root.text()
	if err != nil {
		return root, err
	}
	return root, config.WriteFile(filepath.Join(s.Root, "root.json"), text)
}

// Transcripts are what a private account has of its own, by [Rule.Transcript].
type Transcripts struct {
	Names []string
	Files int
	Bytes int64
}

// Transcripts returns what is this account's alone and is not a link: none for an account that shares its state.
func (s Store) Transcripts(a Account) (Transcripts, error) {
	var t Transcripts
	if a.Meta.State != StatePrivate {
		return t, nil
	}
	d, err := openBelow(a.Dir, a.CodexHome())
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		return t, nil // what a link in its place leads to is not its own
	}
	if err != nil {
		return t, err
	}
	entries, err := d.entries()
	if err := errors.Join(err, d.close()); err != nil {
		return t, err
	}
	rules := CodexHomeRules(nil, StateShared)
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		row, _ := rules.row(name)
		if !row.Transcript || entries[name].mode&os.ModeSymlink != 0 {
			continue
		}
		files, bytes, err := weigh(filepath.Join(a.CodexHome(), name))
		if err != nil {
			return t, err
		}
		if files > 0 {
			t.Names = append(t.Names, name)
			t.Files, t.Bytes = t.Files+files, t.Bytes+bytes
		}
	}
	return t, nil
}

func weigh(path string) (files int, bytes int64, err error) {
	err = filepath.WalkDir(path, func(_ string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			files, bytes = files+1, bytes+info.Size()
		}
		return err
	})
	return files, bytes, err
}

// KeepTranscripts moves the transcripts of a private account to dir, which is made, owner-only, or is empty. Cut off, it goes on when
// it is called again with the same directory.
func (s Store) KeepTranscripts(a Account, t Transcripts, dir string) error {
	if err := s.CheckKeep(t, dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	to, err := openFolder(dir, refuseLink)
	if err != nil {
		return err
	}
	defer to.close()
	from, err := openBelow(a.Dir, a.CodexHome())
	if err != nil {
		return err
	}
	defer from.close()
	if err := dropCopies(to); err != nil {
		return err
	}
	for _, name := range t.Names {
		if err := moveKept(from, name, to); err != nil {
			return err
		}
	}
	return to.sync()
}

// CheckKeep refuses a directory that transcripts cannot be kept in: below the accounts, from where they would go with one, or with
// entries of their names.
func (s Store) CheckKeep(t Transcripts, dir string) error {
	if config.Within(resolve(dir), resolve(s.Root)) {
		return unsafe("%s: lies in swop's own root", dir)
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return fmt.Errorf("%s: is not a directory", dir)
	}
	for _, name := range t.Names {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return unsafe("%s: is there already", filepath.Join(dir, name))
		}
	}
	return nil
}

func moveKept(from folder, name string, to folder) error {
	err := from.move(name, to, name)
	switch {
	case errors.Is(err, unix.EXDEV):
		return moveByCopy(from, name, to, name)
	case errors.Is(err, unix.EEXIST):
		return unsafe("%s: is there already", filepath.Join(to.path, name))
	}
	return to.fail("rename", name, err)
}

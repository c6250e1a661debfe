package account

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
	"unicode/utf8"

	"swop/config"
	"swop/internal/disk"
	"swop/internal/disk/sys"
)

// MaxJSON bounds meta.json and root.json, in bytes: they have a few hundred.
const MaxJSON = 1 << 16

// Layout knows the places of swop's files below one root.
type Layout struct {
	config.Places
}

// Open returns the layout at places.Root, which need not exist. A root or accounts root that others can reach, or put something else in the
// place of, is refused with an error that wraps [disk.ErrUnsafe].
func Open(places config.Places) (Layout, error) {
	l := Layout{places}
	for _, path := range []string{l.Home, l.Root} {
		if !utf8.ValidString(path) {
			return l, disk.Unsafe("%q is not UTF-8", path)
		}
	}
	if err := l.CheckAboveRoot(); err != nil {
		return l, err
	}
	for _, dir := range []string{l.Root, l.AccountsDir()} {
		if err := l.CheckDir(dir); errors.Is(err, fs.ErrNotExist) {
			return l, nil
		} else if err != nil {
			return l, err
		}
	}
	return l, nil
}

// Path returns the path of an entry of the root.
func (s Layout) Path(name string) string { return filepath.Join(s.Root, name) }

// AccountsDir returns the directory of the sandboxes.
func (s Layout) AccountsDir() string { return filepath.Join(s.Root, "accounts") }

// AccountDir returns the sandbox of the account with this key.
func (s Layout) AccountDir(key string) string { return filepath.Join(s.Root, "accounts", key) }

// MetaFile returns the path of meta.json in the sandbox dir.
func (s Layout) MetaFile(dir string) string { return filepath.Join(dir, "meta.json") }

// LockFile returns the path of the file whose lock a session of the account with this key holds.
func (s Layout) LockFile(key string) string { return filepath.Join(s.Root, "locks", key) }

// Touch sets the time of the account's lock: the last use of the account.
func (s Layout) Touch(key string, now time.Time) {
	_ = os.Chtimes(s.LockFile(key), now, now) // the time is only shown
}

// LastUse returns the time of the last use of an account with this key, the zero time for never.
func (s Layout) LastUse(key string) (used time.Time) {
	if lock := disk.At(s.LockFile(key)); lock.Mtime.Sec > 0 { // 0 as it was made
		used = Seconds(time.Unix(lock.Mtime.Sec, 0))
	}
	return used
}

// Seconds returns a time as meta.json has it: in UTC, without a part of a second.
func Seconds(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// Try makes a file below the root, writes it, locks it and removes it, as starts have to do. It makes no missing root.
func (s Layout) Try() error {
	file := filepath.Join(s.Path("locks"), disk.TempName())
	if !disk.IsDir(filepath.Dir(file)) {
		return nil
	}
	if err := disk.WriteFile(file, make([]byte, 4096)); err != nil { // a block
		return err
	}
	l, err := Flock(file, sys.LOCK_EX|sys.LOCK_NB, sys.O_CLOEXEC)
	l.Release()
	return errors.Join(err, os.Remove(file))
}

// IgnoreFile is the name of a file by which git ignores all that lies in its directory: a login must not be committed where HOME or a codex
// home lies in a work tree. git follows no link to it.
const IgnoreFile = ".gitignore"

// ignoreText is the text of such a file.
const ignoreText = "*\n"

// MakeIgnored is [Layout.MakeDir] of a directory whose contents git ignores. A .gitignore that is there is left as it is.
func (s Layout) MakeIgnored(dir string) error {
	if err := s.MakeDir(dir); err != nil {
		return err
	}
	file := filepath.Join(dir, IgnoreFile)
	if there, err := disk.Lstat(file); err != nil || there.Exists() {
		return err
	}
	return disk.Ignore(disk.CreateFile(file, []byte(ignoreText)), fs.ErrExist)
}

// MakeDir makes directories owner-only, whatever the umask; one that exists is checked instead.
func (s Layout) MakeDir(dirs ...string) error {
	for _, dir := range dirs {
		err := disk.MakeDir(dir)
		if errors.Is(err, fs.ErrExist) {
			err = s.CheckDir(dir)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

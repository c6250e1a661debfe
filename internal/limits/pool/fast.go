package pool

import (
	"io/fs"
	"path/filepath"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/disk/sys"
)

// maxFile bounds usage/auto and the file of the last choices, in bytes: a thousand accounts and a thousand directories.
const maxFile = 1 << 20

// KnownFile is the path of usage/auto.
func KnownFile(l account.Layout) string { return filepath.Join(l.Root, "usage", "auto") }

// FileAt returns the identity and time of the file at path, the zero value if it is missing.
func FileAt(path string) (File, error) {
	var st sys.Stat_t
	if err := sys.Lstat(path, &st); err != nil {
		if err == sys.ENOENT {
			return File{}, nil
		}
		return File{}, &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	return File{st.Ino, st.Mtim.Nano()}, nil
}

// Fast returns the account that a start in the directory takes, if swop has nothing to write or to say: [KnownFile] lists the present
// accounts, the choice is that of the last start here, it has room, and its login is still in its file, which the start compares.
func Fast(l account.Layout, p config.Pool, dir string, now account.Time) (Decision, bool) {
	text, err := disk.ReadOwn(KnownFile(l), maxFile)
	var known Known
	if err != nil || !known.Parse(text) || !known.isCurrent(l) {
		return Decision{}, false
	}
	last := ReadLast(l).Of(dir)
	d := Choose(p, known.Accounts, last, now)
	picked := account.Account{Key: d.Key, Dir: l.AccountDir(d.Key)}
	return d, d.Key != "" && d.Key == last && d.Reason != Soonest && disk.At(picked.AuthFile()).Exists()
}

// isCurrent reports whether no account came or went since the accounts were listed.
func (k *Known) isCurrent(l account.Layout) bool {
	dir, err := FileAt(l.AccountsDir())
	return err == nil && dir == k.Dir && find(k.Accounts, config.AutoPool) == nil
}

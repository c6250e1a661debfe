//go:build unix

package home

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/store"
	"swop/internal/disk"
	"swop/internal/home/rules"
)

// hardLinks is false: what is shared is a symbolic link.
const hardLinks = false

// CheckVolumes refuses nothing: symbolic links lead to any disk.
func CheckVolumes(store.Store, string) error { return nil }

// linkTime is when all links of ours were modified, as they say: cp -a, tar and rsync -a keep that, ln does not.
const linkTime = 1_000_000_000

// setLinkTime gives a link that time. Where the file system cannot, each of ours that gets another name counts as the user's.
func setLinkTime(d disk.Dir, name string) {
	at := []unix.Timespec{{Sec: linkTime}, {Sec: linkTime}}
	_ = unix.UtimesNanoAt(d.Fd(), name, at, unix.AT_SYMLINK_NOFOLLOW)
}

func hasLinkTime(i disk.Stat) bool { return i.Mtime.Sec == linkTime }

func isFull(errno syscall.Errno) bool { return errno == unix.ENOSPC || errno == unix.EDQUOT }

// writable returns why nothing can be changed in a directory: it cannot be written, or its disk is full.
func writable(d disk.Dir) error {
	err := unix.Faccessat(d.Fd(), ".", unix.W_OK, unix.AT_EACCESS)
	var st unix.Statfs_t
	if err == nil && unix.Fstatfs(d.Fd(), &st) == nil && (st.Blocks > 0 && st.Bavail == 0 || st.Files > 0 && st.Ffree == 0) {
		err = unix.ENOSPC
	}
	return d.Err("write", "", err)
}

// setViews sets what the sandbox shows: the codex home always, HOME if the isolation says so or an earlier one did.
func (e *engine) setViews(settings config.Settings) error {
	isolation, private := settings.For(e.account.Key)
	codex, home := rules.Views(e.layout, e.account, private)
	if err := e.addView(codex, e.root.SharedHome.Path, e.root.Former...); err != nil {
		return err
	}
	if isolation != config.IsolateHome {
		// A sandbox home with more in it than the codex home, left by an earlier isolation, is reconciled all the same.
		if entries, err := os.ReadDir(home.Sandbox); err == nil && len(entries) <= 1 {
			return nil
		}
	}
	at, former, err := store.RealHome(store.Store{Layout: e.layout}, &e.account)
	if err != nil {
		return err
	}
	return e.addView(home, at, former)
}

// lastLook returns when the account's homes were found to be as they should be, the zero time where that is not known.
func (e *engine) lastLook() unix.Timespec {
	var st unix.Stat_t
	_ = unix.Lstat(rules.StampFile(&e.account), &st)
	return st.Mtim
}

func subjectOf(s account.Layout, a account.Account, root account.Root) *rules.Subject {
	return &rules.Subject{Layout: s, Root: root, Account: a}
}

// unchanged reports whether nothing changed since the last look at the account, and that found nothing to repair.
func unchanged(s store.Store, a account.Account, root account.Root, settings config.Settings) bool {
	return root.Check() == nil && subjectOf(s.Layout, a, root).Unchanged(settings.For(a.Key))
}

// mark returns what the next start compares, to see whether anything changed, "" where a change from now on would not show in it.
func (e *engine) mark(settings config.Settings) (string, error) {
	now, err := disk.FileClock()
	if err != nil {
		return "", err
	}
	text, changed, err := subjectOf(e.layout, e.account, e.root).Digest(settings.For(e.account.Key))
	if err != nil || !rules.Settled(changed, now) {
		return "", nil //nolint:nilerr // the scan says what cannot be looked at
	}
	return text, nil
}

// writeStamp writes the stamp, an empty one where the next start must look again.
func (e *engine) writeStamp(text string) error {
	file := rules.StampFile(&e.account)
	tmp := filepath.Join(e.account.Dir, disk.TempName())
	err := os.WriteFile(tmp, []byte(text), 0o600)
	if err == nil {
		err = os.Rename(tmp, file)
	}
	if err != nil {
		return errors.Join(err, disk.RemoveIfExists(tmp))
	}
	return nil
}

package store

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"swop/internal/account"
	"swop/internal/disk/sys"
)

// Hourly calls f, unless it did in the last hour or another process is at it: for what looks at all accounts or all versions, of which
// there may be thousands, and can wait. It holds the lock of this file meanwhile, whose time says when f was called.
func Hourly(file string, now time.Time, f func() error) error {
	lock, err := account.Flock(file, sys.LOCK_EX|sys.LOCK_NB, sys.O_CLOEXEC|sys.O_CREAT)
	if err != nil {
		return nil //nolint:nilerr // a later call tries again; what needs to write in the root reports it
	}
	defer lock.Release()
	var st sys.Stat_t
	if err := sys.Fstat(lock.Fd, &st); err != nil {
		return &fs.PathError{Op: "stat", Path: file, Err: err}
	}
	if now.Sub(time.Unix(0, st.Mtim.Nano())).Abs() < time.Hour {
		return nil
	}
	err = f()
	return errors.Join(err, os.Chtimes(file, now, now))
}

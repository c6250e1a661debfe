package store

import (
	"swop/internal/account"
	"swop/internal/disk/sys"
)

// Hourly calls f, unless it did in the last hour or another process is at it: for what looks at all versions, of which there may be
// thousands, and can wait. It holds the lock with this name meanwhile, whose time says when f was called.
func (s Store) Hourly(name string, now account.Time, f func() error) error {
	lock, err := account.Flock(s.LockFile(name), sys.LOCK_EX|sys.LOCK_NB, sys.O_CLOEXEC|sys.O_CREAT)
	if err != nil {
		return nil //nolint:nilerr // a later call tries again; what needs to write in the root reports it
	}
	defer lock.Release()
	if age := now - s.LastUse(name); age >= 0 && age < 60*60 {
		return nil
	}
	defer s.Touch(name, now)
	return f()
}

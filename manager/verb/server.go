package verb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/account/process"
	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/say"
	"swop/internal/session"
	"swop/manager/terminal"
	"swop/shim"
)

// IfBusy is the treatment of a server that is at work where nobody can be asked.
type IfBusy int

const (
	RefuseBusy IfBusy = iota
	StopBusy          // the login of the server changes
)

// StopServer stops the account's background server, which would go on with the old login.
func (s Setup) StopServer(acct account.Account, busy IfBusy) error {
	if acct.Meta.Confine != "" {
		return nil // its sessions start no server, and no unconfined program reads its home
	}
	return s.StopServerAt(acct.CodexHome(), s.InAccount(acct), busy)
}

// InAccount returns the environment of a codex that runs as the account.
func (s Setup) InAccount(acct account.Account) config.Env {
	return s.Environment(shim.Prepared{Account: acct, Root: s.Root, Settings: s.Settings})
}

// StopServerAt stops the server of a codex home. Where that would cut off the server's work, it asks the person at the terminal; without a
// terminal the error wraps [process.ErrBusy], or with [StopBusy] it says so and stops the server.
func (s Setup) StopServerAt(codexHome string, env config.Env, busy IfBusy) error {
	stop := process.StopOptions{CodexHome: codexHome, Now: s.Now, Stop: func(ctx context.Context) {
		i := s.Invocation
		i.Env = env
		if real, err := s.Codex(); err == nil {
			_, _ = session.Asking(i, real, s.Settings, "app-server", "daemon", "stop").Output(ctx, 4096)
		}
	}}
	err := process.StopServers(context.Background(), stop)
	if !errors.Is(err, process.ErrBusy) {
		return err
	}
	yes, askErr := terminal.Confirm(fmt.Sprintf("%v. Stop it anyway?", err))
	switch {
	case errors.Is(askErr, shim.ErrQuit):
		return askErr
	case askErr != nil && busy == StopBusy:
		s.Say("%v; stopping it, because it has the old login", err)
	case askErr != nil || !yes:
		return say.WithHint(err, "wait until it has finished")
	}
	stop.EndTurns = true
	return process.StopServers(context.Background(), stop)
}

// LockIdle stops the account's server, refuses if the account is in use, and locks it exclusively. It refuses one that another command has
// changed since the caller looked.
func (s Setup) LockIdle(acct account.Account) (account.Lock, error) {
	if err := RefuseUse(s, acct); err != nil {
		return account.Lock{}, err
	}
	if err := s.StopServer(acct, RefuseBusy); err != nil {
		return account.Lock{}, err
	}
	var l, asked account.Lock
	err := disk.Briefly(2*time.Second, func() (again bool, err error) { // another call may be looking at the account, or codex be asked as it
		if l, err = s.Store.LockExclusive(acct.Key); err == nil {
			asked, err = account.Flock(acct.LoginLock(), sys.LOCK_EX|sys.LOCK_NB, sys.O_CLOEXEC)
			asked.Release()
			err = disk.Ignore(err, fs.ErrNotExist)
		}
		if err != nil {
			l.Release()
		}
		return errors.Is(err, account.ErrInUse), err
	})
	if errors.Is(err, account.ErrInUse) {
		return l, inUse(accountText(acct), "its lock is held")
	}
	if err != nil {
		return l, err
	}
	err = refuseUse(acct, "") // nobody else has the lock now, but a session may have closed it
	if err == nil {
		err = s.refuseChanged(acct)
	}
	if err == nil {
		_, err = login.EndChange(acct) // what a killed codex login or logout left
	}
	if err != nil {
		l.Release()
	}
	return l, err
}

func (s Setup) refuseChanged(acct account.Account) error {
	now, err := s.Store.FindRemnant(acct.Meta.Label)
	was, is := acct.Meta, now.Meta
	if err == nil && (is.Confine != was.Confine || is.State != was.State || !is.CreatedAt.Equal(was.CreatedAt)) {
		err = fmt.Errorf("account %q was changed a moment ago: try again", was.Label)
	}
	return err
}

// RefuseUse returns an error if the account is in use.
func RefuseUse(s Setup, acct account.Account) error {
	return refuseUse(acct, s.Store.LockFile(acct.Key))
}

func refuseUse(acct account.Account, lockFile string) error {
	if process.LockTellsAll { // taking the lock exclusively fails then
		return nil
	}
	return RefuseUseOf(accountText(acct), acct.CodexHome(), lockFile)
}

// RefuseUseOf returns an error, which begins with what, if a program uses the codex home: see [process.InUse]. It waits for a second:
// children of an ended codex may live a moment longer.
func RefuseUseOf(what, codexHome, lockFile string) error {
	var use process.Use
	err := disk.Briefly(time.Second, func() (again bool, err error) {
		use, err = process.InUse(codexHome, lockFile)
		return use.Any(), err
	})
	switch {
	case err != nil:
		return err
	case len(use.Processes) > 0:
		return inUse(what, fmt.Sprintf("by %v", use.Processes[0]))
	case use.Any():
		return inUse(what, "by a process that cannot be seen from here")
	}
	return nil
}

func accountText(acct account.Account) string { return fmt.Sprintf("account %q", acct.Meta.Label) }

func inUse(what, by string) error {
	return say.WithHint(fmt.Errorf("%s is %w: %s", what, account.ErrInUse, by), "end its sessions first")
}

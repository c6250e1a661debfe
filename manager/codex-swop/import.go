//go:build unix

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/manager/account"
	"swop/manager/disk"
	"swop/manager/login"
	"swop/manager/projection"
	"swop/manager/store"
	"swop/say"
)

// addImported makes the account and moves an auth.json into it. A refresh token has one owner: nothing is copied, nothing stays behind.
func (a *app) addImported(s scene, n addition) error {
	file, err := filepath.Abs(n.file)
	if err != nil {
		return err
	}
	if err := checkImport(s, file); err != nil {
		return err
	}
	acct, l, err := s.store.Begin(a.fresh(s, n))
	if err != nil {
		return err
	}
	s.Root, err = store.ReadRoot(s.Places.Root)
	if err == nil {
		err = a.reconcile(s, acct, projection.Options{})
	}
	if err == nil {
		err = a.moveLogin(s, acct, file)
	}
	if err != nil {
		l.Release()
		return a.undo(s, acct, err)
	}
	defer l.Release()
	a.say("moved %s into the account %q: %s", file, acct.Meta.Label, loggedOut(s, file))
	return s.store.Finish(acct)
}

// moveLogin stops the server that runs with the login where it was, and moves it.
func (a *app) moveLogin(s scene, acct account.Account, file string) error {
	home := filepath.Dir(file)
	if err := a.stopServerAt(s, home, s.Env.With("CODEX_HOME", home), noForce); err != nil {
		return err
	}
	return login.MoveLogin(acct, file)
}

// loggedOut says who has no login any more.
func loggedOut(s scene, file string) string {
	if filepath.Dir(file) == s.SharedHome() {
		return "codex without an account is logged out now"
	}
	return fmt.Sprintf("codex with CODEX_HOME=%s is logged out now", filepath.Dir(file))
}

// checkImport refuses a file that cannot be moved whole, or is not a login. Its mode is narrowed, as codex would.
func checkImport(s scene, file string) error {
	f, err := os.OpenFile(file, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, unix.ELOOP) {
		return unsafe("%s: is a link", file)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return &os.PathError{Op: "stat", Path: file, Err: err}
	}
	if err := importable(s, file, &st); err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(f, st.Size))
	if err != nil {
		return err
	}
	switch login.ParseLogin(text).Mode {
	case "unreadable", "other":
		return fmt.Errorf("%s: is not a login of codex", file)
	}
	return f.Chmod(0o600)
}

func importable(s scene, file string, st *unix.Stat_t) error {
	switch {
	case st.Mode&unix.S_IFMT != unix.S_IFREG:
		return unsafe("%s: is not a regular file", file)
	case int(st.Uid) != os.Geteuid():
		return unsafe("%s: belongs to uid %d", file, st.Uid)
	case st.Nlink > 1:
		return unsafe("%s: has another name, which would keep the login", file)
	case st.Size > 1<<20:
		return fmt.Errorf("%s: is not a login of codex, it has %d bytes", file, st.Size)
	}
	return importablePlace(s, file, uint64(st.Dev))
}

// importablePlace refuses a login that is an account's already, and one that a rename cannot move.
func importablePlace(s scene, file string, dev uint64) error {
	dir, err := filepath.EvalSymlinks(filepath.Dir(file))
	if err != nil {
		return err
	}
	accounts := filepath.Join(s.Places.Root, "accounts")
	if resolved, err := filepath.EvalSymlinks(accounts); err == nil {
		accounts = resolved
	}
	if config.Within(dir, accounts) {
		return say.WithHint(unsafe("%s: is an account's login already", file), "codex swop rename OLD NEW")
	}
	if err := projection.CheckDevice(s.store, file, dev); err != nil {
		return say.WithHint(err, "a login is never copied: log in again, without --import")
	}
	return nil
}

func unsafe(format string, args ...any) error {
	return fmt.Errorf("%w: %s", disk.ErrUnsafe, fmt.Sprintf(format, args...))
}

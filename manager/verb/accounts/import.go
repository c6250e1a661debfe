package accounts

import (
	"fmt"
	"os"
	"path/filepath"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/home/takeover"
	"swop/internal/say"
	"swop/manager/verb"
)

// outsideLogin returns the path of the auth.json that codex uses without an account.
func outsideLogin(s verb.Setup) string { return filepath.Join(s.SharedHome(), "auth.json") }

// addImported creates the account and moves an auth.json, which no codex uses, into it. No login is copied: a refresh token has one owner.
func addImported(s verb.Setup, n addition) error {
	file, err := filepath.Abs(n.file)
	if err == nil {
		err = checkImport(s, file)
	}
	if err == nil {
		err = checkHomeUnused(s, filepath.Dir(file))
	}
	if err != nil {
		return err
	}
	return addWithLogin(s, n, func(s verb.Setup, acct account.Account) error {
		if err := login.MoveLogin(acct, file); err != nil {
			return err
		}
		s.Say("moved %s into the account %q", file, acct.Meta.Label)
		return nil
	})
}

// checkImport refuses a file that cannot be moved, or is not a login.
func checkImport(s verb.Setup, file string) error {
	if disk.IsDir(file) {
		err := disk.Unsafe("%s: is a directory, not an auth.json", file)
		return say.WithHint(err, "codex swop add LABEL --import "+say.ShellQuote(filepath.Join(file, "auth.json")))
	}
	text, err := readMovable(file)
	if err != nil {
		return err
	}
	switch login.ParseLogin([]byte(text)).Mode {
	case "unreadable", "other", "none":
		return say.WithHint(fmt.Errorf("%s: is not a login of codex", file), "--import needs an auth.json, as ~/.codex/auth.json")
	}
	return importablePlace(s, file)
}

// readMovable returns the text of a login's file. It refuses a link, another user's file, and a file with another hard link: a move would
// not make it the account's alone.
func readMovable(file string) (text string, err error) {
	var st sys.Stat_t
	text, err = disk.ReadFileStat(file, sys.O_NOFOLLOW, login.MaxAuth, &st)
	switch {
	case err != nil:
	case int(st.Uid) != os.Geteuid():
		err = disk.Unsafe("%s: belongs to uid %d", file, st.Uid)
	case st.Nlink > 1:
		err = disk.Unsafe("%s: has another hard link, which would keep the login", file)
	}
	return text, err
}

// importablePlace refuses a login in an account, and one on another file system, which no rename can move.
func importablePlace(s verb.Setup, file string) error {
	dir, err := filepath.EvalSymlinks(filepath.Dir(file))
	if err == nil {
		err = s.Places.CheckProfile(dir) // a moved file has the rights of its old place
	}
	if err != nil {
		return err
	}
	if config.Within(dir, disk.Resolve(s.Store.AccountsDir())) {
		return say.WithHint(disk.Unsafe("%s: is an account's login already", file), "codex swop rename OLD NEW")
	}
	if err := takeover.CheckDevice(s.Store, file); err != nil {
		return say.WithHint(err, "a login is never copied: log in again, without --import")
	}
	return nil
}

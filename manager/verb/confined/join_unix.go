//go:build unix

package confined

import (
	"errors"
	"fmt"
	"strings"

	"swop/account"
	"swop/account/store"
	"swop/bridge"
	"swop/config"
	"swop/manager/verb"
	"swop/manager/verb/accounts"
)

// The far side of codex swop ssh.

// carryLogin passes requests of codex here on to the machine that has the login, for as long as ssh lasts.
func carryLogin(call *verb.Call, dir string) error {
	name, ours := strings.CutPrefix(dir, farDirs)
	if !ours || name == "" || strings.ContainsAny(name, "/.") {
		return verb.Usagef("--carry is for codex swop ssh itself")
	}
	return bridge.Carry(dir, carries, call.Stdin, call.Stdout)
}

// joinLogin runs codex with the login that is served in dir, under an account that lasts as long.
func joinLogin(s verb.Setup, dir string, args []string) error {
	acct, l, err := beginJoined(s)
	if err != nil {
		return err
	}
	defer func() { l.Release(); s.CatchUp() }() // which removes an account with a stand-in that nobody holds
	if s.Root, err = store.ReadRoot(s.Places.Root); err != nil {
		return err
	}
	s.Settings = s.Settings.With(acct.Key, config.AccountSettings{Login: config.LoginServed, Socket: dir})
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	return accounts.RunIn(s, acct, "", append([]string{"codex"}, args...))
}

// beginJoined makes an account of the first free label, and holds it. Labels are used again, so that no more accounts leave their link than there
// were sessions at once. It is unfinished as long as it is there: pools pass it over, and the next run removes it if this one is killed.
func beginJoined(s verb.Setup) (acct account.Account, l account.Lock, err error) {
	for n := 1; n == 1 || errors.Is(err, account.ErrExists); n++ {
		acct, l, err = s.Store.Begin(store.New{Label: fmt.Sprintf("ssh-%d", n), State: account.StateShared, SharedHome: s.SharedHome(), Now: s.Now()})
	}
	return acct, l, err
}

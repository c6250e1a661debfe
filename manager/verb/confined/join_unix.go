//go:build unix

package confined

import (
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"swop/account"
	"swop/account/store"
	"swop/bridge"
	"swop/config"
	"swop/disk"
	"swop/manager/verb"
	"swop/manager/verb/accounts"
	"swop/say"
	"swop/session"
	"swop/shim"
)

// The far side of codex swop ssh.

// receiveLogin makes the directory that the login is served in.
func receiveLogin(call *verb.Call, dir string) error {
	if !strings.HasPrefix(dir, farDirs) || strings.ContainsAny(dir[len(farDirs):], "/.") {
		return verb.Usagef("--receive is for codex swop ssh itself")
	}
	if err := bridge.Receive(dir, call.Stdin); err != nil {
		return err
	}
	fmt.Fprintln(call.Stdout, received)
	return nil
}

// joinLogin runs codex with the login that is served in dir, under an account that lasts as long.
func joinLogin(s verb.Setup, dir string, args []string) error {
	if strings.HasPrefix(dir, farDirs) {
		defer os.RemoveAll(dir)
	}
	sweepJoined(s)
	acct, err := s.Store.Create(store.New{Label: joinedStart + strings.ToLower(rand.Text()[:joinedRandom]), State: account.StateShared, SharedHome: s.SharedHome(), Now: s.Now()})
	if err != nil {
		return err
	}
	defer func() { forget(s, acct) }()
	if err := disk.CreateFile(filepath.Join(acct.Dir, joinedMark), nil); err != nil {
		return err
	}
	if s.Root, err = store.ReadRoot(s.Places.Root); err != nil {
		return err
	}
	s.Settings.Accounts = maps.Clone(s.Settings.Accounts)
	if s.Settings.Accounts == nil {
		s.Settings.Accounts = map[string]config.AccountSettings{}
	}
	s.Settings.Accounts[acct.Key] = config.AccountSettings{Login: config.LoginServed, Socket: dir}
	policy, err := s.PolicyHere(acct.Key)
	if err != nil {
		return err
	}
	ready, err := s.Ready(acct.Meta.Label, policy)
	if err != nil {
		return err
	}
	real, err := s.Codex()
	if err != nil {
		return err
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	command := append([]string{"codex"}, args...)
	d := shim.Decision{Invocation: s.Invocation, Settings: s.Settings, Prepared: ready, Program: real, Args: command, Env: s.Environment(ready)}
	call := shim.Call{Args: command, Env: s.Environ, Stderr: s.Stderr, Now: s.Now(), Executable: func() (string, error) { return s.Shim(), nil }}
	status, err := session.RunProgram(call, accounts.Hooks(s.Call), &d, "")
	if err != nil {
		say.Error(s.Stderr, err)
		return verb.Exited(126)
	}
	return verb.Exited(status)
}

// The labels of accounts that last as long as a session of the other side, and a file in their sandboxes that other accounts do not have.
const (
	joinedStart  = "ssh-"
	joinedRandom = 8
	joinedMark   = "joined"
)

// sweepJoined removes what sessions left that were killed: accounts that nobody uses and that have a stand-in, and directories in which nobody serves.
func sweepJoined(s verb.Setup) {
	all, _ := s.Store.Accounts() // one that cannot be read is not one of these
	for _, acct := range all {
		_, err := os.Lstat(filepath.Join(acct.Dir, joinedMark))
		if err == nil && bridge.HoldsStandIn(acct.AuthFile()) && verb.RefuseUse(s, acct) == nil {
			forget(s, acct)
		}
	}
	bridge.SweepReceived(farDirs, s.Now())
}

// forget removes the account with its stand-in.
func forget(s verb.Setup, acct account.Account) {
	l, err := s.Store.LockExclusive(acct.Key)
	if err == nil {
		defer l.Release()
		err = errors.Join(disk.RemoveIfExists(acct.AuthFile()), s.Rescue(acct))
	}
	if err == nil {
		err = s.Store.Delete(acct, s.Root.SharedHome.Path)
	}
	if err != nil {
		say.Error(s.Stderr, fmt.Errorf("account %q stays: %w", acct.Meta.Label, err))
	}
}

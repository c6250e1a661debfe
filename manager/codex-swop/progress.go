//go:build unix

package main

import (
	"os"

	"swop/config"
	"swop/manager"
)

// manyLinks is how many entries take long enough to link that one wonders: seconds on a busy machine.
const manyLinks = 5000

// reconcile makes the account's sandbox whole. Where very much is to be linked for that, as at the first time for a huge home, it says
// so first to the person at the terminal.
func (a *app) reconcile(s scene, account manager.Account, quiet manager.Quiet) error {
	if isTerminal(a.stderr) {
		if n := s.toLink(account); n >= manyLinks {
			a.say("linking %d entries into the account %q, which takes a moment", n, account.Meta.Label)
		}
	}
	return s.store.Reconcile(account, s.Root, s.settings, quiet, a.tell)
}

// toLink is about how many entries of the homes the account's sandbox does not show yet.
func (s scene) toLink(account manager.Account) int {
	n := max(0, entriesOf(s.Root.SharedHome.Path)-entriesOf(account.CodexHome()))
	if isolation, _ := s.settings.For(account.Key); isolation == config.IsolateHome {
		n += max(0, entriesOf(s.Home)-entriesOf(account.Home()))
	}
	return n
}

// entriesOf is how many entries a directory has, 0 if it cannot be read, which is not said here.
func entriesOf(dir string) int {
	d, err := os.Open(dir)
	if err != nil {
		return 0
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	return len(names)
}

//go:build unix

package main

import (
	"fmt"

	"swop/account"
	"swop/home/mirror"
	"swop/session"
)

// reconcile completes the account's sandbox.
func (a *app) reconcile(s setup, acct account.Account, how mirror.Options) error {
	o := session.PrepareOptions{Stderr: a.Stderr}
	defer a.watch(acct.Meta.Label, &o)()
	how.Progress = o.Progress
	return mirror.Reconcile(s.store, acct, s.Root, s.settings, how, o.Say)
}

// watch shows on a terminal how far the preparation of an account, or of all where label is "", has come, if it takes long: the first time in
// a huge home, on a slow disk, or while another codex does it.
func (a *app) watch(label string, o *session.PrepareOptions) (end func()) {
	text := fmt.Sprintf("preparing the account %q", label)
	if label == "" {
		text = "updating the accounts that ran since the last time"
	}
	p := a.Progress(text)
	if p == nil {
		return func() {}
	}
	o.Stderr = p
	o.Progress = func(done, among int) {
		p.Set(fmt.Sprintf("linking %d of %d entries into the account %q", done, among, label))
	}
	return p.End
}

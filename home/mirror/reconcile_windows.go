package mirror

import (
	"swop/account"
	"swop/account/store"
	"swop/config"
	"swop/disk"
	"swop/disk/sys"
	"swop/home/join"
)

// reconcile does what Reconcile does, and reports whether there was anything to repair.
func reconcile(s store.Store, a account.Account, root account.Root, settings config.Settings, options Options, say func(string)) (changed bool, err error) {
	o := joined(s, a, root, settings)
	o.Idle, o.Waiting, o.Say = options.Idle, options.Waiting, say
	return join.Reconcile(o)
}

// Examine returns what the next reconcile of the account would repair. It writes nothing.
func Examine(s store.Store, a account.Account, root account.Root, settings config.Settings) (list []Defect, err error) {
	err = join.Examine(joined(s, a, root, settings), func(name, text string) { list = append(list, Defect{Name: name, Text: text, Own: true}) })
	return list, err
}

// CheckVolumes refuses homes whose entries cannot be linked, before there is an account.
func CheckVolumes(s store.Store, sharedHome string) error {
	return join.CheckVolumes(sharedHome, s.Root, sys.Unlinkable)
}

func joined(s store.Store, a account.Account, root account.Root, settings config.Settings) join.Options {
	_, private := settings.For(a.Key)
	return join.Options{Layout: s.Layout, Account: a, Root: root, Private: private.CodexHome, Unlinkable: sys.Unlinkable, Clock: disk.Clock}
}

package mirror

import (
	"swop/account"
	"swop/account/store"
	"swop/config"
)

// Reconcile repairs the account's sandbox: its codex home shows the shared home, and its home shows the real one unless the account's
// isolation leaves HOME alone. What the account's programs made or replaced is shared, by the rules. On the fast path no lock is taken. say
// gets a line for each version that is kept because two changed.
func Reconcile(s store.Store, a account.Account, root account.Root, settings config.Settings, options Options, say func(string)) error {
	_, err := reconcile(s, a, root, settings, options, say)
	return err
}

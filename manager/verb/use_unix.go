//go:build unix

package verb

import "swop/account"

// refuseUnlocked returns an error if the account, which is locked, is in use by processes that do not have the lock.
func refuseUnlocked(s Setup, acct account.Account) error { return RefuseUse(s, acct) }

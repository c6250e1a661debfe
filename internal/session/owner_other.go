//go:build !linux

package session

import (
	"time"

	"swop/config"
	"swop/internal/account"
	"swop/shim"
)

// ActAsOwner does nothing here: a thread has no user of its own for file access.
func ActAsOwner(i shim.Invocation) (undo func()) { return func() {} }

// BringBack brings nothing back: a session writes in the account's own codex home.
func BringBack(shim.Invocation, account.Account, config.Settings, func() time.Time, func(string)) error {
	return nil
}

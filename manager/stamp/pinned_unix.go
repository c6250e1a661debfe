//go:build unix

package stamp

import (
	"path/filepath"

	"swop/manager/account"
)

// What an account had of its own under an earlier table or an earlier config.toml stays its own, until it is shared by name: a rule
// that goes must not bring one account's file to all others. The names are kept in the sandbox, in the file "kept", a quoted name a
// line after the view's name; it is synced, for losing it would share what was private.

func PinnedFile(a account.Account) string { return filepath.Join(a.Dir, "kept") }

//go:build unix

package stamp

import (
	"path/filepath"

	"swop/manager/account"
)

// What was private to an account under an earlier table or an earlier config.toml is pinned: it stays private until it is shared by name.
// A rule that goes must not bring one account's file to all others. The file "kept" in the sandbox has the pinned names, one a line: the
// name of the view, then the quoted name. It is synced: losing it would share what was private.

// PinnedFile is the file of the account's pinned names.
func PinnedFile(a account.Account) string { return filepath.Join(a.Dir, "kept") }

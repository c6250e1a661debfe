// Package rules tells whether anything changed since an account's links were last repaired. It holds the table of rules, too, on which
// that depends.
package rules

import (
	"swop/config"
	"swop/internal/account"
)

// FastPath is what a start of codex knows when it asks for an account.
type FastPath struct {
	Layout   account.Layout
	Root     *account.Root
	Settings *config.Settings
}

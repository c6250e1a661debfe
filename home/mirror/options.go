package mirror

import (
	"time"

	"swop/account"
)

// Options says what may be moved in an account. The functions are called only where it matters; nil means no.
type Options struct {
	// Idle reports whether nobody else holds the account's lock, as its sessions do.
	Idle func() (bool, error)
	Checks
	// Thorough scans even if nothing changed since the last scan.
	Thorough bool
	// QuietFor is how long a file that replaced its link must be unchanged before it is moved while a session runs; 0 is ten seconds.
	QuietFor time.Duration
}

// Checks are questions about processes: what runs in an account, and whom a reconcile waits for. Each may be nil.
type Checks struct {
	NoSession   func(account.Account) (bool, error) // where nobody has the account's lock: a session may have lost it
	OnlyServer  func(account.Account) (bool, error) // where somebody has: the background server may be all that does
	NoProcesses func(account.Account) (bool, error) // not even the server
	// Waiting is called before the lock of the shared home is waited for, with its file, and what it returns when it is there.
	Waiting func(lockFile string) (arrived func())
	// Listed is true where the caller lists the entries that wait, with [Examine]: no line says how many.
	Listed bool
}

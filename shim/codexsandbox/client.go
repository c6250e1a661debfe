package codexsandbox

import (
	"io"
	"time"
)

// Client runs commands in codex's sandbox under one account. Its methods may be called from several goroutines, its fields not be
// changed meanwhile, nor the Client be copied.
type Client struct {
	// Account is the account's label. "" is none: codex runs with the caller's own homes.
	Account string
	// Env is the caller's environment, as os.Environ has it. The account's is made of it as at a call of codex: where the caller is
	// in a session already, that one is left first.
	Env []string
	// Now is time.Now. It dates the last use of the account.
	Now func() time.Time

	// Dir is the working directory of requests that name none; "" is the process's own.
	Dir string
	// Stdout and Stderr are the mirrors of requests that name none; nil is none.
	Stdout, Stderr io.Writer
	// Log gets what swop says while it makes the account's sandbox whole, such as that a version of a file was set aside; nil is nobody.
	Log io.Writer
	// Shim is the path of swop's own codex, which is not to be taken for the real one; "" is the one on PATH.
	Shim string

	known releases
}

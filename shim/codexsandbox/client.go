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
	// Env is the caller's environment, as os.Environ returns it. The account's is derived from it as for a call of codex: if the caller
	// is in a session already, that session is left first.
	Env []string
	// Now is time.Now. It gives the time of the account's last use.
	Now func() time.Time

	// Dir is the working directory of requests that name none; "" is the process's own.
	Dir string
	// Stdout and Stderr are the mirrors of requests that name none; nil is none.
	Stdout, Stderr io.Writer
	// Log gets what swop says while it repairs the account's sandbox, such as that another version of a file was kept; nil discards it.
	Log io.Writer
	// Shim is the path of swop's own codex, so that it is not taken for the real one; "" is the one on PATH.
	Shim string

	known releases
}

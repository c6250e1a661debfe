// Package bridge lets the commands of a session use secrets that they cannot read: requests go to a socket of the session, and outside of
// it, where the supervisor is, a request that the configuration allows gets the secret and is sent on.
package bridge

import "errors"

// ErrRefused says that a host command does not run.
var ErrRefused = errors.New("refused")

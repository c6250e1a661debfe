//go:build unix

package confined

import (
	"swop/internal/bridge"
	"swop/manager/verb"
)

// RunHostCommand runs a command of [bridge.commands] outside of the session, with our arguments and output. It reports whether this program
// was called as one.
func RunHostCommand(call *verb.Call, name string) (is bool, err error) {
	if !bridge.IsCommand(call.Environ, name) {
		return false, nil
	}
	status, err := bridge.RunHost(call.Environ.Value(bridge.DirVariable), name, call.Args, call.Stdout, call.Stderr)
	if err == nil {
		err = verb.Exited(status)
	}
	return true, err
}

//go:build unix

package confined

import (
	"swop/internal/bridge"
	"swop/manager/verb"
)

// IsHostCommand reports whether this program was called as a command of [bridge.commands].
func IsHostCommand(call *verb.Call, name string) bool { return bridge.IsCommand(call.Environ, name) }

// RunHostCommand runs a command of [bridge.commands] outside of the session, with our arguments and output.
func RunHostCommand(call *verb.Call, name string) error {
	status, err := bridge.RunHost(call.Environ.Value(bridge.DirVariable), name, call.Args, call.Stdout, call.Stderr)
	if err != nil {
		return err
	}
	return verb.Exited(status)
}

//go:build !linux

package session

import (
	"swop/internal/confine"
	"swop/shim"
)

var errNotLinux = &confine.Unavailable{Reason: "that needs Linux, or WSL"}

func (*running) confine() error { return errNotLinux }

// No session is confined, and so no call is made in one.
func runNested(shim.Call) (status int, is bool) { return 0, false }

// KeepsSignals says that nothing keeps the signals of a session inside.
func KeepsSignals() string { return "" }

// CheckConfinement says that no session can be confined.
func CheckConfinement() error { return errNotLinux }

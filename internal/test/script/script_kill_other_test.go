//go:build unix && !linux

package swop_test

import (
	"errors"
)

func becomeTraced() {}

func killAtMain() { fail(errors.New("there is no killat on this platform")) }

func failAtMain() { fail(errors.New("there is no failat on this platform")) }

func amidMain() { fail(errors.New("there is no amid on this platform")) }

// killIn is for Linux: elsewhere a script that hangs ends with the whole run.
func killIn(string) {}

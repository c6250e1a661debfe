//go:build unix && !linux

package main

import "fmt"

func becomeTraced() {}

func traceMain(name string) { fail(fmt.Errorf("there is no %s on this platform", name)) }

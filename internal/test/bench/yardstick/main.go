// Command yardstick does nothing but exec the program that it was linked to name: what a start of any Go program costs.
package main

import (
	"os"
	"syscall"
)

var target string // set by the linker

func main() {
	_ = syscall.Exec(target, os.Args, os.Environ()) // it fails to be measured then
	os.Exit(127)
}

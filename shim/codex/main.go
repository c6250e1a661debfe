// Command codex is the shim: it runs the real Codex CLI under one of the user's accounts. It is over before the number of its processors
// could change: updatemaxprocs=0 spares it the goroutine that would look for that.
//
//go:debug updatemaxprocs=0
package main

import (
	"os"
	"time"

	"swop/shim"
)

func main() {
	os.Exit(shim.Run(&shim.Call{
		Args: os.Args, Env: os.Environ(), Executable: os.Executable, Stderr: os.Stderr, Now: time.Now,
	}))
}

//go:debug containermaxprocs=0
//go:debug updatemaxprocs=0
//go:debug decoratemappings=0

// Command codex is the shim: it runs the real Codex CLI under one of the user's accounts.
package main

import (
	"os"
	"time"

	"swop/shim"
)

func main() {
	os.Exit(shim.Run(&shim.Call{Args: os.Args, Env: os.Environ(), Executable: os.Executable, Stdout: os.Stdout, Stderr: os.Stderr, Now: time.Now()}))
}

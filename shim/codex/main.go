// Command codex is the shim: it runs the real Codex CLI under one of the user's accounts.
package main

import (
	"os"
	"time"

	"swop/shim"
)

func main() {
	exe, err := os.Executable()
	if err != nil {
		shim.Complain(os.Stderr, err)
		os.Exit(125)
	}
	os.Exit(shim.Run(shim.Process{Args: os.Args, Env: os.Environ(), Executable: exe, Stderr: os.Stderr, Now: time.Now()}))
}

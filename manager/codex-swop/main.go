//go:build unix

// Command codex-swop manages the accounts: the shim execs it for `codex swop …`. One file holds one verb.
package main

import (
	"os"
	"time"
)

func main() {
	exe, err := os.Executable()
	a := &app{
		args: os.Args[1:], env: os.Environ(), executable: exe, now: time.Now,
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
	}
	if err == nil {
		err = a.root().Execute()
	}
	os.Exit(a.exit(err))
}

//go:build unix

// Command codex-swop manages the accounts: the shim execs it for `codex swop …`. One file holds one verb.
package main

import (
	"os"
	"path/filepath"
	"time"

	"swop/shim"
)

func main() {
	exe, err := os.Executable()
	if len(os.Args) > 1 && (os.Args[1] == shim.WholeVerb || os.Args[1] == shim.FoundVerb) {
		os.Exit(goOn(exe, err))
	}
	a := &app{
		args: os.Args[1:], env: os.Environ(), executable: exe, now: time.Now,
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
	}
	if err == nil {
		err = a.root().Execute()
	}
	os.Exit(a.exit(err))
}

// goOn is a call of codex that the shim left to us. exe is our own path; the shim lies beside it.
func goOn(exe string, err error) int {
	return shim.RunWhole(shim.Process{
		Args: os.Args[2:], Env: os.Environ(), Stderr: os.Stderr, Now: time.Now(),
		Executable: func() (string, error) { return filepath.Join(filepath.Dir(exe), "codex"), err },
	}, os.Args[1])
}

// Command codex-swop manages the accounts: the shim execs it for `codex swop …`. The verbs are in manager/verb, one file each.
package main

import (
	"bufio"
	"os"
	"path/filepath"
	"time"

	"swop/internal/confine"
	"swop/internal/session"
	"swop/internal/session/supervise"
	"swop/manager/terminal"
	"swop/manager/verb"
	"swop/manager/verb/accounts"
	"swop/manager/verb/confined"
	"swop/shim"
)

func main() {
	exe, err := os.Executable()
	call := &verb.Call{
		Args: os.Args[min(1, len(os.Args)):], Environ: os.Environ(), Executable: exe, Now: time.Now,
		Streams: terminal.Streams{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr},
	}
	call.Colorless = call.Environ.Value("NO_COLOR") != ""
	call.Dumb = call.Environ.Value("TERM") == "" || call.Environ.Value("TERM") == "dumb"
	if len(os.Args) > 0 {
		if status, ok := confine.RunProcess(os.Args[0], call.Args, call.Environ); ok {
			os.Exit(status)
		}
		if os.Args[0] == shim.Handover {
			os.Exit(supervise.AsEnded(runCodex(call, err)))
		}
		if is, err := confined.RunHostCommand(call, filepath.Base(os.Args[0])); is {
			os.Exit(call.Exit(err))
		}
	}
	if err != nil {
		os.Exit(call.Exit(err))
	}
	err = refuseInside(call)
	if err == nil {
		err = execute(call)
	}
	os.Exit(supervise.AsEnded(call.Exit(err)))
}

// execute runs the verb. Cobra writes help and the words of a completion line by line: a buffer lets them out in one piece.
func execute(call *verb.Call) error {
	out := bufio.NewWriter(call.Stdout)
	cmd := root(call)
	cmd.SetOut(out)
	err := cmd.Execute()
	if flushed := out.Flush(); err == nil {
		err = flushed
	}
	return err
}

// runCodex runs a call of codex on the slow path and returns the exit status. err is the reason why the path of this program, and so of the
// shim, is unknown.
func runCodex(call *verb.Call, err error) int {
	start := shim.Call{
		Args: call.Args, Env: call.Environ, Stderr: call.Stderr, Now: call.Now,
		Executable: func() (string, error) { return call.Shim(), err },
	}
	return session.Run(start, accounts.Reader(call))
}

//go:build unix

// Command codex-swop manages the accounts: the shim execs it for `codex swop …`. One file holds one verb.
package main

import (
	"bufio"
	"os"
	"time"

	"swop/confine"
	"swop/disk"
	"swop/manager/terminal"
	"swop/session"
	"swop/shim"
)

func main() {
	exe, err := os.Executable()
	a := &app{
		args: os.Args[min(1, len(os.Args)):], env: os.Environ(), executable: exe, now: time.Now,
		Streams: terminal.Streams{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr},
	}
	a.Colorless = a.env.Value("NO_COLOR") != ""
	a.Dumb = a.env.Value("TERM") == "" || a.env.Value("TERM") == "dumb"
	if len(os.Args) > 0 {
		if status, ok := confine.RunProcess(os.Args[0], a.args, a.env); ok {
			os.Exit(status)
		}
		if os.Args[0] == shim.Handover || os.Args[0] == shim.HandoverFound {
			os.Exit(a.runCodex(os.Args[0], err))
		}
	}
	if err == nil {
		err = disk.CheckDescriptors()
	}
	if err != nil {
		os.Exit(a.exit(err)) // without a look at PATH, which needs descriptors
	}
	err = a.refuseInside()
	if err == nil {
		err = a.execute()
	}
	status := a.exit(err)
	a.sayPath()
	os.Exit(status)
}

// execute runs the verb. What cobra itself prints, help and the words of a completion, goes out in one piece: it writes each line on its own.
func (a *app) execute() error {
	out := bufio.NewWriter(a.Stdout)
	cmd := a.root()
	cmd.SetOut(out)
	err := cmd.Execute()
	if flushed := out.Flush(); err == nil {
		err = flushed
	}
	return err
}

// runCodex runs a call of codex on the slow path and returns the exit status. err says why our own path, and so the shim's, is not known.
func (a *app) runCodex(argv0 string, err error) int {
	start := shim.Call{
		Args: a.args, Env: a.env, Stderr: a.Stderr, Now: a.now(), Handover: argv0,
		Executable: func() (string, error) { return a.shim(), err },
	}
	return session.Run(start, a.hooks())
}

func (a *app) hooks() session.Hooks {
	return session.Hooks{
		Watch:       a.watch,
		ChangeLogin: func(label string) error { return a.changeLoginOf(label) },
		StopServer:  func(label string) error { return a.stopServerOf(label) },
		Create:      func(label string) error { return a.mayCreate(label) },
		Now:         a.now,
	}
}

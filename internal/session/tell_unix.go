//go:build unix

package session

import (
	"os"
	"path/filepath"
	"syscall"

	"swop/shim"
)

// tellLimits lets codex be asked for the account's limits, beside the session: codex-swop, which asks, runs on_limit. The session waits for
// nothing but a shell that leaves it behind, so that it is no child of codex's. What goes wrong concerns no session.
func (p plan) tellLimits(c *shim.Call) {
	shimPath, err := c.Executable()
	if err != nil {
		return
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer null.Close()
	args := []string{"sh", "-c", `"$0" usage "$1" &`, filepath.Join(filepath.Dir(shimPath), "codex-swop"), p.Prepared.Meta.Label}
	pid, err := syscall.ForkExec("/bin/sh", args, &syscall.ProcAttr{
		Env: p.Invocation.Env, Dir: "/", Files: []uintptr{null.Fd(), null.Fd(), null.Fd()}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err == nil {
		_, _ = syscall.Wait4(pid, nil, 0, nil) // how it ends says nothing
	}
}

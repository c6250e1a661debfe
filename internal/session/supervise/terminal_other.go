//go:build unix && !linux

package supervise

import (
	"os"
	"os/signal"
	"syscall"
)

// dyingWithParent is empty: only Linux kills a child with its parent.
func dyingWithParent() *syscall.SysProcAttr { return nil }

// dieBy ends this process by the signal, where Go does not print stacks for it instead. It may return before that takes effect.
func dieBy(sig syscall.Signal) {
	switch sig {
	case syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGKILL, syscall.SIGPIPE:
		signal.Reset(sig)
		_ = syscall.Kill(os.Getpid(), sig) // cannot fail for oneself
	}
}

// stopBy stops this process. It does that by SIGSTOP for any signal: Go's handler takes the others for nothing.
func stopBy(syscall.Signal) { _ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) }

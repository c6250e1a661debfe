//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// ownSession gives a command a session without the terminal: an interactive shell of a test would take that for itself, and stop all else.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// passOnSignals sends a session the signals by which a terminal, or its end, ends this program.
func passOnSignals(session int) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		for s := range signals {
			_ = syscall.Kill(-session, s.(syscall.Signal)) // it may have ended
		}
	}()
}

package codexsandbox

import (
	"syscall"
)

// Run is what came of a command, or of as much of it as there was until it was stopped.
type Run struct {
	// Status is the exit status, 128 + the number of the signal where a signal ended the command. Codex's own failures are statuses,
	// too, with what it says on Stderr: a command that is not found is 101.
	Status int
	// Signal is the signal that ended the command, 0 if none did. Codex reports it as its exit status, so that a command which itself
	// exits with 137 cannot be told from one that SIGKILL ended.
	Signal syscall.Signal
	// Stopped says why the command was ended before its time, "" if it was not.
	Stopped Stop
	// Stdout and Stderr are all that the command and codex wrote, byte for byte.
	Stdout, Stderr []byte
	// Release is that of the codex that ran.
	Release Release
	// Args is the argument vector that codex got, its name first.
	Args []string
}

// Stop is why a command was ended before its time.
type Stop string

// The reasons to end a command.
const (
	TimedOut Stop = "timeout"   // Request.Timeout, or the deadline of the context
	Canceled Stop = "cancelled" // the context
)

package codexsandbox

import (
	"syscall"
)

// Run is the outcome of a command, also of one that was stopped.
type Run struct {
	// Status is the exit status, or 128 + the number of the signal that ended the command. Codex's own failures are statuses too, with a
	// message on Stderr: a command that is not found is 101.
	Status int
	// Signal is the signal that ended the command, 0 if none did. Codex reports it as its exit status, so a command that exits with 137
	// looks like one that SIGKILL ended.
	Signal syscall.Signal
	// Stopped is why the command was stopped, "" if it was not.
	Stopped Stop
	// Stdout and Stderr are all bytes that the command and codex wrote.
	Stdout, Stderr []byte
	// Release is the release of the codex that ran.
	Release Release
	// Args is codex's argument vector, its name first.
	Args []string
}

// Stop is why a command was stopped.
type Stop string

// The reasons to stop a command.
const (
	TimedOut Stop = "timeout"   // Request.Timeout, or the deadline of the context
	Canceled Stop = "cancelled" // the context
)

package process

import (
	"fmt"
	"os"
	"strings"
)

// Process is a live process of this user. A pid alone is no identity, it is given again: the start time belongs to it.
type Process struct {
	PID     int
	Command string // the last component of argv[0], else the kernel's name; another program chose it

	Parent  int
	session int    // the session's leader: PID itself for a daemon
	Start   uint64 // of its own clock; only to be compared
	exe     string // the program's path, "" if it cannot be read
	args    []string
	Env     processEnv
	account accountTie

	snapshot bool // it takes a snapshot of the user's shell for codex, or runs below what does
}

func (p Process) String() string { return fmt.Sprintf("%q (pid %d)", p.Command, p.PID) }

// processEnv is what is kept of a process's environment, "" for what is absent: the rest holds other people's secrets.
type processEnv struct {
	CodexHome string
	home      string
	Thread    string // CODEX_THREAD_ID: codex gives it to the commands of a turn (since 0.132), not to MCP servers
}

// keep records one NAME=value. Of a name that is there twice the first counts, as in getenv(3).
func (e *processEnv) keep(entry string) {
	name, value, _ := strings.Cut(entry, "=")
	var to *string
	switch name {
	case "CODEX_HOME":
		to = &e.CodexHome
	case "HOME":
		to = &e.home
	case "CODEX_THREAD_ID":
		to = &e.Thread
	default:
		return
	}
	if *to == "" {
		*to = value
	}
}

// accountTie says by which variable a process belongs to an account.
type accountTie uint8

const (
	noTie        accountTie = iota
	homeTie                 // its HOME is the sandbox home; CODEX_HOME was taken away, as codex does for an MCP server
	codexHomeTie            // its CODEX_HOME is the account's
)

// ProcessTable is one look at the processes of this user.
type ProcessTable map[int]Process

// Above yields the ancestors of pid that are in the table, the parent first. A table taken while pids were given again may hold a
// ring; each process comes once.
func (t ProcessTable) Above(pid int) []Process {
	var up []Process
	seen := map[int]bool{pid: true}
	for p, ok := t[t[pid].Parent]; ok && !seen[p.PID]; p, ok = t[p.Parent] {
		seen[p.PID] = true
		up = append(up, p)
	}
	return up
}

// verbs returns the pids of this process and of those ancestors that run the same program, which are verbs of swop too.
func (t ProcessTable) verbs() map[int]bool {
	self := os.Getpid()
	own := map[int]bool{self: true}
	for _, p := range t.Above(self) {
		if p.isOurs() {
			own[p.PID] = true
		}
	}
	return own
}

// isOurs says whether p runs the program that this process runs.
func (p Process) isOurs() bool {
	ours, err := os.Executable()
	if err != nil {
		return false
	}
	own, err1 := os.Stat(ours)
	info, err2 := p.program()
	return err1 == nil && err2 == nil && os.SameFile(own, info)
}

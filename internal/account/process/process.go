package process

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Process is a live process of this user. Its identity is the pid together with the start time: the system reuses a pid.
type Process struct {
	PID     int
	Command string // the last component of argv[0], else the kernel's name for it; another program chose it
	Stopped bool   // by a signal

	parent  int
	session int    // the pid of the session's leader: PID itself for a daemon
	start   uint64 // by the system's own clock; only for comparison
	exe     string // the program's path, "" if it cannot be read
	args    []string
	env     processEnv
	account bool // its codex home is that of the account that was asked for
	bare    bool // it has no memory: a thread of the kernel, or a process that is ending
}

// processEnv is the part of a process's environment that is kept, "" for an absent variable. The rest may hold secrets.
type processEnv struct {
	codexHome string
	home      string
	thread    string // CODEX_THREAD_ID: codex gives it to the commands of a turn (since 0.132), not to MCP servers
}

// keep records one NAME=value entry, and makes no string of the many that are not kept. Of a name that occurs twice the first
// entry counts, as in getenv(3).
func (e *processEnv) keep(entry []byte) {
	name, value, _ := bytes.Cut(entry, []byte("="))
	var to *string
	switch string(name) {
	case "CODEX_HOME":
		to = &e.codexHome
	case "HOME":
		to = &e.home
	case "CODEX_THREAD_ID":
		to = &e.thread
	default:
		return
	}
	if *to == "" {
		*to = string(value)
	}
}

// Table holds the processes of this user at one moment, by pid.
type Table map[int]Process

// hasEnded reports whether p has ended.
func (p Process) hasEnded() bool {
	_, err := p.Current()
	return errors.Is(err, os.ErrProcessDone)
}

// ancestors returns the ancestors of pid that are in the table, the parent first. If pids were reused while the table was read it may
// hold a ring; each process is returned once.
func (t Table) ancestors(pid int) []Process {
	var up []Process
	seen := map[int]bool{pid: true}
	for p, ok := t[t[pid].parent]; ok && !seen[p.PID]; p, ok = t[p.parent] {
		seen[p.PID] = true
		up = append(up, p)
	}
	return up
}

// descends reports whether pid descends from the process called by ancestor.
func (t Table) descends(pid, ancestor int) bool {
	return slices.ContainsFunc(t.ancestors(pid), func(p Process) bool { return p.PID == ancestor })
}

// verbs returns the pids of this process and of its ancestors that run the same program: they are verbs of swop too.
func (t Table) verbs() map[int]bool {
	self := os.Getpid()
	own := map[int]bool{self: true}
	for _, p := range t.ancestors(self) {
		if p.isOurs() {
			own[p.PID] = true
		}
	}
	return own
}

// isOurs reports whether p runs the same program as this process.
func (p Process) isOurs() bool {
	ours, err := os.Executable()
	if err != nil {
		return false
	}
	own, err1 := os.Stat(ours)
	info, err2 := p.program()
	return err1 == nil && err2 == nil && os.SameFile(own, info)
}

// IsServer reports whether p is the background app-server of the account that its CODEX_HOME ties it to, or that server's updater: the
// program is codex, it leads its own session, and it was started to listen on the account's socket or to update. An app-server that an
// editor or the SDK talks to over its standard streams is a session.
func (p Process) IsServer() bool {
	return p.account && p.session == p.PID && p.isCodex() && (p.IsUpdater() || listens(p.args))
}

// isCodex reports whether p's program is named as codex's own are: codex, or codex-x86_64-unknown-linux-musl.
func (p Process) isCodex() bool {
	name := filepath.Base(p.exe)
	return name == "codex" || strings.HasPrefix(name, "codex-")
}

// IsUpdater reports whether p's arguments are "app-server pid-update-loop", or since 0.158 "app-server daemon pid-update-loop".
func (p Process) IsUpdater() bool {
	at := slices.Index(p.args, "app-server")
	return at > 0 && p.args[len(p.args)-1] == "pid-update-loop"
}

// listens reports whether the arguments are like "[--enable remote_control] app-server --listen unix:// …".
func listens(args []string) bool {
	at := slices.Index(args, "app-server")
	if at < 1 {
		return false
	}
	after := args[at+1:]
	i := slices.Index(after, "--listen")
	return i >= 0 && i+1 < len(after) && strings.HasPrefix(after[i+1], "unix://")
}

// Servers returns the background app-servers of the account whose codex home is codexHome, and their updaters, updaters first. They
// are recognized by what they are, never by a pid file, which may be stale and name an unrelated process.
func Servers(codexHome string) ([]Process, error) {
	t, err := OfAccount(codexHome)
	return t.Servers(), err
}

// Servers returns the background app-servers and updaters of the account whose processes the table tells, updaters first.
func (t Table) Servers() []Process {
	var updaters, servers []Process
	for _, pid := range slices.Sorted(maps.Keys(t)) {
		switch p := t[pid]; {
		case !p.IsServer():
		case p.IsUpdater():
			updaters = append(updaters, p)
		default:
			servers = append(servers, p)
		}
	}
	return append(updaters, servers...)
}

package process

import (
	"io/fs"
	"os"
	"slices"
	"strings"
)

// Use is who uses an account.
type Use struct {
	Processes []Process // by pid
	// Unseen: the account's lock is held, by none of the processes that can be seen: one in another pid namespace, or one whose
	// descriptors are closed to us.
	Unseen bool
	// NoLocks: the file system has no locks, so a use whose process hides its environment was not seen.
	NoLocks bool
}

// Any says whether the account is in use at all.
func (u Use) Any() bool { return len(u.Processes) > 0 || u.Unseen }

// Passing says whether the account is in use by nothing but what a codex that has ended left behind for a moment: the shells that take
// a snapshot of the user's start files, and what those run. Codex ends the shell that it started itself, and not that one's children.
func (u Use) Passing() bool {
	return len(u.Processes) > 0 && !slices.ContainsFunc(u.Processes, func(p Process) bool { return !p.snapshot })
}

// InUse returns who uses the account whose codex home is codexHome and whose lock file is lockFile, both absolute. A process uses it
// that has the codex home as its CODEX_HOME or the sandbox home as its HOME, or has the lock file open while a lock is held.
//
// Not counted: this process and the verbs of swop above it; another verb that has the lock and nothing else; the account's background
// server and updater; what the server runs that is not a command of a session, that is, its MCP servers. A turn of the server that
// runs no command is not seen either: ask [StopServer]. Nor is a command that left its session without HOME and CODEX_HOME (env -i, or
// shell_environment_policy.inherit = "none"), where codex closed its descriptors, as 0.132 and 0.169 do.
func InUse(codexHome, lockFile string) (Use, error) {
	use, err := inUse(codexHome, lockFile)
	if use.Unseen {
		use, err = inUse(codexHome, lockFile) // its holder may have ended between the two looks
	}
	return use, err
}

func inUse(codexHome, lockFile string) (Use, error) {
	t, err := AccountProcesses(codexHome)
	if err != nil {
		return Use{}, err
	}
	lock, err := probeLock(lockFile)
	if err != nil {
		return Use{}, err
	}
	return t.use(lock), nil
}

// use decides. It asks the system no more than who has the lock file open, and that only if a lock is held.
func (t ProcessTable) use(lock lockProbe) Use {
	own := t.verbs()
	u := Use{NoLocks: lock.unsupported}
	explained := false
	for pid, p := range t {
		holds := lock.held && p.hasOpen(lock.file)
		switch {
		case own[pid]:
			explained = explained || holds
		case t.ofServer(p):
			explained = explained || holds || !DescriptorsVisible
		case p.account == noTie && holds && p.isOurs():
			explained = true // another verb: it only tries the lock, as this one did
		case holds || p.account != noTie:
			explained = explained || holds || !DescriptorsVisible
			p.snapshot = t.ofSnapshot(p)
			u.Processes = append(u.Processes, p)
		}
	}
	u.Unseen = lock.held && !explained
	slices.SortFunc(u.Processes, func(a, b Process) int { return a.PID - b.PID })
	return u
}

// ofServer says whether p is the account's background server or one of the server's own helpers. A command of a turn is neither.
func (t ProcessTable) ofServer(p Process) bool {
	if p.IsServer() {
		return true
	}
	if p.Env.Thread != "" {
		return false
	}
	return slices.ContainsFunc(t.Above(p.PID), Process.IsServer)
}

// ofSnapshot says whether p is a shell that takes a snapshot for codex, or runs below one.
func (t ProcessTable) ofSnapshot(p Process) bool {
	return p.takesSnapshot() || slices.ContainsFunc(t.Above(p.PID), Process.takesSnapshot)
}

// takesSnapshot tells such a shell by its script, which has this line in 0.77 to 0.169.
func (p Process) takesSnapshot() bool {
	return p.account != noTie && len(p.args) > 2 && strings.Contains(p.args[len(p.args)-1], " '# Snapshot file'\n")
}

// lockProbe is what was found of a lock file.
type lockProbe struct {
	file        fs.FileInfo // nil if there is no lock file
	held        bool        // by anyone, this process too
	unsupported bool
}

// probeLock finds out whether a lock on file is held. A missing file is not held.
func probeLock(file string) (lockProbe, error) {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil && !os.IsNotExist(err) {
		f, err = os.Open(file) // a read-only disk; where flock(2) is emulated by fcntl(2), as over NFS, it wants to write
	}
	if os.IsNotExist(err) {
		return lockProbe{}, nil
	}
	if err != nil {
		return lockProbe{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return lockProbe{}, err
	}
	probe := lockProbe{file: info}
	err = probe.try(f)
	return probe, err
}

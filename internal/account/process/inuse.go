package process

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"swop/shim"
)

// LockTellsAll says that whatever uses an account holds its lock. Elsewhere a process may have closed what it inherited.
const LockTellsAll = runtime.GOOS == "windows"

// Passing reports whether the account is in use only by what a codex that has ended leaves behind for a moment: the shells that take a
// snapshot of the user's start files, and what those run. Codex ends the shell that it started, but not that shell's children.
func (u Use) Passing() bool {
	return len(u.Processes) > 0 && !slices.ContainsFunc(u.Processes, func(p Process) bool { return !p.snapshot })
}

// InUse returns the processes that use the account whose codex home is codexHome and whose lock file is lockFile, both absolute. A process uses the
// account if its CODEX_HOME is the codex home, if its HOME is the sandbox home, or if it has the lock file open while a lock is held.
//
// Not counted are this process and its ancestors that are verbs of swop; another verb that has only the lock; the account's background
// server and updater; and what the server runs that is not a command of a session: its MCP servers. Not seen are a turn of the server
// that runs no command (package appserver asks the server), and a command that left its session without HOME and CODEX_HOME (env -i,
// or shell_environment_policy.inherit = "none") where codex closed its descriptors, as 0.132 and 0.169 do.
func InUse(codexHome, lockFile string) (Use, error) {
	s, err := TakeSurvey()
	if err != nil {
		return Use{}, err
	}
	return s.InUse(codexHome, lockFile)
}

// HomeInUse returns the processes that use a codex home that is no account's, as [InUse] does for an account. HOME alone is no tie to it: it is the HOME of
// every program of its user. Only a codex goes by HOME, and only to the .codex in it.
func HomeInUse(codexHome, lockFile string) (Use, error) {
	lock, err := probeLock(lockFile)
	if err != nil {
		return Use{}, err
	}
	t, err := OfAccount(codexHome)
	for pid, p := range t {
		if p.account == homeTie && (filepath.Base(codexHome) != ".codex" || !p.isCodex() || p.isOurs()) {
			p.account = noTie
			t[pid] = p
		}
	}
	return t.use(lock), err
}

// NoProcesses reports whether no process at all uses the account whose codex home is codexHome and whose lock file is lockFile, not even
// its background server. This process does not count.
func NoProcesses(codexHome, lockFile string) (bool, error) {
	use, err := InUse(codexHome, lockFile)
	if err != nil || len(use.Processes) > 0 {
		return false, err
	}
	servers, err := Servers(codexHome)
	return len(servers) == 0, err
}

// NoSession reports whether no process but this one, the background server and the server's helpers belongs to the account whose codex home is
// codexHome, by its environment. Processes that have only the account's lock do not count.
func NoSession(codexHome string) (bool, error) {
	t, err := OfAccount(codexHome)
	return err == nil && !t.use(lockProbe{}).Any(), err
}

// use returns the processes that use the account. It asks the system only which of them have the lock file open, and that only if a lock is held.
func (t Table) use(lock lockProbe) Use {
	own := t.verbs()
	u := Use{NoLocks: lock.unsupported, Unseen: lock.held}
	for pid, p := range t {
		holds := lock.held && p.hasOpen(lock.file)
		server := !own[pid] && t.ofServer(p)
		tried := own[pid] || p.account == noTie && holds && p.isOurs() && !t.supervises(p) // a verb of swop has only the lock
		uses := !tried && !server && (holds || p.account != noTie)
		if uses {
			p.snapshot = t.ofSnapshot(p)
			u.Processes = append(u.Processes, p)
		}
		if holds || !DescriptorsVisible && (server || uses) {
			u.Unseen = false
		}
	}
	slices.SortFunc(u.Processes, func(a, b Process) int { return a.PID - b.PID })
	return u
}

// supervises reports whether p is a swop that stays beside a session, which is confined or has a bridge. One that only begins a call has no child.
func (t Table) supervises(p Process) bool {
	p.describe()
	if len(p.args) == 0 || p.args[0] != shim.Handover && p.args[0] != shim.HandoverFound {
		return false
	}
	for _, child := range t {
		if child.parent == p.PID {
			return true
		}
	}
	return false
}

// ofServer reports whether p is the account's background server or one of the server's own helpers. A command of a turn is neither.
func (t Table) ofServer(p Process) bool {
	if p.IsServer() {
		return true
	}
	if p.env.thread != "" {
		return false
	}
	return slices.ContainsFunc(t.ancestors(p.PID), Process.IsServer)
}

// ofSnapshot reports whether p is a shell that takes a snapshot for codex, or descends from one.
func (t Table) ofSnapshot(p Process) bool {
	return p.takesSnapshot() || slices.ContainsFunc(t.ancestors(p.PID), Process.takesSnapshot)
}

// takesSnapshot reports whether p is a shell whose script has the line that marks a snapshot in 0.77 to 0.169.
func (p Process) takesSnapshot() bool {
	return p.account != noTie && len(p.args) > 2 && strings.Contains(p.args[len(p.args)-1], " '# Snapshot file'\n")
}

// Survey is one look at the processes of this user that answers for many accounts: with a thousand accounts a look for each would take
// seconds.
type Survey struct{ processes []resident }

// resident is a process and the directories that are its CODEX_HOME and HOME, nil where they cannot be seen.
type resident struct {
	Process
	codexHome, home fs.FileInfo
}

// TakeSurvey returns the processes of this user as they are now.
func TakeSurvey() (Survey, error) {
	list, err := readProcesses()
	if err != nil {
		return Survey{}, err
	}
	s := Survey{make([]resident, 0, len(list))}
	for _, p := range list {
		s.processes = append(s.processes, resident{p, p.dir(p.env.codexHome), p.dir(p.env.home)})
	}
	return s, nil
}

// dir returns the directory that p knows as path, nil if that cannot be seen.
func (p Process) dir(path string) fs.FileInfo {
	if path == "" {
		return nil
	}
	info, _ := p.stat(path) // nil with an error
	return info
}

// InUse is [InUse] at the time of the survey, except for the lock, which is tried now.
func (s Survey) InUse(codexHome, lockFile string) (use Use, err error) {
	for range 3 { // the holder of the lock may have come after the survey, or have ended since
		if use, err = s.inUse(codexHome, lockFile); err != nil || !use.Unseen {
			break
		}
		if s, err = TakeSurvey(); err != nil {
			break
		}
	}
	return use, err
}

// inUse looks once. If no process has a tie to the account and none the lock, it builds no table.
func (s Survey) inUse(codexHome, lockFile string) (Use, error) {
	lock, err := probeLock(lockFile)
	ties := s.ties(codexHome)
	if err != nil || len(ties) == 0 && !lock.held {
		return Use{NoLocks: lock.unsupported}, err
	}
	return s.table(ties).use(lock), nil
}

// OfAccount returns the processes of this user as they are now, and notes which belong to the account whose codex home is codexHome.
func OfAccount(codexHome string) (Table, error) {
	s, err := TakeSurvey()
	return s.table(s.ties(codexHome)), err
}

// ties returns the ties of the processes to the account whose codex home is codexHome, by pid.
func (s Survey) ties(codexHome string) map[int]accountTie {
	ties := map[int]accountTie{}
	isCodexHome, isHome := meansDir(codexHome), meansDir(filepath.Dir(codexHome))
	for _, r := range s.processes {
		switch {
		case isCodexHome(r.codexHome, r.env.codexHome):
			ties[r.PID] = codexHomeTie
		case isHome(r.home, r.env.home):
			ties[r.PID] = homeTie
		}
	}
	return ties
}

func (s Survey) table(ties map[int]accountTie) Table {
	table := make(Table, len(s.processes))
	for _, r := range s.processes {
		p := r.Process
		if p.account = ties[p.PID]; p.account != noTie {
			p.describe()
			if len(p.args) == 0 && p.hasEnded() {
				continue // meanwhile: what it was cannot be told any more
			}
		}
		table[p.PID] = p
	}
	return table
}

// meansDir returns what reports whether a process means the directory at path by a variable with that value, which leads it to the directory
// theirs. It compares directories, which processes may know by other paths, and paths only if this one is missing.
func meansDir(path string) func(theirs fs.FileInfo, value string) bool {
	info, err := os.Stat(path)
	return func(theirs fs.FileInfo, value string) bool {
		if err != nil {
			return value == path
		}
		return theirs != nil && os.SameFile(theirs, info)
	}
}

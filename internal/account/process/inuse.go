package process

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// LockTellsAll says that whatever uses an account holds its lock. Elsewhere a process may have closed what it inherited.
const LockTellsAll = runtime.GOOS == "windows"

// InUse returns the processes that use the codex home at codexHome, whose lock file is lockFile, both absolute: those that have
// it as their codex home, and those that have the lock file open while a lock is held; lockFile is "" for a caller that holds it
// exclusively.
//
// Not counted are this process and its ancestors that are verbs of swop; the background server and updater; and what the server
// runs that is not a command of a session: its MCP servers. Not seen are a turn that runs no command, and a command that lost
// CODEX_HOME (env -i, or shell_environment_policy.inherit = "none") where codex closed its descriptors, as 0.132 and 0.169 do.
func InUse(codexHome, lockFile string) (Use, error) {
	s, err := TakeSurvey()
	if err != nil {
		return Use{}, err
	}
	return s.InUse(codexHome, lockFile)
}

// NoProcesses reports whether no process at all uses the account whose codex home is codexHome and whose lock file is lockFile, not even
// its background server. This process does not count.
func NoProcesses(codexHome, lockFile string) (bool, error) {
	use, err := InUse(codexHome, lockFile)
	if err != nil || use.Any() {
		return false, err
	}
	servers, err := Servers(codexHome)
	return len(servers) == 0, err
}

// NoSession reports whether no process but this one, the background server and the server's helpers belongs to the account whose
// codex home is codexHome, by its environment. Processes that have only the account's lock do not count.
func NoSession(codexHome string) (bool, error) {
	t, err := OfAccount(codexHome)
	return err == nil && !t.use(lockProbe{}).Any(), err
}

// use returns the processes that use the account. It asks the system only which of them have the lock file open, and that only if
// a lock is held.
func (t Table) use(lock lockProbe) Use {
	own := t.verbs()
	u := Use{NoLocks: lock.unsupported, Unseen: lock.held}
	for pid, p := range t {
		holds := lock.held && p.hasOpen(lock.file)
		server := !own[pid] && t.ofServer(p)
		uses := !own[pid] && !server && (holds || p.account)
		if uses {
			u.Processes = append(u.Processes, p)
		}
		if holds || !DescriptorsVisible && (server || uses) {
			u.Unseen = false
		}
	}
	slices.SortFunc(u.Processes, func(a, b Process) int { return a.PID - b.PID })
	return u
}

// ofServer reports whether p is the account's background server or one of the server's own helpers. A command of a turn is neither.
func (t Table) ofServer(p Process) bool {
	return p.IsServer() || p.env.thread == "" && slices.ContainsFunc(t.ancestors(p.PID), Process.IsServer)
}

// Survey is one look at the processes of this user that answers for many accounts: with a thousand accounts a look for each would take
// seconds.
type Survey struct{ processes []resident }

// resident is a process and the directory that is its codex home, nil where that cannot be seen.
type resident struct {
	Process
	codexHome fs.FileInfo
}

// TakeSurvey returns the processes of this user as they are now.
func TakeSurvey() (Survey, error) {
	list, err := readProcesses()
	if err != nil {
		return Survey{}, err
	}
	s := Survey{make([]resident, 0, len(list))}
	for _, p := range list {
		var dir fs.FileInfo
		if p.env.codexHome = p.codexHome(); p.env.codexHome != "" {
			dir, _ = p.stat(p.env.codexHome) // nil with an error
		}
		s.processes = append(s.processes, resident{p, dir})
	}
	return s, nil
}

// codexHome returns the process's CODEX_HOME; of a codex without one, the .codex in its HOME. HOME alone is no tie: it is that of
// every program.
func (p Process) codexHome() string {
	if p.env.codexHome != "" || p.env.home == "" || !strings.HasPrefix(p.Command, "codex") {
		return p.env.codexHome
	}
	if p.describe(); !p.isCodex() || p.isOurs() {
		return ""
	}
	return filepath.Join(p.env.home, ".codex")
}

// InUse is [InUse] at the time of the survey, except for the lock, which is tried now: its holder may have come since, or have ended.
func (s Survey) InUse(codexHome, lockFile string) (use Use, err error) {
	if use, err = s.inUse(codexHome, lockFile); err != nil || !use.Unseen {
		return use, err
	}
	if s, err = TakeSurvey(); err != nil {
		return use, err
	}
	return s.inUse(codexHome, lockFile)
}

// inUse looks once. If no process belongs to the account and none has the lock, it builds no table.
func (s Survey) inUse(codexHome, lockFile string) (Use, error) {
	lock, err := probeLock(lockFile)
	users := s.of(codexHome)
	if err != nil || len(users) == 0 && !lock.held {
		return Use{NoLocks: lock.unsupported}, err
	}
	return s.table(users).use(lock), nil
}

// OfAccount returns the processes of this user as they are now, and notes which belong to the account whose codex home is codexHome.
func OfAccount(codexHome string) (Table, error) {
	s, err := TakeSurvey()
	return s.table(s.of(codexHome)), err
}

// of returns the pids of the processes that have the codex home. It compares directories, which processes may know by other
// paths, and paths only if the directory is missing.
func (s Survey) of(codexHome string) map[int]bool {
	info, missing := os.Stat(codexHome)
	users := map[int]bool{}
	for _, r := range s.processes {
		if missing != nil && r.env.codexHome == codexHome || missing == nil && r.codexHome != nil && os.SameFile(r.codexHome, info) {
			users[r.PID] = true
		}
	}
	return users
}

func (s Survey) table(users map[int]bool) Table {
	table := make(Table, len(s.processes))
	for _, r := range s.processes {
		p := r.Process
		if p.account = users[p.PID]; p.account {
			p.describe()
			if len(p.args) == 0 && p.hasEnded() {
				continue // meanwhile: what it was cannot be told any more
			}
		}
		table[p.PID] = p
	}
	return table
}

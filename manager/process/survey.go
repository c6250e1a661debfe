package process

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Survey is one look at the processes of this user, for questions about many accounts: a look for each takes seconds where there are
// a thousand.
type Survey struct{ processes []resident }

// resident is a process and the directories that are its CODEX_HOME and HOME, nil where there is none to be seen.
type resident struct {
	Process
	codexHome, home fs.FileInfo
}

// TakeSurvey looks at the processes of this user.
func TakeSurvey() (Survey, error) {
	list, err := ListProcesses()
	if err != nil {
		return Survey{}, err
	}
	s := Survey{make([]resident, 0, len(list))}
	for _, p := range list {
		s.processes = append(s.processes, resident{p, p.dir(p.Env.CodexHome), p.dir(p.Env.home)})
	}
	return s, nil
}

// dir returns the directory that p knows as path.
func (p Process) dir(path string) fs.FileInfo {
	if path == "" {
		return nil
	}
	info, err := p.stat(path)
	if err != nil {
		return nil
	}
	return info
}

// InUse is [InUse] as of the survey, but for the lock, which is tried now.
func (s Survey) InUse(codexHome, lockFile string) (Use, error) {
	lock, err := probeLock(lockFile)
	if err != nil {
		return Use{}, err
	}
	use := s.of(codexHome).use(lock)
	if use.Unseen {
		return InUse(codexHome, lockFile) // its holder may have come after the survey
	}
	return use, nil
}

// AccountProcesses looks at the processes of this user and ties them to the account whose codex home is codexHome.
func AccountProcesses(codexHome string) (ProcessTable, error) {
	s, err := TakeSurvey()
	if err != nil {
		return nil, err
	}
	return s.of(codexHome).table(), nil
}

// tied is a survey that knows which processes are the account's.
type tied struct {
	Survey
	ties []accountTie // of the processes, in their order; nil where none has any
}

// of ties the processes to the account whose codex home is codexHome.
func (s Survey) of(codexHome string) tied {
	t := tied{Survey: s}
	codexDir, home := newHomeDir(codexHome), newHomeDir(filepath.Dir(codexHome))
	for i, r := range s.processes {
		tie := noTie
		switch {
		case codexDir.is(r.codexHome, r.Env.CodexHome):
			tie = codexHomeTie
		case home.is(r.home, r.Env.home):
			tie = homeTie
		default:
			continue
		}
		if t.ties == nil {
			t.ties = make([]accountTie, len(s.processes))
		}
		t.ties[i] = tie
	}
	return t
}

// use decides. Where no process has a tie and nobody the lock, there is nothing to look at.
func (t tied) use(lock lockProbe) Use {
	if t.ties == nil && !lock.held {
		return Use{NoLocks: lock.unsupported}
	}
	return t.table().use(lock)
}

func (t tied) table() ProcessTable {
	table := make(ProcessTable, len(t.processes))
	for i, r := range t.processes {
		p := r.Process
		if t.ties != nil && t.ties[i] != noTie {
			p.account = t.ties[i]
			p.describe()
		}
		table[p.PID] = p
	}
	return table
}

// homeDir is a directory that other processes may know by other names.
type homeDir struct {
	path string
	info fs.FileInfo // nil if it is not there
}

func newHomeDir(path string) homeDir {
	info, err := os.Stat(path)
	if err != nil {
		info = nil
	}
	return homeDir{path, info}
}

// is says whether a process means the directory by a variable: value, which is the directory theirs. Directories are compared, not
// paths; only where ours is missing the paths have to do.
func (d homeDir) is(theirs fs.FileInfo, value string) bool {
	if d.info == nil {
		return value == d.path
	}
	return theirs != nil && os.SameFile(theirs, d.info)
}

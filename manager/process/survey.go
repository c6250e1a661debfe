package process

import (
	"io/fs"
	"os"
	"path/filepath"
)

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
	info, err := p.stat(path)
	if err != nil {
		return nil
	}
	return info
}

// InUse is [InUse] at the time of the survey, except for the lock, which is tried now.
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

// OfAccount returns the processes of this user as they are now, and notes which belong to the account whose codex home is codexHome.
func OfAccount(codexHome string) (Table, error) {
	s, err := TakeSurvey()
	if err != nil {
		return nil, err
	}
	return s.of(codexHome).table(), nil
}

// tied is a survey with the ties of its processes to one account.
type tied struct {
	Survey
	ties []accountTie // one for each process, in the same order; nil if no process has any
}

// of returns the survey with its ties to the account whose codex home is codexHome.
func (s Survey) of(codexHome string) tied {
	t := tied{Survey: s}
	codexDir, home := newHomeDir(codexHome), newHomeDir(filepath.Dir(codexHome))
	for i, r := range s.processes {
		tie := noTie
		switch {
		case codexDir.is(r.codexHome, r.env.codexHome):
			tie = codexHomeTie
		case home.is(r.home, r.env.home):
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

// use returns who uses the account. If no process has a tie and none the lock, it builds no table.
func (t tied) use(lock lockProbe) Use {
	if t.ties == nil && !lock.held {
		return Use{NoLocks: lock.unsupported}
	}
	return t.table().use(lock)
}

func (t tied) table() Table {
	table := make(Table, len(t.processes))
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

// homeDir is a directory that other processes may know by other paths.
type homeDir struct {
	path string
	info fs.FileInfo // nil if it is missing
}

func newHomeDir(path string) homeDir {
	info, err := os.Stat(path)
	if err != nil {
		info = nil
	}
	return homeDir{path, info}
}

// is reports whether a process means this directory by a variable with that value, which leads it to the directory theirs. It compares
// directories, and paths only if this one is missing.
func (d homeDir) is(theirs fs.FileInfo, value string) bool {
	if d.info == nil {
		return value == d.path
	}
	return theirs != nil && os.SameFile(theirs, d.info)
}

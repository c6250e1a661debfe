package join

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"

	"swop/account"
	"swop/disk"
)

// linked is what the last reconcile knew of the files that both homes have: a hard link does not tell by itself that it was one. It is a
// file of the sandbox. Where it is lost, two versions of a file are both taken for changed.
type linked struct {
	file     string
	was, now map[string]seen
}

// seen tells whether a file is the same, and was not written.
type seen struct {
	Ino  uint64
	Size int64
	Sec  int64
	Nsec int64
}

func seenOf(i disk.Stat) seen { return seen{i.Ino, i.Size, int64(i.Mtime.Sec), int64(i.Mtime.Nsec)} }

const linkedName = "linked.json"

func readLinked(a account.Account) (*linked, error) {
	l := &linked{filepath.Join(a.Dir, linkedName), map[string]seen{}, nil}
	text, err := disk.ReadOwn(l.file, 1<<20)
	if err != nil {
		return l, disk.Ignore(err, fs.ErrNotExist)
	}
	if json.Unmarshal([]byte(text), &l.was) != nil {
		l.was = map[string]seen{} // torn: as if it were lost
	}
	return l, nil
}

// knew reports whether the last reconcile saw this file under both names, and it was not written since.
func (l *linked) knew(name string, i disk.Stat) bool {
	was, ok := l.was[name]
	return ok && i.IsRegular() && was == seenOf(i)
}

// after is what was known, with what this scan saw in its place. What waits to be repaired keeps what is known of it.
func (l *linked) after() map[string]seen {
	after := maps.Clone(l.was)
	maps.Copy(after, l.now)
	return after
}

func (l *linked) same() bool { return maps.Equal(l.was, l.after()) }

// write replaces the file.
func (l *linked) write() error {
	text, err := json.Marshal(l.after())
	return errors.Join(err, disk.WriteFile(l.file, text))
}

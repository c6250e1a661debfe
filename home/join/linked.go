package join

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"swop/account"
	"swop/disk"
)

// linked is what is known of the files that both homes have, by name: a hard link does not tell by itself that it was one. It is a file of the
// sandbox. Where it is lost, two versions of a file are both taken for changed.
type linked map[string]seen

// seen tells whether a file is the same, and was not written.
type seen struct {
	Ino         uint64
	Size, Mtime int64
}

func seenOf(i disk.Stat) seen { return seen{i.Ino, i.Size, i.Mtime.Nano()} }

const linkedName = "linked.json"

func readLinked(a account.Account) (linked, error) {
	text, err := disk.ReadOwn(filepath.Join(a.Dir, linkedName), 1<<20)
	l := linked{}
	if json.Unmarshal([]byte(text), &l) != nil || l == nil {
		l = linked{} // torn: as if it were lost
	}
	return l, disk.Ignore(err, fs.ErrNotExist)
}

// knew reports whether the last reconcile saw this file under both names, and it was not written since.
func (l linked) knew(name string, i disk.Stat) bool {
	was, ok := l[name]
	return ok && i.IsRegular() && was == seenOf(i)
}

// write replaces the file.
func (l linked) write(a account.Account) error {
	text, err := json.Marshal(l)
	return errors.Join(err, disk.WriteFile(filepath.Join(a.Dir, linkedName), text))
}

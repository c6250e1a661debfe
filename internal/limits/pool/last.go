package pool

import (
	"encoding/json"
	"slices"

	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/disk/sys"
)

// Last says which account a pool chose last in a directory, the newest first.
type Last []Chosen

// Chosen is a directory, and the account chosen there last.
type Chosen struct {
	Dir   string `json:"dir"`
	Key   string `json:"key"`
	Login int64  `json:"login,omitzero"` // the time of its file, if that is one of ChatGPT
}

// lastFile is the name of the file with the last choices, in swop's root, and maxFile bounds it, in bytes: a thousand directories.
const (
	lastFile = "last"
	maxFile  = 1 << 20
)

// maxLast is the most directories that are remembered.
const maxLast = 1000

// Of returns what was chosen last in the directory, the zero value for nothing.
func (l Last) Of(dir string) Chosen {
	for _, c := range l {
		if c.Dir == dir {
			return c
		}
	}
	return Chosen{}
}

// Rename returns the choices after the account from got the key to, or for "" after it was removed.
func (l Last) Rename(from, to string) (renamed Last) {
	for _, c := range l {
		if c.Key == from {
			c.Key = to
		}
		if c.Key != "" {
			renamed = append(renamed, c)
		}
	}
	return renamed
}

// With returns the choices after this one.
func (l Last) With(chosen Chosen) Last {
	others := slices.DeleteFunc(slices.Clone(l), func(c Chosen) bool { return c.Dir == chosen.Dir })
	return slices.Insert(others[:min(len(others), maxLast-1)], 0, chosen)
}

// ReadLast returns the last choices, none if they cannot be read.
func ReadLast(l account.Layout) (last Last) {
	text, err := disk.ReadOwn(l.Path(lastFile), maxFile)
	if err != nil || json.Unmarshal([]byte(text), &last) != nil {
		return nil
	}
	return last
}

// lastLock is held while the file of the last choices is changed. It is no account's lock: no key begins with a dot.
const lastLock = ".last"

// ChangeLast changes the last choices, one caller at a time. Equal choices are not written.
func ChangeLast(l account.Layout, change func(Last) Last) error {
	if before := ReadLast(l); slices.Equal(change(before), before) {
		return nil
	}
	lock, err := account.Flock(l.LockFile(lastLock), sys.LOCK_EX, sys.O_CLOEXEC|sys.O_CREAT)
	if err != nil {
		return err
	}
	defer lock.Release()
	text, err := json.Marshal(change(ReadLast(l)))
	if err != nil {
		return err
	}
	return disk.WriteFile(l.Path(lastFile), text)
}

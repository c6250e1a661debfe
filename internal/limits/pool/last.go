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

// Chosen is the account with a key in a directory.
type Chosen struct {
	Dir string `json:"dir"`
	Key string `json:"key"`
}

// maxLast is how many directories are remembered.
const maxLast = 1000

// Of returns the key of the account that was chosen last in the directory, "" for none.
func (l Last) Of(dir string) string {
	for _, c := range l {
		if c.Dir == dir {
			return c.Key
		}
	}
	return ""
}

// Rename returns what was chosen where the account from has the key to, or is none where to is "".
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

// With returns what was chosen once the account with the key was, in the directory.
func (l Last) With(dir, key string) Last {
	others := slices.DeleteFunc(slices.Clone(l), func(c Chosen) bool { return c.Dir == dir })
	return slices.Insert(others[:min(len(others), maxLast-1)], 0, Chosen{dir, key})
}

// LastFile is the path of the file that says which account was chosen last in each directory.
func LastFile(l account.Layout) string { return l.Path("last") }

// ReadLast returns what was chosen last in each directory. Where that cannot be read, nothing is known.
func ReadLast(l account.Layout) (last Last) {
	text, err := disk.ReadOwn(LastFile(l), maxLastFile)
	if err != nil || json.Unmarshal([]byte(text), &last) != nil {
		return nil
	}
	return last
}

// lastLock is held while the file of the last choices is changed. It is no account's lock: no key begins with a dot.
const lastLock = ".last"

// ChangeLast changes what was chosen last in each directory, one caller at a time. What stays the same is not written.
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
	return disk.WriteFile(LastFile(l), text)
}

//go:build unix

package projection

import (
	"errors"
	"fmt"
	"path/filepath"
	"sort"
	"strings"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/manager/account"
	"swop/manager/disk"
	"swop/manager/stamp"
	"swop/manager/store"
)

// CheckTakeOver returns an error for a codex home that cannot be taken over: the shared one, an account's, one on another file system than
// the accounts, or another user's.
func CheckTakeOver(s store.Store, home string, sharedHome string) error {
	if i, err := disk.Lstat(home); err == nil && i.IsLink() {
		return disk.Unsafe("%s: is a link", home)
	}
	d, err := disk.Open(home, disk.NoFollow)
	if err != nil {
		return err
	}
	defer d.Close()
	var st unix.Stat_t
	if err := unix.Fstat(d.Fd(), &st); err != nil {
		return d.Err("stat", "", err)
	}
	if err := s.CheckOwner(home, &st); err != nil {
		return err
	}
	here, err := filepath.EvalSymlinks(home)
	if err != nil {
		return err
	}
	for _, other := range []string{s.Root, sharedHome, s.Home} {
		there, err := filepath.EvalSymlinks(other)
		if err == nil && (config.Within(there, here) || other != s.Home && config.Within(here, there)) {
			return disk.Unsafe("%s: is not separate from %s", home, other)
		}
	}
	return checkDevice(s, home, uint64(st.Dev))
}

// checkDevice returns an error for what a rename could not move into an account.
func checkDevice(s store.Store, file string, dev uint64) error {
	var st unix.Stat_t
	at := s.Root
	for unix.Stat(at, &st) != nil {
		if at == filepath.Dir(at) {
			return fmt.Errorf("%s: no directory above it can be read", s.Root)
		}
		at = filepath.Dir(at)
	}
	if uint64(st.Dev) != dev {
		return disk.Unsafe("%s: lies on another file system than the accounts", file)
	}
	return nil
}

// TakeOver moves the login, transcripts, history, log and databases of a codex home into the account's sandbox, from where the next
// reconcile moves them where the account's state has them. It returns the names that it left. If the account has a file of the name
// already, that is kept as another version. Interrupted anywhere, it goes on when it is called again. The caller holds the account's
// exclusive lock.
func TakeOver(s store.Store, a account.Account, home string) (left []string, err error) {
	from, err := disk.Open(home, disk.NoFollow)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	to, err := disk.OpenBelow(a.Dir, a.CodexHome())
	if err != nil {
		return nil, err
	}
	defer to.Close()
	entries, err := from.Entries()
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(entries))
	for name := range entries {
		names = append(names, name)
	}
	// A database is moved after its log: if interrupted between the two, the log waits for it in the sandbox.
	sort.Slice(names, func(i, j int) bool { return takeOrder(names[i]) < takeOrder(names[j]) })
	rules := stamp.CodexHomeRules(nil, account.StateShared)
	for _, name := range names {
		row, _ := rules.Row(name)
		if name != "auth.json" && !row.Transcript {
			left = append(left, name)
			continue
		}
		if err := take(from, to, name, row); err != nil {
			return left, err
		}
	}
	return left, errors.Join(to.Sync(), from.Sync())
}

// takeOrder returns the key by which the entries are sorted: databases come last.
func takeOrder(name string) string {
	if strings.HasSuffix(name, ".sqlite") {
		return "2" + name
	}
	return "1" + name
}

// take moves one entry.
func take(from, to disk.Dir, name string, row stamp.Rule) error {
	place := disk.TempName(name)
	switch {
	case name == "auth.json":
		place = name
		if err := from.Narrow(name); err != nil {
			return err
		}
	case row.Database || row.Class == stamp.Ignored:
		place = name
		if target, err := to.Readlink(name); err != nil {
			return err
		} else if target != "" {
			if err := to.Unlink(name); err != nil {
				return err
			}
		}
	}
	err := from.Move(name, to, place)
	if errors.Is(err, unix.EEXIST) {
		return disk.Unsafe("%s: the account already has one", filepath.Join(from.Path, name))
	}
	return to.Err("rename", name, err)
}

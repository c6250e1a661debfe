//go:build unix

package manager

import (
	"errors"
	"fmt"
	"path/filepath"
	"sort"
	"strings"

	"golang.org/x/sys/unix"

	"swop/config"
)

// CheckTakeOver refuses a codex home that cannot be taken over: the shared one, one of an account, one on another file system than the
// accounts, or one that another user owns.
func (s Store) CheckTakeOver(home string, sharedHome string) error {
	if i, err := itemAt(home); err == nil && i.isLink() {
		return unsafe("%s: is a link", home)
	}
	d, err := openFolder(home, refuseLink)
	if err != nil {
		return err
	}
	defer d.close()
	var st unix.Stat_t
	if err := unix.Fstat(d.fd(), &st); err != nil {
		return d.fail("stat", "", err)
	}
	if err := s.checkOwner(home, &st); err != nil {
		return err
	}
	here, err := filepath.EvalSymlinks(home)
	if err != nil {
		return err
	}
	for _, other := range []string{s.Root, sharedHome, s.Home} {
		there, err := filepath.EvalSymlinks(other)
		if err == nil && (config.Within(there, here) || other != s.Home && config.Within(here, there)) {
			return unsafe("%s: is not a codex home apart from %s", home, other)
		}
	}
	return s.checkDevice(home, uint64(st.Dev))
}

// checkDevice refuses what a rename could not move into an account.
func (s Store) checkDevice(file string, dev uint64) error {
	var st unix.Stat_t
	at := s.Root
	for unix.Stat(at, &st) != nil {
		if at == filepath.Dir(at) {
			return fmt.Errorf("%s: no directory above it can be read", s.Root)
		}
		at = filepath.Dir(at)
	}
	if uint64(st.Dev) != dev {
		return unsafe("%s: lies on another file system than the accounts", file)
	}
	return nil
}

// TakeOver moves the login, transcripts, history, log and databases of a codex home into the account's sandbox, from where the next
// reconcile brings them where the account's state wants them. It returns the names that it left. What is there already under the
// name is kept as another version. Cut off anywhere, it goes on when it is called again. The caller holds the account exclusively.
func (s Store) TakeOver(a Account, home string) (left []string, err error) {
	from, err := openFolder(home, refuseLink)
	if err != nil {
		return nil, err
	}
	defer from.close()
	to, err := openBelow(a.Dir, a.CodexHome())
	if err != nil {
		return nil, err
	}
	defer to.close()
	entries, err := from.entries()
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(entries))
	for name := range entries {
		names = append(names, name)
	}
	// A database goes after its log: cut off between, the log waits for it in the sandbox.
	sort.Slice(names, func(i, j int) bool { return takeOrder(names[i]) < takeOrder(names[j]) })
	rules := CodexHomeRules(nil, StateShared)
	for _, name := range names {
		row, _ := rules.row(name)
		if name != "auth.json" && !row.Transcript {
			left = append(left, name)
			continue
		}
		if err := take(from, to, name, row); err != nil {
			return left, err
		}
	}
	return left, errors.Join(to.sync(), from.sync())
}

// narrow makes a file owner-only.
func (d folder) narrow(name string) error {
	f, err := d.open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Chmod(0o600), f.Close())
}

func takeOrder(name string) string {
	if strings.HasSuffix(name, ".sqlite") {
		return "2" + name
	}
	return "1" + name
}

func take(from, to folder, name string, row Rule) error {
	place := asideName(name)
	switch {
	case name == "auth.json":
		place = name
		if err := from.narrow(name); err != nil {
			return err
		}
	case row.Database || row.Class == Ignored:
		place = name
		if target, err := to.readlink(name); err != nil {
			return err
		} else if target != "" {
			if err := to.unlink(name); err != nil {
				return err
			}
		}
	}
	err := from.move(name, to, place)
	if errors.Is(err, unix.EEXIST) {
		return unsafe("%s: the account has one already", filepath.Join(from.path, name))
	}
	return to.fail("rename", name, err)
}

// Package takeover makes a codex home of the user's an account's: for `add --from`.
package takeover

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/store"
	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/home/rules"
	"swop/internal/say"
)

// Check returns an error for a codex home that cannot be taken over: the shared one, an account's, one on another file system than
// the accounts, or another user's.
func Check(s store.Store, home string, sharedHome string) error {
	d, err := disk.Open(home, disk.NoFollow)
	if err == nil {
		err = errors.Join(d.Close(), s.CheckOwnerOf(home))
	}
	if err != nil {
		return err
	}
	here := disk.Resolve(home)
	for _, other := range []string{s.Root, sharedHome, s.Home} {
		there := disk.Resolve(other)
		if config.Within(there, here) || other != s.Home && config.Within(here, there) {
			err := disk.Unsafe("%s: is not separate from %s", home, other)
			return say.WithHint(err, "to move a login alone: codex swop add LABEL --import FILE")
		}
	}
	return CheckDevice(s, home)
}

// CheckDevice returns an error for a file that a rename could not move into an account.
func CheckDevice(s store.Store, file string) error {
	root, err := disk.Device(s.Root)
	dev, err2 := disk.Device(file)
	if err := errors.Join(err, err2); err != nil || root == dev {
		return err
	}
	return disk.Unsafe("%s: lies on another file system than the accounts", file)
}

// Move moves the login, transcripts, history, log, databases and the set-up of Windows' sandbox of a codex home into the account's sandbox,
// from where the next reconcile moves them where the account's state has them. It returns the names that it left: links, those that are
// no account's, and those that the account has already: in the shared home too, unless one of the user's private patterns names them.
// Interrupted anywhere, it goes on when it is called again. The caller holds the account's exclusive lock.
func Move(a account.Account, home, shared string, private []string) (left []string, err error) {
	from, err := disk.Open(home, disk.NoFollow)
	to, err2 := disk.OpenBelow(a.Dir, a.CodexHome())
	defer func() { _, _ = from.Close(), to.Close() }()
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	entries, err := from.Entries()
	if err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(entries))
	table, users := rules.CodexHomeRules(nil, a.Meta.State), rules.CodexHomeRules(private, a.Meta.State)
	// a database after its log: if interrupted between the two, the log waits for it in the sandbox
	for _, name := range slices.Backward(names) {
		row, _ := table.Row(name)
		isTaken := name == "auth.json" || row.Transcript || strings.HasPrefix(name, rules.SandboxDir)
		isLink := entries[name]&fs.ModeSymlink != 0 // what it leads to would stay behind
		err := error(sys.EEXIST)
		if isTaken && !isLink && !isShared(users, shared, name) {
			err = takeEntry(from, to, name)
		}
		if errors.Is(err, sys.EEXIST) {
			left = append(left, name)
		} else if err != nil {
			return left, err
		}
	}
	slices.Sort(left)
	return left, errors.Join(to.Sync(), from.Sync())
}

// isShared reports whether the account has the shared home's file of that name, or of a database with its logs one: directories merge.
func isShared(table rules.Rules, shared, name string) bool {
	base, _ := disk.DatabaseName(name)
	row, _ := table.Row(base)
	return row.Class.Shared() && slices.ContainsFunc(disk.DatabaseNames(base), func(name string) bool {
		file := filepath.Join(shared, name)
		return disk.MayExist(file) && !disk.IsDir(file)
	})
}

// takeEntry moves one entry to its place in the sandbox, where the account's link gives way to it. The error for a name that the account
// has itself is EEXIST.
func takeEntry(from, to disk.Dir, name string) error {
	target, err := to.Readlink(name)
	if err == nil && target != "" {
		err = to.Unlink(name)
	}
	if err == nil && name == "auth.json" {
		err = from.Narrow(name)
	}
	if err != nil {
		return err
	}
	return from.Err("rename", name, from.Move(name, to, name))
}

//go:build unix

package rules

import (
	"io/fs"

	"golang.org/x/sys/unix"

	"swop/account"
	"swop/config"
	"swop/disk"
)

// A look at an account compares two directories of the sandbox with the shared home and the real home. If the last look found nothing to
// repair it need not be repeated while these are as they were: the same directories with the same times, or at least with the same
// entries as far as the links are concerned. What else a look depends on is summed up in the Inputs of [Header].

// Subject is an account, and what a look at it needs to know.
type Subject struct {
	Layout  account.Layout
	Root    account.Root
	Account account.Account
	Stamp   *File // nil if it is missing
}

// Unchanged reports whether nothing changed since the last look, and that look found nothing to repair. If so, it notes the time.
func (r *Subject) Unchanged(isolation string, private config.Private) bool {
	if r.Stamp == nil || r.Stamp.Header.Watched == 0 || r.Account.Meta.RealHome != r.Layout.Home {
		return false
	}
	h := &r.Stamp.Header
	now, err := disk.FileClock()
	if err != nil || disk.Older(now, h.At) || h.Inputs != r.Inputs(isolation, private) || h.Pinned != r.pinnedFile(&r.Stamp.stat) || !r.pairedAsWas(h.Paired) {
		return false
	}
	for i := range h.Watched {
		if !r.sameEntries(h, i, private, now) {
			return false
		}
	}
	h.At = now
	r.Stamp.Renew()
	return true
}

// sameEntries reports whether the i-th directory is the one of its fingerprint, is nobody else's, and has the same entries. If its times
// changed and have settled, the fingerprint gets them.
func (r *Subject) sameEntries(h *Header, i int, private config.Private, now unix.Timespec) bool {
	was := &h.Dirs[i]
	path, follow := r.watchedPath(i)
	st := &r.Stamp.stat
	if StatDir(path, follow, st) != nil || follow == disk.NoFollow && r.Layout.CheckOwned(path, st) != nil {
		return false
	}
	if was.unmoved(st) {
		return true
	}
	return r.relisted(h, i, private, now)
}

// relisted is sameEntries of a directory whose times changed.
func (r *Subject) relisted(h *Header, i int, private config.Private, now unix.Timespec) bool {
	was, is := &h.Dirs[i], FingerprintOf(&r.Stamp.stat)
	if is.Dev != was.Dev || is.ino != was.ino {
		return false
	}
	path, follow := r.watchedPath(i)
	sum, err := ListSum(path, follow, r.EntrySum(i, h.Watched, private))
	if err != nil || sum != was.Sum {
		return false
	}
	if is.Settled(now) { // else it may change again without a trace: the next start lists it again
		is.Sum = sum
		*was = is
	}
	return true
}

// StatDir is lstat(2), or stat(2) if a link is followed.
func StatDir(path string, follow disk.LinkPolicy, st *unix.Stat_t) error {
	if follow == disk.Follow {
		return unix.Stat(path, st)
	}
	return unix.Lstat(path, st)
}

// The directories that are watched, in the order of a header.
const (
	SharedCodex = iota
	SandboxCodex
	SandboxHome
	RealHome
	MaxDirs // how many there are
)

// How many of them are watched. Where the isolation leaves HOME alone the real home is not, and of the sandbox home only that it holds nothing
// else.
const (
	WatchBoth  = MaxDirs
	WatchCodex = RealHome
)

func (r *Subject) watchedPath(i int) (path string, follow disk.LinkPolicy) {
	switch i {
	case SharedCodex:
		return r.Root.SharedHome.Path, disk.Follow
	case SandboxCodex:
		return r.Account.CodexHome(), disk.NoFollow
	case SandboxHome:
		return r.Account.Home(), disk.NoFollow
	}
	return r.Layout.Home, disk.Follow
}

// EntrySum returns the function that sums up what counts of an entry of the i-th directory, where as many are watched.
func (r *Subject) EntrySum(i, watched int, private config.Private) func(string, disk.Entry) uint64 {
	switch {
	case watched == WatchCodex && i == SandboxHome:
		return NameSum
	case i == SharedCodex:
		return CodexHomeRules(private.CodexHome, r.Account.Meta.State).SharedSum
	case i == SandboxCodex:
		return CodexHomeRules(private.CodexHome, r.Account.Meta.State).SandboxSum
	case i == RealHome:
		return HomeRules(private.Home, RootName(r.Layout)).SharedSum
	}
	return HomeRules(private.Home, RootName(r.Layout)).SandboxSum
}

// ListSum is the sum of a directory's entries, in whatever order they are listed.
func ListSum(path string, follow disk.LinkPolicy, sum func(string, disk.Entry) uint64) (total uint64, err error) {
	d, err := disk.Open(path, follow)
	if err != nil {
		return 0, err
	}
	err = d.Each(func(name string, entry disk.Entry) error {
		total += sum(name, entry)
		return nil
	})
	if closed := d.Close(); err == nil {
		err = closed
	}
	return total, err
}

// EntriesSum is [ListSum] of entries that were listed already.
func EntriesSum(entries map[string]disk.Entry, sum func(string, disk.Entry) uint64) (total uint64) {
	for name, entry := range entries {
		total += sum(name, entry)
	}
	return total
}

// SharedSum is what counts of an entry of the shared directory: that it exists, if the sandbox shows it. Its inode counts only if it is
// hard-linked: it is what the two names have in common.
func (r Rules) SharedSum(name string, entry disk.Entry) uint64 {
	switch row, _ := r.Row(name); {
	case row.Class == HardLink:
		return disk.Mix(disk.Sum(name) ^ entry.Ino)
	case row.Class.Linked():
		return disk.Sum(name)
	}
	return 0
}

// SandboxSum is what counts of an entry of the sandbox: of a link, which one it is; of what is not shared, that it is there.
func (r Rules) SandboxSum(name string, entry disk.Entry) uint64 {
	sum := disk.Mix(disk.Sum(name) ^ uint64(entry.Mode))
	switch row, _ := r.Row(name); {
	case entry.Mode&fs.ModeSymlink != 0, row.Class == HardLink:
		return disk.Mix(sum ^ entry.Ino)
	case row.Class == Private && row.Transient:
		return 0
	}
	return sum
}

// NameSum is what counts of an entry of which only its name does.
func NameSum(name string, _ disk.Entry) uint64 { return disk.Sum(name) }

// PinnedFile returns the fingerprint of the file of pinned names, the zero value if it is missing.
func (r *Subject) PinnedFile() Fingerprint {
	var st unix.Stat_t
	return r.pinnedFile(&st)
}

func (r *Subject) pinnedFile(st *unix.Stat_t) Fingerprint {
	if unix.Lstat(PinnedFile(r.Account.Dir), st) != nil {
		return Fingerprint{}
	}
	return FingerprintOf(st)
}

// pairedAsWas reports whether the hard-linked file was not written since: its directory does not tell.
func (r *Subject) pairedAsWas(paired SeenFile) bool {
	if paired == (SeenFile{}) {
		return true
	}
	for _, row := range CodexHomeTable {
		if row.Class != HardLink {
			continue
		}
		var st unix.Stat_t
		if unix.Lstat(r.Account.CodexHome()+"/"+row.Pattern, &st) != nil || SeenFileOf(disk.StatOf(&st)) != paired {
			return false
		}
	}
	return true
}

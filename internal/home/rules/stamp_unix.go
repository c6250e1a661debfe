//go:build unix

package rules

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
)

// Subject is an account, and what a look at it needs to know.
type Subject struct {
	Layout  account.Layout
	Root    account.Root
	Account account.Account
}

// The places of a [Stamp], the shared ones first: in the directories of a sandbox each link has to be read.
const (
	SharedCodex = iota
	RealHome
	OwnCodex
	OwnHome
	rootFile
	metaFile
)

func (r *Subject) places() [6]string {
	a := &r.Account
	return [6]string{
		r.Root.SharedHome.Path, r.Layout.Home, a.CodexHome(), a.Home(),
		r.Layout.Path(account.RootFile), r.Layout.MetaFile(a.Dir),
	}
}

// Unchanged reports whether the last look found nothing to repair, and nothing that it depends on changed since. It sets what the last look
// knew of root.json and meta.json, which are not parsed. A directory whose times changed is read: if all is as it was but the files in it,
// the stamp gets its times.
func (r *Subject) Unchanged(isolation string, private config.Private) bool {
	last, err := r.LastStamp()
	if err != nil {
		return false
	}
	r.Root.SharedHome.Path, r.Account.Meta.State = last.SharedHome, account.StateShared
	if last.Private {
		r.Account.Meta.State = account.StatePrivate
	}
	now, err := r.Stamp(isolation, private)
	for i := range now.Places {
		at := &now.Places[i]
		if at.Names = last.Places[i].Names; err == nil && (*at != last.Places[i] || at.Ctime == 0) {
			at.Names, err = r.Names(i)
		}
		if at.Names != last.Places[i].Names {
			return false
		}
	}
	if err != nil || now.untimed() != last.untimed() {
		return false
	}
	if now != last {
		if fd, err := unix.Open(StampFile(&r.Account), unix.O_WRONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0); err == nil {
			_, _ = unix.Write(fd, now.Text()) // as long as the last one. If it is torn, the next start looks
			_ = unix.Close(fd)
		}
	}
	return true
}

// Has reports whether root.json and meta.json are still what r has of them, and s the sums of both.
func (r *Subject) Has(s *Stamp) bool {
	root, err := r.Names(rootFile)
	meta, err2 := r.Names(metaFile)
	s.Places[rootFile].Names, s.Places[metaFile].Names = root, meta
	m := &r.Account.Meta
	return errors.Join(err, err2) == nil && root == Names(r.Root.Sum()) && meta == Names(m.Sum()) &&
		m.RealHome == r.Layout.Home && m.MovedFrom == "" && !m.Unfinished
}

// LastStamp returns the stamp of the last look.
func (r *Subject) LastStamp() (s Stamp, err error) {
	text, err := disk.ReadFile(StampFile(&r.Account), unix.O_NOFOLLOW, MaxStamp)
	if err == nil {
		err = s.Parse([]byte(text))
	}
	return s, err
}

// Stamp returns what the stamp is to say, without what is in the places. The error is of one that cannot be looked at, or is not the user's
// alone.
func (r *Subject) Stamp(isolation string, private config.Private) (s Stamp, err error) {
	now, err := disk.FileClock()
	s.Inputs, s.SharedHome, s.Private = r.Inputs(isolation, private), r.Root.SharedHome.Path, r.Account.Meta.State == account.StatePrivate
	for i, path := range r.places() {
		var st unix.Stat_t
		switch {
		case err != nil:
		case i == OwnCodex || i == OwnHome:
			if err = unix.Lstat(path, &st); err == nil {
				err = r.Layout.CheckOwned(path, &st)
			}
		default:
			err = unix.Stat(path, &st)
		}
		if s.Places[i] = (Place{Dev: uint64(st.Dev), Ino: st.Ino}); isOld(st.Ctim, now) {
			s.Places[i].Mtime, s.Places[i].Ctime = st.Mtim.Nano(), st.Ctim.Nano()
		}
	}
	return s, err
}

// Inputs is the sum of all that a look depends on beside the places: the rules, where the homes are, and which isolation holds.
func (r *Subject) Inputs(isolation string, private config.Private) uint64 {
	texts := [][]string{
		{r.Layout.Root, r.Layout.Home, RootName(r.Layout), r.Account.Key, isolation},
		private.CodexHome, private.Home, private.SharedCodexHome, private.SharedHome,
	}
	return disk.Sum(fmt.Sprintf("%d %q", uint64(tableSum), texts))
}

// isOld reports whether a later change would have another time: file times have ticks, some of whole seconds, two at most.
func isOld(changed, now unix.Timespec) bool {
	if changed.Nsec == 0 {
		return changed.Sec+2 < now.Sec
	}
	return disk.Older(changed, now)
}

// Names returns the sum of what is in a place.
func (r *Subject) Names(i int) (sum Names, err error) {
	path := r.places()[i]
	if i == rootFile || i == metaFile {
		text, err := disk.ReadFile(path, unix.O_NOFOLLOW, account.MaxJSON)
		return Names(disk.Sum(text)), err
	}
	dir, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1) // in no order, which os.ReadDir would take time for
	for _, e := range entries {
		name, kind := e.Name(), e.Type()
		var which string
		switch {
		case err != nil:
		case i == SharedCodex && ComesAndGoes(name):
			continue
		case (i == OwnCodex || i == OwnHome) && kind&fs.ModeSymlink != 0:
			which, err = os.Readlink(path + "/" + name)
		case (i == SharedCodex || i == OwnCodex) && kind.IsRegular() && IsHardLinked(name):
			which, err = inode(e)
		}
		sum.Add(name, kind, which)
	}
	return sum, err
}

func inode(e fs.DirEntry) (string, error) {
	info, err := e.Info()
	if err != nil {
		return "", err
	}
	st, _ := info.Sys().(*syscall.Stat_t)
	return strconv.FormatUint(st.Ino, 10), nil
}

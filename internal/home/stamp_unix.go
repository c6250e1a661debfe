//go:build unix

package home

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/home/rules"
)

// The stamp of an account says what everything was like that a look at it depends on, when the last look found nothing to repair. It is not
// synced: one that is lost, or that a crash tore, makes the next start look.

// stamp is what the file says: a sum of the rest, what has a size, little-endian, and sharedHome.
type stamp struct {
	sized
	sharedHome string // as root.json says
}

type sized struct {
	Inputs  uint64          // the sum of the settings and of the table; 0 where the next start must look again
	Private bool            // the state, as meta.json says
	Places  [6]stampedPlace // in the order of [Homes.stamped]
}

// stampedPlace is a directory or file that is compared. An entry that comes, goes or is replaced changes the times of its directory.
type stampedPlace struct {
	Dev, Ino     uint64
	Mtime, Ctime int64       // 0 where a change after the look might not show in them
	Names        rules.Names // of a file the sum of its text
}

// The places of a stamp: of each view the shared directory and the sandbox's.
const (
	sharedCodex = iota
	ownCodex
	realHome
	ownHome
	rootFile
	metaFile
)

func (h *Homes) stamped(a *account.Account) [6]string {
	return [6]string{
		h.Root.SharedHome.Path, a.CodexHome(), h.Store.Home, a.Home(),
		h.Store.Path(account.RootFile), h.Store.MetaFile(a.Dir),
	}
}

// text returns what the file is to say.
func (s *stamp) text() []byte {
	text, _ := binary.Append(nil, binary.LittleEndian, &s.sized) // it cannot fail: the size is fixed
	text = append(text, s.sharedHome...)
	return append(binary.LittleEndian.AppendUint64(nil, disk.Sum(string(text))), text...)
}

// lastStamp returns the stamp of the last look, if it is there as it was written.
func lastStamp(a *account.Account) (s stamp, ok bool) {
	const start, most = 8, 1 << 13 // bytes
	text, _ := disk.ReadOwn(stampFile(a), most)
	size := start + binary.Size(&s.sized)
	if len(text) < size || binary.LittleEndian.Uint64([]byte(text)) != disk.Sum(text[start:]) {
		return s, false
	}
	s.sharedHome = text[size:]
	_, err := binary.Decode([]byte(text[start:size]), binary.LittleEndian, &s.sized)
	return s, err == nil
}

func stampFile(a *account.Account) string { return filepath.Join(a.Dir, "stamp") }

// unchanged reports whether all is as the last look left it, and notes in h how far. It sets what that look knew of root.json and
// meta.json, which are not parsed, in any case. A directory whose times changed is read: if all is as it was but the files in it, the
// stamp gets its times.
func (h *Homes) unchanged(a *account.Account) bool {
	h.since = comparison{}
	last, ok := lastStamp(a)
	if !ok {
		return false
	}
	h.Root.SharedHome.Path, a.Meta.State = last.sharedHome, account.StateShared
	if last.Private {
		a.Meta.State = account.StatePrivate
	}
	now, err := h.stamp(a)
	rest := now
	if rest.Places = last.Places; err != nil || rest != last {
		return false
	}
	c := &h.since
	c.now = now
	for i, was := range last.Places {
		at := &c.now.Places[i]
		if at.Names = was.Names; *at != was || at.Ctime == 0 {
			at.Names, c.entries[i], err = h.namesIn(a, i)
		}
		c.same[i] = err == nil && was == stampedPlace{at.Dev, at.Ino, was.Mtime, was.Ctime, at.Names}
	}
	are := !slices.Contains(c.same[:], false)
	if are && c.now != last {
		_ = os.WriteFile(stampFile(a), c.now.text(), 0o600) // if it is torn, the next start looks
	}
	return are
}

// stamp returns what the stamp is to say, without what is in the places. The error is of one that cannot be looked at, or is not the user's
// alone.
func (h *Homes) stamp(a *account.Account) (s stamp, err error) {
	// All that a look depends on beside the places: the rules, where the homes are, and which isolation holds.
	isolation, private := h.Settings.For(a.Key)
	texts := [][]string{
		{h.Store.Root, h.Store.Home, rules.RootName(h.Store.Layout), a.Key, isolation},
		private.CodexHome, private.Home, private.SharedCodexHome, private.SharedHome,
	}
	s.Inputs = disk.Sum(fmt.Sprintf("%d %q", uint64(rules.TableSum), texts))
	s.sharedHome, s.Private = h.Root.SharedHome.Path, a.Meta.State == account.StatePrivate
	now, err := disk.FileClock()
	for i, path := range h.stamped(a) {
		var st unix.Stat_t
		switch {
		case err != nil:
		case i == ownCodex || i == ownHome:
			err = h.Store.CheckOwned(path, &st)
		default:
			err = unix.Stat(path, &st)
		}
		if s.Places[i] = (stampedPlace{Dev: uint64(st.Dev), Ino: st.Ino}); isOld(st.Ctim, now) {
			s.Places[i].Mtime, s.Places[i].Ctime = st.Mtim.Nano(), st.Ctim.Nano()
		}
	}
	return s, err
}

// isOld reports whether a later change would have another time: file times have ticks, some of whole seconds, two at most.
func isOld(changed, now unix.Timespec) bool {
	if changed.Nsec == 0 {
		return changed.Sec+2 < now.Sec
	}
	return changed.Nano() < now.Nano()
}

// namesIn returns the sum of what is in a place, and the entries of a directory.
func (h *Homes) namesIn(a *account.Account, i int) (sum rules.Names, entries map[string]fs.FileMode, err error) {
	path := h.stamped(a)[i]
	if i == rootFile || i == metaFile {
		text, err := disk.ReadOwn(path, account.MaxJSON)
		return rules.Names(disk.Sum(text)), nil, err
	}
	dir, err := disk.Open(path, disk.Follow)
	if err != nil {
		return 0, nil, err
	}
	defer dir.Close()
	entries, err = dir.Entries()
	for name, kind := range entries {
		var which string
		switch {
		case err != nil:
		case i == sharedCodex && rules.ComesAndGoes(name):
			continue
		case (i == ownCodex || i == ownHome) && kind&fs.ModeSymlink != 0:
			which, err = dir.Readlink(name)
		case (i == sharedCodex || i == ownCodex) && kind.IsRegular() && name == rules.HardLinked:
			which = strconv.FormatUint(disk.At(filepath.Join(path, name)).Ino, 10)
		}
		sum.Add(name, kind, which)
	}
	return sum, entries, err
}

// begin begins the stamp of this look. With an error, which the scan tells, the next start looks again.
func (e *engine) begin() (err error) {
	c := &e.since
	e.asLast = c.same[rootFile] && c.same[ownCodex] && c.same[ownHome] && c.now.sharedHome == e.Root.SharedHome.Path &&
		c.now.Private == (e.account.Meta.State == account.StatePrivate) && e.seen[0] == e.views[0].homes
	if e.began = c.now; e.asLast {
		return nil
	}
	e.began, err = e.stamp(&e.account)
	for i := 2 * len(e.views); err == nil && i < rootFile; i++ { // nobody looks at HOME, but which entries it has decides on that
		e.began.Places[i].Names, _, err = e.namesIn(&e.account, i)
	}
	return err
}

// isAsListed reports whether the directories of the sandbox are as they were before a scan listed them.
func (e *engine) isAsListed() bool {
	now, err := e.stamp(&e.account)
	same := func(i int) bool { return now.Places[i].Ctime == e.began.Places[i].Ctime && now.Places[i].Ctime != 0 }
	return err == nil && same(ownCodex) && same(ownHome)
}

// end writes the stamp of a look that left nothing to repair; else one that makes the next start look again.
func (e *engine) end(complete bool) {
	s := e.began
	for i, v := range e.views {
		if v.entries != nil {
			s.Places[2*i].Names, s.Places[2*i+1].Names = v.sharedSum, v.ownSum
		}
	}
	if !e.has(&e.account, &s) || !complete {
		s = stamp{}
	}
	// If it is lost the next start looks again, too.
	_ = putUnsynced(stampFile(&e.account), func(tmp string) error { return os.WriteFile(tmp, s.text(), 0o600) })
}

// has reports whether root.json and meta.json are still what was read of them, and sets their sums in s.
func (h *Homes) has(a *account.Account, s *stamp) bool {
	root, _, err := h.namesIn(a, rootFile)
	meta, _, err2 := h.namesIn(a, metaFile)
	s.Places[rootFile].Names, s.Places[metaFile].Names = root, meta
	m := &a.Meta
	return errors.Join(err, err2) == nil && root == rules.Names(h.Root.Sum()) && meta == rules.Names(m.Sum()) &&
		m.RealHome == h.Store.Home && m.MovedFrom == "" && !m.Unfinished
}

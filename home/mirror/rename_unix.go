//go:build unix

package mirror

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"swop/disk"
	"swop/home/history"
	"swop/home/rules"
	"swop/say"
)

// rename is that of a shared entry, which is told by its inode.
type rename struct {
	ino      uint64
	from, to string
}

// renames returns how the shared entries are to be renamed, by the links that programs renamed; none if these were not only renamed. A link
// whose own name is not free, except for another such link, is a copied one, and left out.
func (h linkReader) renames() ([]rename, error) {
	var list []rename
	gone := map[string]bool{} // the entries that lost their links
	for to, from := range h.elsewhere {
		own, there, err := h.statBoth(from)
		if err != nil {
			return nil, err
		}
		if _, permuted := h.elsewhere[from]; own.Exists() && !permuted {
			continue
		}
		blocked, err := h.inTheWay(to)
		if err != nil || gone[from] || blocked || !there.Exists() || !h.was.HadLink(from) {
			return nil, err
		}
		gone[from] = true
		list = append(list, rename{there.Ino, from, to})
	}
	slices.SortFunc(list, func(a, b rename) int { return strings.Compare(a.to, b.to) })
	if only, err := h.goneOnly(gone); err != nil || !only {
		return nil, err
	}
	return h.withCompanions(list)
}

// withCompanions adds what belongs to the databases in list: a database without its log has lost what was written last.
func (h linkReader) withCompanions(list []rename) ([]rename, error) {
	for _, r := range list {
		for _, name := range disk.Companions(r.from, h.shared) {
			there, err := h.shared.Stat(name)
			if err != nil {
				return nil, err
			}
			if !slices.ContainsFunc(list, func(other rename) bool { return other.from == name }) {
				list = append(list, rename{there.Ino, name, r.to + strings.TrimPrefix(name, r.from)})
			}
		}
	}
	return list, nil
}

// inTheWay reports whether the shared directory has an entry at name that no other one takes the place of: a directory, or a database.
func (h linkReader) inTheWay(name string) (bool, error) {
	for _, from := range h.elsewhere {
		if from == name {
			return false, nil // it is renamed itself
		}
	}
	there, err := h.shared.Stat(name)
	if err != nil || !there.Exists() || !h.class(name).Shared() {
		return false, err
	}
	group, err := h.groupOf(name)
	return there.IsDir() || group != nil, err
}

// addMissing adds a link that is missing. One that a program removed or renamed comes back at rest only, when it was read what became of it; if
// it was not renamed, the other link is read again once this one stands.
func (h *home) addMissing(name string) error {
	if h.was.HadLink(name) {
		if idle, err := h.idle(); err != nil || !idle || h.blind {
			return err
		}
	}
	for _, entry := range h.elsewhere {
		if entry == name && h.unread {
			return nil
		}
		h.again = h.again || entry == name
	}
	if h.was.HadLink(name) && h.full() {
		h.undone = append(h.undone, say.ShellQuote(h.view.Target(name)))
	}
	return h.addLink(name)
}

// goneOnly reports whether all names at which there is nothing any more, of those that had links at the last scan, are among gone.
func (h linkReader) goneOnly(gone map[string]bool) (bool, error) {
	for name := range h.was.AllLinks() {
		if gone[name] {
			continue
		}
		own, there, err := h.statBoth(name)
		if err != nil || there.Exists() && !own.Exists() {
			return false, err
		}
	}
	return true, nil
}

// renamesFile is the file in the directory of a move that has its renames, one a line.
const renamesFile = "renames"

// renameShared renames the shared entries, and repairs their links. Killed between two renames, [move.finishRename] goes on: each entry is told
// by its inode.
func (h linkReader) renameShared(list []rename) error {
	m, err := h.begin(list[0].to, history.Replaced)
	if err != nil {
		return err
	}
	var text []byte
	for _, r := range list {
		text = fmt.Appendf(text, "%d %q %q\n", r.ino, r.from, r.to)
	}
	if err = m.Dir.WriteNew(renamesFile, text); err == nil {
		err = h.applyRenames(list)
	}
	if err != nil && !h.asBefore(list) {
		return errors.Join(err, m.Close()) // the next run goes on
	}
	h.again = h.again || err == nil
	return m.end(err)
}

// renameGroups renames the shared entries of each group. It reports whether it renamed any, and returns the links whose entries wait; a private
// one does not, as it must not stay.
func (h linkReader) renameGroups(list []rename) (renamed bool, waiting []string) {
	for _, group := range together(list) {
		err := h.renameShared(group)
		renamed = renamed || err == nil
		for _, r := range group {
			if err != nil && h.class(r.to).Shared() {
				waiting = append(waiting, r.to)
				_ = h.wait(finding{movedLink, r.to}, err) // nil for what is shared
			}
		}
	}
	return renamed, waiting
}

// asBefore reports whether no entry was renamed: the links can be read again then.
func (h linkReader) asBefore(list []rename) bool {
	return !slices.ContainsFunc(list, func(r rename) bool {
		there, err := h.shared.Stat(r.from)
		return err != nil || there.Ino != r.ino
	})
}

// together returns the renames in groups that succeed or wait together: one frees the name that another takes, or they are of one database.
func together(list []rename) (groups [][]rename) {
	for _, r := range list {
		group := []rename{r}
		groups = slices.DeleteFunc(groups, func(other []rename) bool {
			related := slices.ContainsFunc(other, r.related)
			if related {
				group = append(group, other...)
			}
			return related
		})
		groups = append(groups, group)
	}
	return groups
}

func (r rename) related(other rename) bool {
	for _, name := range []string{r.from, r.to} {
		base, _ := disk.DatabaseName(name)
		from, _ := disk.DatabaseName(other.from)
		if to, _ := disk.DatabaseName(other.to); base == from || base == to {
			return true
		}
	}
	return false
}

// finishRename goes on with the renames of a move that a killed run began.
func (m *move) finishRename() error {
	text, err := disk.ReadOwn(m.Dir.Path+"/"+renamesFile, rules.MaxBaseline)
	if err != nil {
		return disk.Ignore(err, unix.ENOENT)
	}
	var list []rename
	for line := range strings.Lines(text) {
		var r rename
		if _, err := fmt.Sscanf(line, "%d %q %q\n", &r.ino, &r.from, &r.to); err == nil {
			list = append(list, r)
		}
	}
	err = linkReader{m.home}.applyRenames(list)
	if err == nil || (linkReader{m.home}).asBefore(list) {
		return nil // the links are read again
	}
	m.linksRead, m.unread = true, true // they do not tell any more
	return err
}

func (h linkReader) applyRenames(list []rename) error {
	for _, r := range list {
		if err := retry(func() error { return h.applyRename(r, list) }); err != nil {
			return err
		}
	}
	for _, r := range list {
		if err := h.repairLink(r.to); err != nil {
			return err
		}
		h.renamed[r.from] = r.to
	}
	return nil
}

// applyRename renames one of the shared entries in list, wherever the renames before have left it.
func (h linkReader) applyRename(r rename, list []rename) error {
	at, err := h.nameOf(r.ino, list, r.to)
	if err != nil || at == "" {
		return err
	}
	if !h.class(r.to).Shared() {
		return h.bringBack(at, r.to)
	}
	there, err := h.shared.Stat(r.to)
	if err != nil {
		return err
	}
	switch {
	case there.Exists() && there.Ino == r.ino && there.IsRegular():
		return h.shared.Unlink(at) // a killed run made the second name
	case !there.Exists():
		return h.shared.Err("rename", r.to, disk.Changed(h.shared.Move(at, h.shared, r.to)))
	case slices.ContainsFunc(list, func(other rename) bool { return other.ino == there.Ino }):
		return h.shared.Err("rename", r.to, disk.Changed(h.shared.Exchange(at, h.shared, r.to)))
	}
	return disk.ChangedAfter(h.supersede(r.to, there)) // the name is free then
}

// nameOf returns the name, of those in list except one, under which the shared entry with the inode is, "" for none.
func (h linkReader) nameOf(ino uint64, list []rename, but string) (string, error) {
	for _, r := range list {
		for _, name := range []string{r.from, r.to} {
			there, err := h.shared.Stat(name)
			if err != nil || name != but && there.Ino == ino && there.Exists() {
				return name, err
			}
		}
	}
	return "", nil
}

// supersede moves the shared entry out of the way, and keeps it.
func (h linkReader) supersede(name string, there disk.Stat) error {
	why := history.Changed
	if h.saw(name, there) {
		why = history.Replaced
	}
	return h.move(name, why, func(m *move) error { return m.Take(h.shared, name) })
}

// bringBack moves a shared entry, which is private under its new name, into the sandbox in place of the renamed link.
func (h linkReader) bringBack(old, name string) error {
	return h.move(name, history.Replaced, func(m *move) error {
		err := m.Take(h.shared, old)
		if err == nil {
			err = m.Files.Exchange(name, h.sandbox, name)
		}
		return h.sandbox.Err("rename", name, disk.Changed(err))
	})
}

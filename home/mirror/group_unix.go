//go:build unix

package mirror

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"golang.org/x/sys/unix"

	"swop/disk"
	"swop/home/baseline"
	"swop/home/history"
	"swop/home/rules"
	"swop/say"
)

// group is a database and the files that belong to it, in the sandbox and in the shared directory. They are moved together, at rest.
type group struct {
	base        string
	names       []string             // of what belongs to it, and last its own
	own, there  map[string]disk.Stat // by name: what is there, links of ours apart
	copied      map[string]bool      // by name: the shared file is the sandbox's, or a copy that a killed run made
	meetsShared bool                 // a name of it is taken in the shared directory, by another file
}

// companions returns the names of what belongs to the database called base: of codex's own by their names, of others by what is in the files. A
// move has files of it in further directories.
func (h *home) companions(base string, further ...disk.Dir) []string {
	if row, _ := h.rules.Row(base); row.Database {
		return slices.DeleteFunc(disk.DatabaseNames(base)[1:], func(name string) bool { return len(name) > disk.NameMax })
	}
	return disk.Companions(base, append(further, h.sandbox, h.shared)...)
}

// databaseOf returns the name of the database that the entry belongs to; its own where it belongs to nothing.
func (h *home) databaseOf(name string) (string, error) {
	base, companion := disk.DatabaseName(name)
	if !companion {
		return name, nil
	}
	own, there, err := h.statBoth(base)
	if err == nil && (own.Exists() || there.Exists()) && slices.Contains(h.companions(base), name) {
		return base, nil
	}
	return name, err
}

// groupOf returns the group that the sandbox's entry belongs to, nil for none.
func (h *home) groupOf(name string) (*group, error) {
	base, err := h.databaseOf(name)
	if err != nil {
		return nil, err
	}
	g := &group{base: base, own: map[string]disk.Stat{}, there: map[string]disk.Stat{}, copied: map[string]bool{}}
	companions := h.companions(base)
	row, _ := h.rules.Row(base)
	if !row.Database && len(companions) == 0 {
		return nil, nil
	}
	g.names = append(companions, base)
	for _, name := range g.names {
		own, there, err := h.statBoth(name)
		if err != nil {
			return nil, err
		}
		if own.Exists() && !h.isOurLink(name, own) {
			g.own[name] = own
		}
		if there.Exists() {
			g.there[name] = there
		}
		if name == base && (own.IsDir() || there.IsDir()) {
			return nil, nil
		}
	}
	return g, nil
}

// foldGroup adopts a group, or keeps it whole if it meets a shared one, which stays: at rest, and only if no process has a file of either open.
func (h *home) foldGroup(g *group) error {
	if may, err := h.mayMoveGroup(g); err != nil || !may {
		return err
	}
	if err := h.compareGroup(g); err != nil {
		return err
	}
	if _, own := g.own[g.base]; !own || g.meetsShared {
		return h.keepGroup(g)
	}
	return h.adoptGroup(g)
}

// compareGroup finds out which of the group's files the shared directory has already, and whether it has others.
func (h *home) compareGroup(g *group) (err error) {
	for name, there := range g.there {
		own := g.own[name]
		g.copied[name] = own.Same(there)
		if own.Exists() && !g.copied[name] {
			if g.copied[name], err = h.equal(h.sandbox, name, own, h.shared, name, there); err != nil {
				return err
			}
		}
		g.meetsShared = g.meetsShared || !g.copied[name]
	}
	return nil
}

func (h *home) mayMoveGroup(g *group) (bool, error) {
	if idle, err := h.idle(); err != nil || !idle {
		return false, err
	}
	for name, own := range g.own {
		if !own.IsRegular() {
			path := h.sandbox.Path + "/" + name
			do := fmt.Sprintf("mv %s %s", say.ShellQuote(path), say.ShellQuote(path+".own"))
			h.now.Wait(name, baseline.Obstacle{Reason: "a link or a directory is in the place of a database's file", Do: do})
			return false, nil
		}
		if used, known, err := h.inUse(name, own); err != nil || used || !known {
			return false, err
		}
	}
	for name, there := range g.there {
		if unopened, known := h.shared.Unopened(name); there.IsRegular() && known && !unopened {
			return false, nil
		}
	}
	return true, nil
}

// adoptGroup gives the companions and then the database a second name in the shared directory, before it removes the first names.
func (h *home) adoptGroup(g *group) error {
	return h.move(g.base, history.Apart, func(m *move) error {
		return inOrder(
			func() error { return m.linkGroup(g) },
			func() error { return m.takeOut(g.own[g.base].Same) },
			m.takeCompanions,
			func() error { return m.dropAdopted(g) },
		)
	})
}

// linkGroup gives the group's files names in the shared directory. If a program makes a database of that name meanwhile, the companions lose
// theirs again: they would destroy it.
func (m *move) linkGroup(g *group) error {
	made := map[string]disk.Stat{}
	for _, name := range g.names {
		own, ok := g.own[name]
		if !ok || g.copied[name] {
			continue
		}
		base, err := m.shared.Stat(g.base)
		if err == nil && base.Exists() && !(g.copied[g.base] && base.Same(g.there[g.base])) {
			err = disk.ErrChanged
		}
		if err == nil {
			err = m.linkIn(name, own)
		}
		if err != nil {
			return disk.Undone(err, m.unlinkUnmodified(made))
		}
		if made[name], err = m.shared.Stat(name); err != nil {
			return err
		}
	}
	return nil
}

func (m *move) unlinkUnmodified(made map[string]disk.Stat) error {
	for name, i := range made {
		there, err := m.shared.Stat(name)
		if err == nil && there.Unmodified(i) {
			err = m.shared.Unlink(name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// linkIn gives the sandbox's file the same name in the shared directory.
func (m *move) linkIn(name string, own disk.Stat) error {
	err := m.sandbox.Link(name, m.shared, name)
	if errors.Is(err, unix.EXDEV) || cannotLink(err) {
		err = m.CopyIn(m.sandbox, name, own, m.shared, name, func(tmp string) error { return m.shared.Move(tmp, m.shared, name) })
	}
	return m.shared.Err("link", name, disk.Changed(err))
}

// dropAdopted removes what was taken out, if all of it is in the shared directory as it was judged. The description goes first: a move without one
// has nothing to keep.
func (m *move) dropAdopted(g *group) error {
	for name, own := range g.own {
		if i, err := m.Files.Stat(name); err != nil || !i.Unmodified(own) {
			return err
		}
	}
	err := m.Dir.Unlink(history.AboutFile)
	for name := range g.own {
		err = errors.Join(err, m.Files.Unlink(name))
	}
	return err
}

// keepGroup takes the group out of the sandbox whole, and keeps it.
func (h *home) keepGroup(g *group) error {
	return h.move(g.base, history.Apart, func(m *move) (err error) {
		if own, ok := g.own[g.base]; ok {
			err = m.takeOut(own.Same)
		}
		if err == nil {
			err = m.takeCompanions()
		}
		return err
	})
}

// takeCompanions takes the sandbox's own companions of the database out too.
func (m *move) takeCompanions() error {
	for _, name := range m.companions(m.Name, m.Files) {
		own, err := m.sandbox.Stat(name)
		if err != nil {
			return err
		}
		if !own.IsRegular() {
			continue
		}
		if err := m.sandbox.Move(name, m.Files, name); err != nil {
			return m.sandbox.Err("rename", name, disk.Ignore(err, unix.ENOENT))
		}
	}
	return nil
}

// finishGroup ends a move of a group that a killed run began.
func (m *move) finishGroup() error {
	if own, err := m.Files.Stat(m.Name); err != nil || m.About.Why != history.Apart || !own.IsRegular() {
		return err
	}
	return m.takeCompanions()
}

// checkTransient finds the companion of a database that a killed run adopted without it.
func (h scanner) checkTransient(name string) {
	base, companion := disk.DatabaseName(name)
	if row, _ := h.rules.Row(base); companion && row.Database && h.rules.Class(name) == rules.Ignored && h.inSandbox[base].Mode&fs.ModeSymlink != 0 {
		h.add(ownVersion, name)
	}
}

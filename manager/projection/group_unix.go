//go:build unix

package projection

import (
	"errors"
	"io/fs"
	"strings"

	"golang.org/x/sys/unix"

	"swop/manager/disk"
	"swop/manager/history"
	"swop/manager/stamp"
)

// companions are the name endings of the files that belong to a database: they are moved together with it, at rest. A database without its
// log has lost what was written last; one with another's log is destroyed.
var companions = []string{"-wal", "-shm", "-journal"}

// baseOf returns the name of the database that a file with this name would belong to, and whether it has such a name.
func baseOf(name string) (string, bool) {
	for _, end := range companions {
		if base, ok := strings.CutSuffix(name, end); ok && base != "" {
			return base, true
		}
	}
	return name, false
}

// group is a database and its companions, in the sandbox and in the shared directory.
type group struct {
	base        string
	own, there  map[string]disk.Stat // by name: what is there, links of ours apart
	copied      map[string]bool      // by name: the shared file is the sandbox's, or a copy that a killed run made
	meetsShared bool                 // a name of it is taken in the shared directory, by another file
}

// groupOf returns the group that the sandbox's entry belongs to, nil for none.
func (p *projection) groupOf(name string) (*group, error) {
	base, companion := baseOf(name)
	if companion {
		own, there, err := p.statBoth(base)
		if err != nil {
			return nil, err
		}
		if !own.Exists() && !there.Exists() {
			base = name // it belongs to nothing
		}
	}
	g := &group{base: base, own: map[string]disk.Stat{}, there: map[string]disk.Stat{}, copied: map[string]bool{}}
	row, _ := p.rules.Row(base)
	together := row.Database
	for _, end := range append([]string{""}, companions...) {
		if len(base+end) > disk.NameMax {
			continue
		}
		own, there, err := p.statBoth(base + end)
		if err != nil {
			return nil, err
		}
		if own.Exists() && !p.isOurLink(base+end, own) {
			g.own[base+end] = own
		}
		if there.Exists() {
			g.there[base+end] = there
		}
		together = together || end != "" && (own.Exists() || there.Exists())
		if end == "" && (own.IsDir() || there.IsDir()) {
			return nil, nil
		}
	}
	if !together {
		return nil, nil
	}
	return g, nil
}

// foldGroup adopts a group, or keeps it whole if it meets a shared one, which stays: at rest, and only if no process has a file of either open.
func (p *projection) foldGroup(g *group) error {
	if may, err := p.mayMoveGroup(g); err != nil || !may {
		return err
	}
	if err := p.compareGroup(g); err != nil {
		return err
	}
	if _, own := g.own[g.base]; !own || g.meetsShared {
		return p.keepGroup(g)
	}
	return p.adoptGroup(g)
}

// compareGroup finds out which of the group's files the shared directory has already, and whether it has others.
func (p *projection) compareGroup(g *group) (err error) {
	for name, there := range g.there {
		own := g.own[name]
		g.copied[name] = own.Same(there)
		if own.Exists() && !g.copied[name] {
			if g.copied[name], err = p.equal(p.sandbox, name, own, p.shared, name, there); err != nil {
				return err
			}
		}
		g.meetsShared = g.meetsShared || !g.copied[name]
	}
	return nil
}

func (p *projection) mayMoveGroup(g *group) (bool, error) {
	if idle, err := p.idle(); err != nil || !idle {
		return false, err
	}
	for name, own := range g.own {
		if !own.IsRegular() {
			return false, nil
		}
		if used, known, err := p.inUse(name, own); err != nil || used || !known {
			return false, err
		}
	}
	for name, there := range g.there {
		if unopened, known := p.shared.Unopened(name); there.IsRegular() && known && !unopened {
			return false, nil
		}
	}
	return true, nil
}

// adoptGroup gives the companions and then the database a second name in the shared directory, before it removes the first names.
func (p *projection) adoptGroup(g *group) error {
	return p.move(g.base, history.Apart, func(m *move) error {
		err := m.linkGroup(g)
		if err == nil {
			err = m.takeOut(g.own[g.base].Same)
		}
		if err == nil {
			err = m.takeCompanions()
		}
		if err == nil {
			err = m.dropAdopted(g)
		}
		return err
	})
}

// linkGroup gives the group's files names in the shared directory. If a program makes a database of that name meanwhile, the companions lose
// theirs again: they would destroy it.
func (m *move) linkGroup(g *group) error {
	made := map[string]disk.Stat{}
	for _, end := range append(companions, "") {
		own, ok := g.own[g.base+end]
		if !ok || g.copied[g.base+end] {
			continue
		}
		base, err := m.shared.Stat(g.base)
		if err == nil && base.Exists() && !(g.copied[g.base] && base.Same(g.there[g.base])) {
			err = disk.ErrChanged
		}
		if err == nil {
			err = m.linkIn(g.base+end, own)
		}
		if err != nil {
			return disk.Undone(err, m.unlinkUnmodified(made))
		}
		if made[g.base+end], err = m.shared.Stat(g.base + end); err != nil {
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
		err = m.copyIn(m.sandbox, name, own, m.shared, name, func(tmp string) error { return m.shared.Move(tmp, m.shared, name) })
	}
	return m.shared.Err("link", name, disk.Changed(err))
}

// dropAdopted removes what was taken out, if all of it is in the shared directory as it was judged. The description goes first: a move without one
// has nothing to keep.
func (m *move) dropAdopted(g *group) error {
	for name, own := range g.own {
		if i, err := m.files.Stat(name); err != nil || !i.Unmodified(own) {
			return err
		}
	}
	err := m.dir.Unlink(history.AboutFile)
	for name := range g.own {
		err = errors.Join(err, m.files.Unlink(name))
	}
	return err
}

// keepGroup takes the group out of the sandbox whole, and keeps it.
func (p *projection) keepGroup(g *group) error {
	return p.move(g.base, history.Apart, func(m *move) (err error) {
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
	for _, end := range companions {
		own, err := m.sandbox.Stat(m.name + end)
		if err != nil {
			return err
		}
		if !own.IsRegular() {
			continue
		}
		if err := m.sandbox.Move(m.name+end, m.files, m.name+end); err != nil {
			return m.sandbox.Err("rename", m.name+end, disk.Ignore(err, unix.ENOENT))
		}
	}
	return nil
}

// finishGroup ends a move of a group that a killed run began.
func (m *move) finishGroup() error {
	if own, err := m.files.Stat(m.name); err != nil || m.about.Why != history.Apart || !own.IsRegular() {
		return err
	}
	return m.takeCompanions()
}

// checkTransient finds the companion of a database that a killed run adopted without it.
func (s *scanner) checkTransient(name string) {
	base, companion := baseOf(name)
	if row, _ := s.rules.Row(base); companion && row.Database && s.rules.Class(name) == stamp.Ignored && s.inSandbox[base].Mode&fs.ModeSymlink != 0 {
		s.add(ownVersion, name)
	}
}

//go:build unix

package projection

import (
	"errors"
	"io/fs"
	"strings"

	"golang.org/x/sys/unix"

	"swop/manager/disk"
)

// sidecars are the name endings of the files that belong to a database. They are moved before it: a database without its log has lost what
// was written last.
var sidecars = []string{"-wal", "-shm", "-journal"}

// foldDatabase adopts a database that was made in the sandbox, with its log, or displaces it if there is a shared one. It does so only
// while no process uses the account: whoever has the database open locks and writes these files under these names.
func (p *projection) foldDatabase(name string) error {
	own, err := p.sandbox.Stat(name)
	if err != nil || p.isOwnLink(name, own) {
		return err
	}
	if noProcesses, err := p.noProcesses(); err != nil || !noProcesses || !own.IsRegular() {
		p.now.wait(name, own)
		return err
	}
	there, err := p.shared.Stat(name)
	if err != nil {
		return err
	}
	if there.Exists() && !own.Same(there) {
		return p.displaceDatabase(name, own)
	}
	return p.adoptDatabase(name, own)
}

// adoptDatabase gives the log and then the database a second name in the shared directory, before it removes the first names.
func (p *projection) adoptDatabase(name string, own disk.Stat) error {
	if apart, err := p.apart(); err != nil {
		return err
	} else if apart {
		return p.adoptDatabaseCopy(name, own)
	}
	for _, end := range append(sidecars, "") {
		err := p.sandbox.Link(name+end, p.shared, name+end)
		if errors.Is(err, unix.EEXIST) && end != "" && !p.sameFile(name+end) {
			// A log without a database belongs to nothing, unless the database is just being made.
			if there, e := p.shared.Stat(name + end); e != nil || !p.last.before(there) {
				return errors.Join(e, p.undoDatabase(name))
			}
			if err := p.displace(p.shared, name+end, name+end); err != nil {
				return err
			}
			err = p.sandbox.Link(name+end, p.shared, name+end)
		}
		switch {
		case err == nil, errors.Is(err, unix.ENOENT) && end != "":
		case errors.Is(err, unix.EEXIST) && p.sameFile(name+end): // a killed run did it
		case errors.Is(err, unix.EXDEV), cannotLink(err):
			return p.adoptDatabaseCopy(name, own)
		case errors.Is(err, unix.EEXIST), errors.Is(err, unix.ENOENT):
			return p.undoDatabase(name)
		default:
			return p.shared.Err("link", name+end, err)
		}
	}
	if err := p.linkOver(name, own); err != nil {
		return err
	}
	return p.dropSidecars(p.sandbox, name)
}

// undoDatabase removes the shared names of the log again, where another program made a database of this name meanwhile. The next scan
// judges the two.
func (p *projection) undoDatabase(name string) error {
	if err := p.dropSidecars(p.shared, name); err != nil {
		return err
	}
	return p.waitForOwn(name)
}

// sameFile reports whether both directories have the same file under this name.
func (p *projection) sameFile(name string) bool {
	own, there, err := p.statBoth(name)
	return err == nil && own.Same(there)
}

// dropSidecars removes the names in d of a log that both directories have.
func (p *projection) dropSidecars(d disk.Dir, name string) error {
	for _, end := range sidecars {
		if p.sameFile(name + end) {
			if err := d.Unlink(name + end); err != nil {
				return err
			}
		}
	}
	return nil
}

// adoptDatabaseCopy does what adoptDatabase does, across file systems. A log that a killed run had copied is copied again.
func (p *projection) adoptDatabaseCopy(name string, own disk.Stat) error {
	copies := map[string]disk.Stat{}
	for _, end := range append(sidecars, "") {
		err := p.copyDatabaseFile(name, end, copies)
		if errors.Is(err, unix.EEXIST) {
			return p.undoCopies(name, own, copies)
		}
		if err != nil {
			return err
		}
	}
	if err := p.linkOverCopied(name, own); err != nil {
		return err
	}
	for _, end := range sidecars {
		if err := p.sandbox.Unlink(name + end); err != nil {
			return err
		}
	}
	return nil
}

// copyDatabaseFile copies the database's file whose name has this ending, "" for the database itself, and adds the copy to copies. The
// error wraps EEXIST if another program made a database of this name meanwhile: then a log beside it belongs to that one.
func (p *projection) copyDatabaseFile(name, end string, copies map[string]disk.Stat) error {
	i, there, err := p.statBoth(name + end)
	if err != nil || !i.Exists() {
		return err
	}
	if db, err := p.shared.Stat(name); err != nil || db.Exists() {
		return errors.Join(err, unix.EEXIST)
	}
	if there.Exists() {
		if err := p.displaceUnlessEqual(p.shared, name+end, i, there); err != nil {
			return err
		}
	}
	if err := disk.CopyWhole(p.sandbox, name+end, i, p.shared, name+end); err != nil {
		return err
	}
	copies[name+end], err = p.shared.Stat(name + end)
	return err
}

// undoCopies does what undoDatabase does, for files that were copied.
func (p *projection) undoCopies(name string, own disk.Stat, copies map[string]disk.Stat) error {
	for _, end := range sidecars {
		there, err := p.shared.Stat(name + end)
		if err != nil {
			return err
		}
		if there.Unmodified(copies[name+end]) {
			if err := p.shared.Unlink(name + end); err != nil {
				return err
			}
		}
	}
	p.now.wait(name, own)
	return nil
}

// displaceUnlessEqual removes the entry in d, one of the two directories, if it equals the other one, and displaces it if not.
func (p *projection) displaceUnlessEqual(d disk.Dir, name string, own, there disk.Stat) error {
	equal, err := p.equal(p.sandbox, name, own, p.shared, name, there)
	switch {
	case err != nil:
		return err
	case equal:
		return d.Unlink(name)
	}
	return p.displace(d, name, name)
}

// displaceDatabase displaces the sandbox's database together with its log: they are opened together or not at all.
func (p *projection) displaceDatabase(name string, own disk.Stat) error {
	for _, end := range sidecars {
		i, err := p.sandbox.Stat(name + end)
		if err != nil {
			return err
		}
		if i.Exists() {
			if err := p.displace(p.sandbox, name+end, name+end); err != nil {
				return err
			}
		}
	}
	return p.displaceOwn(name, own)
}

// checkLog finds the log of a database that a killed run adopted without removing the log.
func (s *scanner) checkLog(name string) error {
	for _, end := range sidecars {
		base, ok := strings.CutSuffix(name, end)
		if !ok || s.inSandbox[base].Mode&fs.ModeSymlink == 0 {
			continue
		}
		if row, _ := s.rules.Row(base); row.Database {
			s.add(strayLog, name)
		}
	}
	return nil
}

// dropLog removes a log whose database is a link by now: it belongs to the shared database or to none.
func (p *projection) dropLog(name string) error {
	if p.sameFile(name) {
		return p.sandbox.Unlink(name)
	}
	if noProcesses, err := p.noProcesses(); err != nil || !noProcesses {
		return err
	}
	own, there, err := p.statBoth(name)
	if err != nil || !own.IsRegular() {
		return err
	}
	return p.displaceUnlessEqual(p.sandbox, name, own, there)
}

//go:build unix

package manager

import (
	"errors"

	"golang.org/x/sys/unix"
)

// sidecars are the files of a database that must go where it goes, first: a database without its log has lost what was written last.
var sidecars = []string{"-wal", "-shm", "-journal"}

// foldDatabase adopts a database that was made in the sandbox, with its log, or keeps it beside the shared one. Only while nothing at
// all runs in the account: whoever has it open locks and writes these files under these names.
func (p *projection) foldDatabase(name string) error {
	own, err := p.sandbox.stat(name)
	if err != nil || p.isOwnLink(name, own) {
		return err
	}
	if silent, err := p.silent(); err != nil || !silent || !own.isRegular() {
		p.next.wait(name, own)
		return err
	}
	there, err := p.shared.stat(name)
	if err != nil {
		return err
	}
	if there.exists() && !own.same(there) {
		return p.displaceDatabase(name, own)
	}
	return p.adoptDatabase(name, own)
}

func (p *projection) adoptDatabase(name string, own item) error {
	for _, end := range append(sidecars, "") {
		err := p.sandbox.link(name+end, p.shared, name+end)
		switch {
		case errors.Is(err, unix.ENOENT) && end != "":
		case errors.Is(err, unix.EXDEV) || errors.Is(err, unix.EPERM):
			return p.adoptDatabaseCopy(name, own)
		case errors.Is(err, unix.EEXIST) && p.samePair(name+end): // a run that was killed was here
		case errors.Is(err, unix.EEXIST) && end != "":
			// A stray log without a database beside it belongs to nothing.
			if err := p.displace(p.shared, name+end, name+end); err != nil {
				return err
			}
			if err := p.sandbox.link(name+end, p.shared, name+end); err != nil {
				return p.shared.fail("link", name+end, err)
			}
		case err != nil:
			return p.shared.fail("link", name+end, err)
		}
	}
	if err := p.linkOver(name, own); err != nil {
		return err
	}
	return p.dropSidecars(name)
}

func (p *projection) samePair(name string) bool {
	a, err1 := p.sandbox.stat(name)
	b, err2 := p.shared.stat(name)
	return err1 == nil && err2 == nil && a.same(b)
}

// dropSidecars removes the sandbox's names of a log that is the shared one.
func (p *projection) dropSidecars(name string) error {
	for _, end := range sidecars {
		if p.samePair(name + end) {
			if err := p.sandbox.unlink(name + end); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *projection) adoptDatabaseCopy(name string, own item) error {
	for _, end := range append(sidecars, "") {
		i, err := p.sandbox.stat(name + end)
		if err != nil || !i.exists() {
			if err != nil {
				return err
			}
			continue
		}
		if err := p.copyIn(name+end, i, name+end); err != nil {
			return err
		}
	}
	if err := p.linkOverCopied(name, own); err != nil {
		return err
	}
	for _, end := range sidecars {
		if err := p.sandbox.unlink(name + end); err != nil {
			return err
		}
	}
	return nil
}

// displaceDatabase keeps the sandbox's database with its log: they are opened together or not at all, so they go into one directory.
func (p *projection) displaceDatabase(name string, own item) error {
	for _, end := range sidecars {
		i, err := p.sandbox.stat(name + end)
		if err != nil {
			return err
		}
		if i.exists() {
			if err := p.displace(p.sandbox, name+end, name+end); err != nil {
				return err
			}
		}
	}
	return p.setOwnAside(name, own)
}

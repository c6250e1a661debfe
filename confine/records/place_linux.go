package records

import (
	"errors"

	"golang.org/x/sys/unix"

	"swop/disk"
)

// place is a shared directory, which is made and opened once something is to be put there.
type place struct {
	above *place // nil for the top
	name  string // in above, or the path of the top
	dir   *disk.Dir
}

// open opens the directory. No link is followed but one at the top, which is the user's own.
func (p *place) open() (disk.Dir, error) {
	if p.dir != nil {
		return *p.dir, nil
	}
	d, err := p.find()
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENOTDIR) {
		err = refusal("the shared transcripts have no such directory")
	}
	if err == nil {
		p.dir = &d
	}
	return d, err
}

func (p *place) find() (disk.Dir, error) {
	if p.above == nil {
		return disk.Open(p.name, disk.Follow)
	}
	d, err := p.above.open()
	if err == nil {
		err = d.Mkdir(p.name)
	}
	if err != nil {
		return d, err
	}
	return d.OpenDir(p.name)
}

func (p *place) close() {
	if p.dir != nil {
		_ = p.dir.Close() // it was read
	}
}

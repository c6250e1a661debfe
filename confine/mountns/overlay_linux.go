package mountns

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// The directories in [Plan.Upper].
const (
	UpperDir = "upper"
	workDir  = "work"
)

// MakeUpper makes in dir what an [Overlay] needs there.
func MakeUpper(dir string) error {
	return errors.Join(os.Mkdir(filepath.Join(dir, UpperDir), 0o700), os.Mkdir(filepath.Join(dir, workDir), 0o700))
}

// openOverlay returns a mount, which is mounted nowhere, of a directory of the host's in which what is written goes to another one. Where that cannot
// be had, it shows only the other one.
func (t *tree) openOverlay(m Mount) (int, error) {
	if fd, err := t.newOverlay(m); err == nil {
		return fd, nil
	}
	t.lacksOverlay = true
	return t.open(Mount{Kind: Writable, Source: filepath.Join(t.upper, UpperDir), Target: m.Target})
}

// newOverlay makes the overlay. It writes nothing through to the disk when it ends (volatile), for which the session would wait: whoever takes what
// was written does that.
func (t *tree) newOverlay(m Mount) (int, error) {
	options := []string{"userxattr", "volatile"}
	proc, err := openIn(t.host, "/proc") // the session's may not be there yet, so it is the working directory
	if err != nil {
		return -1, err
	}
	defer unix.Close(proc)
	if err := unix.Fchdir(proc); err != nil {
		return -1, os.NewSyscallError("fchdir", err)
	}
	defer func() { _ = unix.Fchdir(t.root) }() // which worked before
	for option, path := range map[string]string{"lowerdir=": m.Source, "upperdir=": filepath.Join(t.upper, UpperDir), "workdir=": filepath.Join(t.upper, workDir)} {
		dir, err := openIn(t.host, path)
		if err != nil {
			return -1, err
		}
		defer unix.Close(dir)
		options = append(options, option+"self/fd/"+strconv.Itoa(dir))
	}
	return newMount("overlay", options...)
}

//go:build unix

package bridge

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
)

// DirVariable names the directory of a session's sockets.
const DirVariable = "SWOP_BRIDGE_DIR"

// place is the directory of a session, 0700. Its supervisor holds a lock in it for as long as it lives.
type place struct {
	dir  string
	lock account.Lock
}

const maxPort = 1<<16 - 1

// maxSocketPath is how long the path of a Unix socket may be, on every system.
const maxSocketPath = 103

func (p place) socket(name string) string { return filepath.Join(p.dir, name+".sock") }

// runDir is where the directories of the sessions are, below swop's root; where that has a long path, those with their sockets are in the
// directory for temporary files.
func runDir(root string) string { return filepath.Join(root, "run") }

// tempDir is that directory. On Linux no confined session sees it, whatever TMPDIR says.
func tempDir() string {
	if runtime.GOOS == "linux" {
		return "/tmp"
	}
	return os.TempDir()
}

func tempStart() string { return fmt.Sprintf("swop-run-%d-", os.Geteuid()) }

// newPlace makes the directory of a session, and removes those of sessions that were killed.
func newPlace(root string, bridges config.Bridges) (place, error) {
	sweep(root)
	p, err := makePlace(runDir(root), "")
	if err != nil || p.fits(bridges) {
		return p, err
	}
	if err := p.remove(); err != nil {
		return p, err
	}
	p, err = makePlace(tempDir(), tempStart())
	if err == nil && !p.fits(bridges) {
		err = errors.Join(fmt.Errorf("%s: is too long a path for a socket", p.dir), p.remove())
	}
	return p, err
}

func (p place) fits(bridges config.Bridges) bool {
	isLong := func(name string) bool { return len(p.socket(name)) > maxSocketPath }
	return !isLong(portSocket(maxPort)) && !slices.ContainsFunc(bridges, func(b config.Bridge) bool { return isLong(b.Name) })
}

// makePlace makes a directory with its lock held. Until then it has a name that sweep passes over.
func makePlace(in, start string) (p place, err error) {
	if err := disk.MakeDirs(in); err != nil {
		return p, err
	}
	if p.dir, err = os.MkdirTemp(in, making+start+"*"); err != nil {
		return p, err
	}
	if p.lock, err = lockPlace(p.dir, unix.O_CREAT); err != nil {
		return p, err
	}
	made := filepath.Join(in, strings.TrimPrefix(filepath.Base(p.dir), making))
	err = os.Rename(p.dir, made)
	p.dir = made
	return p, err
}

const making = "."

func lockPlace(dir string, flags int) (account.Lock, error) {
	return account.Flock(filepath.Join(dir, "lock"), unix.LOCK_EX|unix.LOCK_NB, unix.O_CLOEXEC|flags)
}

// remove removes the directory and what a session puts there.
func (p *place) remove() error {
	defer p.lock.Release()
	return os.RemoveAll(p.dir)
}

// places returns the directories of all sessions of this user, of those too that were killed.
func places(root string) []string {
	below, _ := filepath.Glob(filepath.Join(runDir(root), "*"))              // a bad pattern finds nothing
	temporary, _ := filepath.Glob(filepath.Join(tempDir(), tempStart()+"*")) // and so does this one
	return slices.DeleteFunc(append(below, temporary...), func(dir string) bool {
		var st unix.Stat_t
		err := unix.Lstat(dir, &st)
		ours := err == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR && int(st.Uid) == os.Geteuid() && st.Mode&0o077 == 0
		return !ours || strings.HasPrefix(filepath.Base(dir), making)
	})
}

// sweep removes the directories of sessions whose supervisor is gone: nobody holds the lock, or its removal had begun. What it cannot
// remove the next one tries.
func sweep(root string) {
	for _, dir := range places(root) {
		l, err := lockPlace(dir, 0)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			_ = os.RemoveAll(dir) // see above
		}
		l.Release()
	}
}

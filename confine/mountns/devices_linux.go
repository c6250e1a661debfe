package mountns

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// devices makes a /dev at path: what every program expects, and terminals of its own.
func (s *site) devices(path string) error {
	if err := s.mountNew(path, "tmpfs", "mode=0755"); err != nil {
		return err
	}
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		if err := s.device(filepath.Join("/dev", name), filepath.Join(path, name)); err != nil {
			return err
		}
	}
	for name, to := range map[string]string{
		"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2",
		"core": "/proc/kcore", "ptmx": "pts/ptmx",
	} {
		if err := s.target.symlink(to, filepath.Join(path, name)); err != nil {
			return err
		}
	}
	if err := s.target.make(filepath.Join(path, "shm"), unix.S_IFDIR|0o755); err != nil {
		return err
	}
	if err := s.mountNew(filepath.Join(path, "pts"), "devpts", "newinstance", "ptmxmode=0666", "mode=620"); err != nil {
		return err
	}
	if name := s.terminal(1); name != "" { // by which programs find the name of theirs (ttyname(3))
		return s.device(name, filepath.Join(path, "console"))
	}
	return nil
}

// mountNew mounts a new file system at a path.
func (s *site) mountNew(path, kind string, options ...string) error {
	fd, err := newMount(kind, options...)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return s.attach(fd, path)
}

// device shows a device of the host, which can be opened as such.
func (s *site) device(source, path string) error {
	dir, name, err := s.source.enter(source)
	if err != nil {
		return err
	}
	fd, err := cloneAt(dir, name, Writable, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return s.attach(fd, path)
}

// terminal returns the name of the terminal that the descriptor is, "" for anything else.
func (t *tree) terminal(fd int) string {
	name, err := os.Readlink(procPath(fd))
	if err != nil || !strings.HasPrefix(name, "/dev/") {
		return ""
	}
	if _, err := unix.IoctlGetTermios(fd, unix.TCGETS); err != nil {
		return ""
	}
	file, err := openIn(t.host, name)
	if err != nil {
		return ""
	}
	defer unix.Close(file)
	var named, opened unix.Stat_t
	if unix.Fstat(file, &named) != nil || unix.Fstat(fd, &opened) != nil || named.Rdev != opened.Rdev {
		return ""
	}
	return name
}

package mountns

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// devices makes a /dev at path: what every program expects, and terminals of its own.
func (t *tree) devices(path string, top int) error {
	if err := mountNew(top, path, "tmpfs", "mode=0755"); err != nil {
		return err
	}
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		if err := t.device(filepath.Join("/dev", name), filepath.Join(path, name), top); err != nil {
			return err
		}
	}
	for name, to := range map[string]string{
		"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2",
		"core": "/proc/kcore", "ptmx": "pts/ptmx",
	} {
		if err := symlinkIn(to, top, filepath.Join(path, name)); err != nil {
			return err
		}
	}
	if err := mkdirIn(top, filepath.Join(path, "shm"), 0o755); err != nil {
		return err
	}
	if err := mountNew(top, filepath.Join(path, "pts"), "devpts", "newinstance", "ptmxmode=0666", "mode=620"); err != nil {
		return err
	}
	if name := t.terminal(1); name != "" { // by which programs find the name of theirs (ttyname(3))
		return t.device(name, filepath.Join(path, "console"), top)
	}
	return nil
}

// mountNew mounts a new file system at a path, which is made.
func mountNew(top int, path, kind string, options ...string) error {
	if err := mkdirIn(top, path, 0o755); err != nil {
		return err
	}
	target, err := openIn(top, path)
	if err != nil {
		return err
	}
	defer unix.Close(target)
	fd, err := newMount(kind, options...)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return attach(fd, target)
}

// device shows a device of the host, which can be opened as such.
func (t *tree) device(source, path string, top int) error {
	m := Mount{Kind: Writable, Source: source, Target: path}
	target, err := t.target(m, path, top)
	if err != nil {
		return err
	}
	defer unix.Close(target)
	fd, err := t.clone(m, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return attach(fd, target)
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

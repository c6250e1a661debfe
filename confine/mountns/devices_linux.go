package mountns

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// devices makes a /dev at path: what every program expects, and terminals of its own.
func (t tree) devices(path string, top int) error {
	target, err := openIn(top, path)
	if err != nil {
		return err
	}
	defer unix.Close(target)
	if err := mountNew("tmpfs", target, "mode=0755"); err != nil {
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
	for _, name := range []string{"shm", "pts"} {
		if err := mkdirIn(top, filepath.Join(path, name), 0o755); err != nil {
			return err
		}
	}
	pts, err := openIn(top, filepath.Join(path, "pts"))
	if err != nil {
		return err
	}
	defer unix.Close(pts)
	if err := mountNew("devpts", pts, "newinstance,ptmxmode=0666,mode=620"); err != nil {
		return err
	}
	if name := t.terminal(1); name != "" { // by which programs find the name of theirs (ttyname(3))
		return t.device(name, filepath.Join(path, "console"), top)
	}
	return nil
}

func (t tree) device(source, target string, top int) error {
	return t.bind(Mount{Writable, source, target}, 0, top)
}

// terminal returns the name of the terminal that the descriptor is, "" for anything else.
func (t tree) terminal(fd int) string {
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

package confine

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"swop/internal/confine/mount"
)

// devices shows a small /dev: what every program expects, and terminals of the session's own.
func (b *Scope) devices() {
	b.add(mount.Empty, "", "/dev")
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		b.show(mount.Device, "/dev/"+name)
	}
	for name, to := range map[string]string{
		"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2",
		"core": "/proc/kcore", "ptmx": "pts/ptmx",
	} {
		b.add(mount.Link, to, "/dev/"+name)
	}
	b.add(mount.Directory, "", "/dev/shm")
	b.add(mount.Terminals, "", "/dev/pts")
	if name := terminal(1); name != "" { // by which programs find the name of theirs (ttyname(3))
		b.add(mount.Device, name, "/dev/console")
	}
}

// terminal returns the name of the terminal, or another device, that the descriptor is; "" for anything else, and for a name that leads to
// another one here.
func terminal(fd int) string {
	name, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
	var named, opened unix.Stat_t
	if err != nil || unix.Lstat(name, &named) != nil || unix.Fstat(fd, &opened) != nil {
		return ""
	}
	if opened.Rdev == 0 || named.Rdev != opened.Rdev {
		return ""
	}
	return name
}

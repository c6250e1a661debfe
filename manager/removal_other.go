//go:build unix && !linux

package manager

import (
	"errors"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// enter opens the directory called name for its removal; a mode that locks its owner out is changed. Where it is no directory any
// more the error is errAgain. A mount point is refused: there are no bind mounts here, so another device tells it.
func (d folder) enter(name string) (folder, error) {
	here, err := d.stat(".")
	if err != nil {
		return folder{}, err
	}
	there, err := d.stat(name)
	switch {
	case err != nil:
		return folder{}, err
	case !there.isDir():
		return folder{}, errAgain
	case there.dev != here.dev:
		return folder{}, d.mounted(name)
	case there.mode&0o700 != 0o700:
		if err := unix.Fchmodat(d.fd(), name, 0o700, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return folder{}, d.fail("chmod", name, err)
		}
	}
	fd, err := unix.Openat(d.fd(), name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ENOENT):
		return folder{}, errAgain
	case err != nil:
		return folder{}, d.fail("open", name, err)
	}
	in := folder{filepath.Join(d.path, name), fd}
	if got, err := in.stat("."); err != nil || !got.same(there) {
		return folder{}, againAfter(errors.Join(err, in.close()))
	}
	return in, nil
}

// ownDir makes the directory called name, which was just made, accessible to its owner alone, whatever the umask was. A link that has
// taken its place meanwhile is not followed.
func (d folder) ownDir(name string) error {
	return unix.Fchmodat(d.fd(), name, 0o700, unix.AT_SYMLINK_NOFOLLOW)
}

//go:build unix

package disk

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"swop/say"
)

// copyAttributes gives the open file or directory out the owner, if that is allowed, the permissions, the ACLs and the other extended attributes
// of in, which is called name. The error says which of them the file system of out does not take, or the user may not give.
func copyAttributes(name string, in, out int) error {
	var there, made unix.Stat_t
	if err := errors.Join(unix.Fstat(in, &there), unix.Fstat(out, &made)); err != nil {
		return err
	}
	owned := there.Uid == made.Uid && there.Gid == made.Gid
	owned = owned || unix.Fchown(out, int(there.Uid), int(there.Gid)) == nil // before the others, some of which it removes
	if !owned && there.Mode&unix.S_IFMT == unix.S_IFREG && there.Mode&(unix.S_ISUID|unix.S_ISGID) != 0 {
		return notCopied(name, errors.New("it is setuid or setgid, and its owner cannot be kept"))
	}
	if err := unix.Fchmod(out, uint32(there.Mode)&0o7777); err != nil {
		return err
	}
	if err := copyExtended(in, out); err != nil {
		return notCopied(name, err)
	}
	return nil
}

// copyExtended gives out the extended attributes of in, of which ACLs are one kind. One that out has of itself, as a label of SELinux, may
// differ.
func copyExtended(in, out int) error {
	wanted, err := extended(in)
	if err != nil {
		return err
	}
	given, err := extended(out)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if _, ok := wanted[name]; !ok && isACL(name) { // from the directory's default
			if err := unix.Fremovexattr(out, name); err != nil {
				return err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		own, ok := given[name]
		if ok && bytes.Equal(own, wanted[name]) {
			continue
		}
		if err := unix.Fsetxattr(out, name, wanted[name], 0); err != nil && (!ok || isACL(name)) {
			return fmt.Errorf("its attribute %s cannot be kept: %v", say.Name(name), err)
		}
	}
	return nil
}

// sameAttributes reports whether two files have the same extended attributes.
func sameAttributes(f, g *os.File) bool {
	a, err := extended(int(f.Fd()))
	b, err2 := extended(int(g.Fd()))
	return err == nil && err2 == nil && maps.EqualFunc(a, b, bytes.Equal)
}

const systemAttribute = "system."

func isACL(name string) bool { return strings.HasPrefix(name, systemAttribute+"posix_acl_") }

// extended returns the extended attributes of an open file, except those in which a file system shows what it has elsewhere, as NFS does its ACLs.
func extended(fd int) (map[string][]byte, error) {
	names, err := sized(func(buf []byte) (int, error) { return unix.Flistxattr(fd, buf) })
	if err != nil {
		return nil, Ignore(err, unix.ENOTSUP, unix.ENOSYS)
	}
	all := map[string][]byte{}
	for name := range strings.SplitSeq(string(names), "\x00") {
		if name == "" || strings.HasPrefix(name, systemAttribute) && !isACL(name) {
			continue
		}
		if all[name], err = sized(func(buf []byte) (int, error) { return unix.Fgetxattr(fd, name, buf) }); err != nil {
			return nil, fmt.Errorf("its attribute %s cannot be read: %v", say.Name(name), err)
		}
	}
	return all, nil
}

// sized returns what read reads, which says how much there is where it is given no room.
func sized(read func([]byte) (int, error)) ([]byte, error) {
	size, err := read(nil)
	if err != nil || size == 0 {
		return nil, err
	}
	buf := make([]byte, size)
	size, err = read(buf)
	return buf[:max(size, 0)], err
}

package confine

import (
	"errors"
	"os"

	"swop/internal/confine/mount"
	"swop/internal/confine/preflight"
)

// Check fails with a [*preflight.Unavailable] where no session can be confined: it makes one that sees all, by this program.
func Check() error {
	l, err := mount.Begin("/proc/self/exe", nil, true)
	if err != nil {
		return err
	}
	defer l.Abort()
	const none = "/" // is no program: the helper says so once it is sealed
	all := []mount.Mount{{Kind: mount.Writable, Source: "/", Target: "/"}}
	if _, err = l.Make(mount.Plan{Program: "/proc/self/exe", Args: helperArgs("/", none, []string{none}), Mounts: all}, nil); err != nil {
		return preflight.NotMade(err)
	}
	if err := started(l, none); !errors.As(err, new(*os.PathError)) {
		return err
	}
	return nil
}

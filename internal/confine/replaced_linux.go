package confine

import (
	"maps"
	"path/filepath"
	"slices"

	"swop/internal/confine/mount"
	"swop/internal/disk"
	"swop/internal/say"
)

// tellReplaced tells the user at the end of what was covered in a directory that the session can write, and is another file by then. A
// program inside that makes a mount namespace of its own can leave all covers behind, rename what is below one, and put something else in
// its place: rename(2) asks the namespace of the caller alone (decision 168). Sockets are left out, since their programs make them again.
func (j *Jail) tellReplaced() {
	was := map[string]disk.Stat{}
	for _, m := range j.scope.mounts {
		here := disk.At(m.Target)
		if m.Kind != mount.Writable && here.Movable() && j.scope.rule(filepath.Dir(m.Target)).Kind == mount.Writable {
			was[m.Target] = here
		}
	}
	j.atEnd(func() error {
		for _, path := range slices.Sorted(maps.Keys(was)) {
			if !disk.At(path).Same(was[path]) {
				j.request.Tell(say.Name(path) + " was replaced during the session: review it before you use it")
			}
		}
		return nil
	})
}

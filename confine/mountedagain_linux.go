package confine

import (
	"os"
	"path/filepath"

	"swop/confine/mountns"
	"swop/disk"
)

// hideMountedAgain hides the home, and what is swop's and codex's, where other mounts lead to it.
func (b *Scope) hideMountedAgain() {
	s := b.scene
	for _, path := range s.mounted.Elsewhere(s.Home, false) {
		b.hide(path)
	}
	usual := filepath.Join(s.Home, ".codex")
	b.hideMounts([]string{s.Root, s.SharedHome, disk.Resolve(usual)})
}

// hideMounts hides paths where other mounts lead to them. A file that could be written is covered: it cannot be left out.
func (b *Scope) hideMounts(paths []string) {
	for _, path := range paths {
		for _, other := range b.scene.mounted.Elsewhere(path, true) {
			if b.rule(other).Kind == mountns.Writable && disk.At(other).Exists() && !disk.At(other).IsDir() {
				b.add(mountns.Readonly, os.DevNull, other) // which is no device there: opening it is refused
			} else {
				b.hide(other)
			}
		}
	}
}

package confine

import (
	"os"
	"path/filepath"

	"swop/confine/mountns"
)

// hideMountedAgain hides the home, and what is swop's and codex's, where other mounts lead to it.
func (b *builder) hideMountedAgain() {
	s := b.scene
	for _, path := range s.mounted.Elsewhere(s.Home, false) {
		b.hide(path)
	}
	usual := filepath.Join(s.Home, ".codex")
	b.hideMounts([]string{s.Root, s.SharedHome, realOr(usual, usual)})
}

// hideMounts hides paths where other mounts lead to them. A file that could be written is covered: it cannot be left out.
func (b *builder) hideMounts(paths []string) {
	for _, path := range paths {
		for _, other := range b.scene.mounted.Elsewhere(path, true) {
			writable := b.rule(other).Kind == mountns.Writable
			if writable {
				b.pinAbove(other)
			}
			if writable && exists(other) && !isDir(other) {
				b.add(mountns.Readonly, os.DevNull, other) // which is no device there: opening it is refused
			} else {
				b.hide(other)
			}
		}
	}
}

// pinAbove binds the directories above a path onto themselves where they can be written, so that they cannot be moved away.
func (b *builder) pinAbove(path string) {
	for dir := filepath.Dir(path); b.rule(dir).Kind == mountns.Writable && dir != "/" && !b.at(dir).has; dir = filepath.Dir(dir) {
		b.show(mountns.Writable, dir)
	}
}

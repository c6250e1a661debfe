package confine

import (
	"path/filepath"
	"slices"

	"swop/confine/desk"
)

// widen gives the scene what was allowed for always. What has become impossible meanwhile is not given.
func (j *Jail) widen() {
	c := &j.scene
	for _, a := range j.answers {
		real, _ := filepath.EvalSymlinks(a.Target) // "" if it is gone
		switch {
		case !a.Allow:
		case a.Kind == desk.KindConnect && !c.Policy.Network.All:
			c.Policy.Network.Hosts = append(slices.Clone(c.Policy.Network.Hosts), a.Target)
		case real != a.Target: // gone, or another one
		case a.Kind == desk.KindRead, a.Kind == desk.KindWrite && c.forbidden(real) == "":
			*c = c.with(real, desk.Access(a.Kind))
		}
	}
}

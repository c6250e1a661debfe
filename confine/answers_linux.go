package confine

import (
	"slices"

	"swop/confine/desk"
)

// widen gives the scene what was allowed for always. What has become impossible meanwhile is not given.
func (j *Jail) widen() {
	c := &j.scene
	for _, a := range j.answers {
		real := realOr(a.Target, "")
		switch {
		case !a.Allow:
		case a.Kind == desk.KindConnect && !c.Policy.Network.All:
			c.Policy.Network.Hosts = append(slices.Clone(c.Policy.Network.Hosts), a.Target)
		case real != a.Target: // gone, or another one
		case a.Kind == desk.KindRead:
			c.Policy.Hidden = slices.DeleteFunc(c.Policy.Hidden, func(path string) bool { return path == real })
		case a.Kind == desk.KindWrite && c.forbidden(real) == "":
			c.Granted = append(c.Granted, real)
			c.Policy.Hidden = slices.DeleteFunc(c.Policy.Hidden, func(path string) bool { return path == real })
		}
	}
}

package confine

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"swop/config"
	"swop/internal/confine/mount"
	"swop/internal/disk"
)

// add lets target be the host's source, or what the kind says.
func (s *Scene) add(k mount.Kind, source, target string) {
	s.rules[target] = mount.Mount{Kind: k, Source: source, Target: target}
}

// show shows a path of the host in its place.
func (s *Scene) show(k mount.Kind, path string) { s.add(k, path, path) }

// rule returns the one that decides about a path.
func (s *Scene) rule(path string) mount.Mount {
	for at := path; ; at = filepath.Dir(at) {
		if m, has := s.rules[at]; has || at == filepath.Dir(at) {
			return m
		}
	}
}

// source returns the path of the host that is shown at a path of the session, "" for none.
func (s *Scene) source(path string) string {
	r := s.rule(path)
	if r.Source == "" || r.Kind == mount.Link {
		return ""
	}
	return filepath.Join(r.Source, strings.TrimPrefix(path, r.Target))
}

// cover empties a path of the session, and drops the rules in it.
func (s *Scene) cover(path string) {
	maps.DeleteFunc(s.rules, func(at string, _ mount.Mount) bool { return config.Within(at, path) })
	switch here := disk.At(s.source(path)); {
	case here.IsLink() && s.rule(path).Kind == mount.Writable: // a session could let it lead elsewhere
		s.add(mount.Readonly, s.source(path), path)
	case s.source(path) == "" || !disk.MayExist(s.source(path)) || here.IsLink(): // what a link leads to is covered at its own path
	case here.IsDir():
		s.add(mount.Composed, "", path)
	default:
		s.add(mount.Readonly, os.DevNull, path) // which is no device there: opening it is refused
	}
}

// hide covers paths of the host wherever they are shown.
func (s *Scene) hide(paths ...string) {
	for _, path := range paths {
		maps.DeleteFunc(s.rules, func(_ string, m mount.Mount) bool {
			return s.isHosts(m) && m.Source != path && config.Within(m.Source, path)
		})
		for _, at := range s.shownAt(path) {
			s.cover(at)
		}
	}
}

// shownAt returns where a session has a path of the host.
func (s *Scene) shownAt(path string) (list []string) {
	for _, m := range s.rules {
		at := filepath.Join(m.Target, strings.TrimPrefix(path, m.Source))
		if s.isHosts(m) && config.Within(path, m.Source) && s.source(at) == path {
			list = append(list, at)
		}
	}
	return list
}

// isHosts reports whether a rule shows something of the host, other than the account's home.
func (s *Scene) isHosts(m mount.Mount) bool {
	return m.Kind != mount.Link && m.Source != "" && !config.Within(m.Source, s.OwnHome)
}

// checkTokens refuses a session that would see what replaces the token of a bridge: a cover goes with the file that it covers.
func (s *Scene) checkTokens() error {
	for _, path := range through("", s.Tokens...) {
		if len(s.shownAt(path))+len(s.shownAt(filepath.Dir(path))) > 0 {
			return &Violation{"the token of a bridge", path, "is seen by this session, or its directory is: move it to one that hidden names"}
		}
	}
	return nil
}

// ownDirs returns the directories in which no other session finds an entry that this one makes.
func (s *Scene) ownDirs() (list []string) {
	isShared := func(m mount.Mount) bool { return m.Kind == mount.Writable && s.Sockets[m.Target] == "" }
	for _, dir := range []string{"/tmp", "/var/tmp", "/run", "/dev/shm"} {
		if s.rules[dir].Kind == mount.Empty && !slices.ContainsFunc(s.sorted(dir), isShared) {
			list = append(list, dir)
		}
	}
	return list
}

// mounts returns the mounts of a path and all in it, in their order. What has something mounted in it, as covers, is put together out of
// sight, and a copy goes to its place: the way there leads through the home, where another session of the account can rename a mount point
// meanwhile, or remove it later, by which the kernel takes away what is mounted there (rmdir(2)). What stays out of sight keeps each cover
// a mount point of this session, which nobody renames.
func (s *Scene) mounts(path string) []mount.Mount {
	hold := mount.Mount{Kind: mount.Composed, Target: heldDir}
	list, held, copies := []mount.Mount{}, []mount.Mount{hold}, []mount.Mount{}
	var tops []string
	if around := s.rule(filepath.Dir(path)); around.Kind == mount.Composed { // it is sealed already
		list = append(list, mount.Mount{Kind: mount.Opened, Target: around.Target})
	}
	for _, m := range s.sorted(path) {
		all := s.sorted(m.Target)
		switch {
		case isIn(m.Target, tops):
		case len(all) == 1 || m.Target == s.Home || !config.Within(m.Target, s.Home):
			list = append(list, m)
		default:
			at := filepath.Join(heldDir, strconv.Itoa(len(tops)))
			for _, in := range all {
				in.Target = at + strings.TrimPrefix(in.Target, m.Target)
				held = append(held, in)
			}
			tops = append(tops, m.Target)
			copies = append(copies, mount.Mount{Kind: mount.Again, Source: at, Target: m.Target})
		}
	}
	copies = append(copies, hold)
	return slices.Concat(list, held, sealed(held), copies, sealed(copies), sealed(list))
}

// sealed returns what seals the directories that are composed of mounts.
func sealed(mounts []mount.Mount) (list []mount.Mount) {
	for _, m := range mounts {
		if m.Kind == mount.Composed || m.Kind == mount.Opened {
			list = append(list, mount.Mount{Kind: mount.Sealed, Target: m.Target})
		}
	}
	return list
}

// sorted returns the rules of a path and all in it, the outer ones first.
func (s *Scene) sorted(path string) (list []mount.Mount) {
	for at, m := range s.rules {
		if config.Within(at, path) {
			list = append(list, m)
		}
	}
	slices.SortFunc(list, func(a, b mount.Mount) int {
		return cmp.Or(len(a.Target)-len(b.Target), strings.Compare(a.Target, b.Target))
	})
	return list
}

package confine

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"swop/config"
	"swop/internal/confine/mount"
	"swop/internal/disk"
)

// layout is what a session sees: what is mounted at each path that has a rule, the outer paths first. A path without a rule is as its
// directory. A later rule of a path takes the place of an earlier one; of two paths the inner one decides.
type layout map[string]mount.Mount

// add lets target be the host's source, or what the kind says.
func (l layout) add(k mount.Kind, source, target string) {
	l[target] = mount.Mount{Kind: k, Source: source, Target: target}
}

// show shows a path of the host in its place.
func (l layout) show(k mount.Kind, path string) { l.add(k, path, path) }

// rule returns the one that decides about a path.
func (l layout) rule(path string) mount.Mount {
	for at := path; ; at = filepath.Dir(at) {
		if m, has := l[at]; has || at == filepath.Dir(at) {
			return m
		}
	}
}

// source returns what the host has of what is shown at a path, "" for nothing.
func (l layout) source(path string) string {
	r := l.rule(path)
	if r.Source == "" || r.Kind == mount.Link {
		return ""
	}
	return filepath.Join(r.Source, strings.TrimPrefix(path, r.Target))
}

// cover lets nothing be there at a path of the session, nor anything that had a rule in it.
func (l layout) cover(path string) {
	maps.DeleteFunc(l, func(at string, _ mount.Mount) bool { return config.Within(at, path) })
	switch here := disk.At(l.source(path)); {
	case l.source(path) == "" || !here.Exists() || here.IsLink(): // which leads to what is covered at its own place
	case here.IsDir():
		l.add(mount.Composed, "", path)
	default:
		l.add(mount.Readonly, os.DevNull, path) // which is no device there: opening it is refused
	}
}

// hide covers a path of the host wherever it is shown, except the account's home.
func (l layout) hide(path, own string) {
	for _, m := range l.sorted("/") {
		switch {
		case m.Kind == mount.Link || m.Source == "" || config.Within(m.Source, own):
		case config.Within(path, m.Source):
			if at := filepath.Join(m.Target, strings.TrimPrefix(path, m.Source)); l.source(at) == path {
				l.cover(at)
			}
		case config.Within(m.Source, path):
			delete(l, m.Target)
		}
	}
}

// sorted returns the rules of a path and all in it, the outer ones first.
func (l layout) sorted(path string) (list []mount.Mount) {
	for at, m := range l {
		if config.Within(at, path) {
			list = append(list, m)
		}
	}
	slices.SortFunc(list, func(a, b mount.Mount) int {
		return cmp.Or(len(a.Target)-len(b.Target), strings.Compare(a.Target, b.Target))
	})
	return list
}

//go:build unix

// Package links says where the links of a sandbox lead, by their words: to an entry of a shared home, or to what a session sees under another path than
// programs outside.
package links

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"swop/config"
	"swop/disk"
	"swop/home/rules"
)

// View is one of the two directories that a sandbox shows, and what it shows there.
type View struct {
	rules.View
	Shared   string
	Former   []string // where Shared was before
	Resolved string   // the directory in the sandbox, without links
}

// Entry returns the name of the shared entry to which a link of ours with this target leads, "" for somebody else's. Links to where the shared
// directory was are ours too, or are what programs made of ours.
func (v View) Entry(target string) string {
	dir, base := Split(target)
	if dir != "" && (dir == v.Shared || slices.Contains(v.Former, dir)) {
		return base
	}
	return ""
}

// Target returns where the sandbox's link for name points.
func (v View) Target(name string) string {
	if v.Shared == "/" {
		return "/" + name
	}
	return v.Shared + "/" + name // not filepath.Join, which would change what the kernel opens: /home/../me
}

// Split cuts a path before its last component, without cleaning it. The directory has no slash at its end.
func Split(path string) (dir, base string) {
	at := strings.LastIndexByte(path, '/')
	if at < 0 {
		return "", path
	}
	return disk.WithoutSlash(path[:at+1]), path[at+1:]
}

// Sandbox has the views of a sandbox, and swop's root.
type Sandbox struct {
	Views []View // the codex home first: its path in the sandbox is the longer one
	Root  string
}

// Outside returns the path outside of the session that leads where target leads in it.
func (s Sandbox) Outside(target string) string {
	target = s.byName(target)
	for _, v := range s.Views {
		if rest, ok := below(target, v.Sandbox); ok {
			return v.Shared + rest
		}
	}
	return target
}

// byName returns a path into the sandbox without links, as pwd -P has it, by the sandbox's name, and any other as it is.
func (s Sandbox) byName(path string) string {
	for _, v := range s.Views {
		if rest, ok := below(path, v.Resolved); ok {
			return v.Sandbox + rest
		}
	}
	return path
}

// below returns what path has after dir.
func below(path, dir string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, dir)
	return rest, ok && (rest == "" || rest[0] == '/')
}

// LeadsInside reports whether a link at the top of the view leads by its words to an entry of a home, and not to the shared one.
func (s Sandbox) LeadsInside(v View, target string) bool {
	leads := target
	if target[0] != '/' {
		leads = filepath.Join(v.Sandbox, target)
	}
	return s.Outside(leads) != leads
}

// From returns where a link in dir, a directory of the view, leads from outside: the path as it is if it leads to the same from the place to which
// dir is moved; or if it leads to nothing in swop's own directories, as ../x of HOME does, which its program meant for that place.
func (s Sandbox) From(v View, dir, target string) string {
	if target == "" || target[0] == '/' {
		return s.Outside(target)
	}
	leads := filepath.Join(dir, target)
	if _, err := os.Lstat(dir + "/" + target); errors.Is(err, fs.ErrNotExist) && s.Outside(leads) == leads && config.Within(leads, s.Root) {
		return target
	}
	if rest, ok := strings.CutPrefix(dir, v.Sandbox); ok && filepath.Join(v.Shared+rest, target) == s.Outside(leads) {
		return target
	}
	return s.Outside(leads)
}

// Moved returns where a link at the top of the view leads from the top of the shared directory. A relative one stays relative.
func (s Sandbox) Moved(v View, target string) string {
	outer := s.From(v, v.Sandbox, target)
	if outer == target || target[0] == '/' {
		return outer
	}
	// The kernel goes up from where the directory really is.
	top := disk.Resolve(v.Sandbox)
	rest, from := target, top
	for strings.HasPrefix(rest, "../") {
		rest, from = strings.TrimLeft(rest[3:], "/"), filepath.Dir(from)
	}
	leads := filepath.Join(from, rest)
	rel, err := filepath.Rel(disk.Resolve(v.Shared), s.Outside(leads))
	if err != nil || config.Within(leads, top) {
		return outer
	}
	return rel
}

// Pass reports whether path is file, or leads to it by way of links. No link is on the way to file.
func Pass(path, file string) bool {
	for range disk.MaxLinks {
		path = filepath.Join(disk.Resolve(filepath.Dir(path)), filepath.Base(path))
		if path == file {
			return true
		}
		target, err := os.Readlink(path)
		if err != nil {
			return false
		}
		if !filepath.IsAbs(target) {
			target = filepath.Dir(path) + "/" + target
		}
		path = target
	}
	return false
}

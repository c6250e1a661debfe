package oracle

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// compare compares both homes when all is over. Every difference has to be a documented one, and nothing is lost.
func (r *run) compare() {
	plain, real := tree(r.plain), tree(r.real)
	paths := maps.Clone(plain)
	maps.Copy(paths, real)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		p, inPlain := plain[path]
		s, inReal := real[path]
		if link := linkAbove(real, path); link != "" && r.final(link, plain[link], real[link]) != "" {
			continue // what is below a link is not here
		}
		if isDatabase(path) {
			r.compareDatabase(path)
			continue
		}
		if uncompared(path) || inPlain == inReal && r.same(path, p, s) {
			continue
		}
		if reason := r.final(path, p, s); reason == "" {
			r.defect("in the end %q is %s, and plain sh left %s", path, r.words(path, s, inReal), r.words(path, p, inPlain))
		}
	}
	r.atRest()
}

// same reports whether an entry is in the real home what it is in the plain one. Of links it is compared where they lead, or else what
// they say: what they lead to may be a link that stays one.
func (r *run) same(path string, plain, real node) bool {
	if plain.kind == fs.ModeSymlink && real.kind == fs.ModeSymlink {
		return r.leads(r.plain, path) == r.leads(r.real, path) || strings.ReplaceAll(plain.text, r.plain, r.real) == real.text
	}
	return plain == real
}

// leads returns where a link of a home leads in the end, with the home itself left out; for one that leads nowhere, what it says.
func (r *run) leads(home, path string) string {
	if to, err := filepath.EvalSymlinks(filepath.Join(home, path)); err == nil {
		return strings.Replace(to, home, "~", 1)
	}
	return "nowhere"
}

func (r *run) words(path string, n node, there bool) string {
	if !there {
		return "absent"
	}
	return fmt.Sprintf("%v %v %q", n.kind, n.mode, n.text)
}

// final returns the documented reason for which an entry is in the end another one than in the plain home, "" for none.
func (r *run) final(path string, plain, real node) string {
	for _, rule := range []struct {
		reason string
		holds  bool
	}{
		{r.differsAbove(path), r.differsAbove(path) != ""},
		{"a symbolic link that is like one of swop's is taken for a copy", r.takenForCopy(path)},
		{"a link to nothing takes no file's place", plain.kind == fs.ModeSymlink && real.kind == 0 && real.text != "" && r.leads(r.plain, path) == "nowhere"},
		{"ln -sr leads to what is renamed in the same session", plain.kind == fs.ModeSymlink && real.kind == fs.ModeSymlink && r.resolved[path]},
		{linkAcross, real.kind == fs.ModeSymlink && r.leadsAcross(path)},
		{"ln -sr leads to what a link leads to", plain.kind == fs.ModeSymlink && real.kind == fs.ModeSymlink && r.sameThroughLinks(path)},
		{"the copy of a link stays one", real.kind == fs.ModeSymlink && plain.kind != fs.ModeSymlink && (plain.kind == fs.ModeDir || r.mayStay(path))},
		{"a link to a link, copied or moved, leads to that", real.kind == fs.ModeSymlink && plain.kind == fs.ModeSymlink && r.copiedBelow(path, plain, real)},
		{fifoStays, plain.kind == fs.ModeNamedPipe},
		{noHardLink, valueAt(filepath.Join(r.plain, path)).names > 1},
	} {
		if rule.holds {
			return rule.reason
		}
	}
	return ""
}

// differsAbove returns the reason why the path, or a directory above it, differs.
func (r *run) differsAbove(path string) string {
	for ; path != "."; path = filepath.Dir(path) {
		if reason := r.differs[path]; reason != "" {
			return reason
		}
	}
	return ""
}

// linkAbove returns the link that the path lies below, "" for none.
func linkAbove(home map[string]node, path string) string {
	for path = filepath.Dir(path); path != "."; path = filepath.Dir(path) {
		if home[path].kind == fs.ModeSymlink {
			return path
		}
	}
	return ""
}

// mayStay reports whether a link that is a file or a directory in the plain home may be in the end where it is: below a directory, or leading
// to a directory.
func (r *run) mayStay(path string) bool {
	info, err := os.Stat(filepath.Join(r.real, path))
	return topOf(path) != path || err == nil && info.IsDir()
}

// copiedBelow reports whether the link lies below a directory and leads to an entry of the real home that is a link like plain.
func (r *run) copiedBelow(path string, plain, real node) bool {
	to, ok := strings.CutPrefix(real.text, r.real+"/")
	first, _ := nodeAt(filepath.Join(r.real, to))
	return ok && topOf(path) != path && first.kind == fs.ModeSymlink && first.text == strings.ReplaceAll(plain.text, r.plain, r.real)
}

// leadsAcross reports whether the link leads from the codex home to an entry of HOME, or the other way.
func (r *run) leadsAcross(path string) bool {
	target, _ := os.Readlink(filepath.Join(r.real, path)) // a link, as its kind says
	to, ok := strings.CutPrefix(target, r.real+"/")
	return ok && inCodexHome(path) != inCodexHome(to)
}

// sameThroughLinks reports whether the link leads in the real home to the file that the plain home's link would lead to there.
func (r *run) sameThroughLinks(path string) bool {
	to := strings.Replace(r.leads(r.plain, path), "~", r.real, 1)
	own := valueAt(filepath.Join(r.real, path))
	return own.inode != 0 && own.inode == valueAt(to).inode
}

// compareDatabase compares a database's rows.
func (r *run) compareDatabase(path string) {
	if !strings.HasSuffix(path, ".db") || r.differsAbove(path) != "" {
		return
	}
	if got, want := rows(filepath.Join(r.real, path), r.dir), rows(filepath.Join(r.plain, path), r.dir); got != want {
		r.defect("in the end the database %q holds %q, and plain sh left %q", path, got, want)
	}
}

// atRest checks that what plain sh left is shared, or kept, and is not only in a sandbox.
func (r *run) atRest() {
	shared := r.contentsOf(r.real, ".swop/accounts")
	for text, path := range r.contentsOf(r.plain) {
		if !shared.has(text) && !r.excused.has(text) {
			r.defect("in the end %q of %q is neither shared nor kept", text, strings.TrimPrefix(path, r.plain+"/"))
		}
	}
}

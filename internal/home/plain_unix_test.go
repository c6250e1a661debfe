//go:build unix

package home

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

// script is what programs do in one session, or outside, and what docs/limits.md says that it leaves, by name.
type script struct {
	random *rand.Rand
	lines  []string
	leads  map[string]string // what there is, and the shared file that a name leads to, "" for a file of the session's own
	wrote  map[string]string // the shared file that was written in place through a name that is not its own
	limits map[string]string // by the name that may differ, the kind of difference
}

const (
	removedLink = "rm removes the link"
	staleBackup = "a backup was a link when its original was written in place"
	inDirectory = "a link in a directory stays one"
	linkedCopy  = "a copied directory's link stays one"
)

var (
	plainFiles = []string{"x", "y", "z", "t"}
	plainDirs  = []string{"d", "e", "g"}
)

func (s *script) pick(names []string) (a, b string) {
	i := s.random.IntN(len(names))
	return names[i], names[(i+1+s.random.IntN(len(names)-1))%len(names)]
}

func (s *script) do(format string, args ...any) {
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

func (s *script) has(name string) bool {
	_, ok := s.leads[name]
	return ok
}

// written notes that a file was written in place: other names that lead to it are no backups.
func (s *script) written(name string) {
	for other, leads := range s.leads {
		if other != name && leads != "" && leads == s.leads[name] {
			s.limits[other] = staleBackup
		}
	}
	if s.leads[name] += ""; s.leads[name] != name {
		s.wrote[name] = s.leads[name]
	}
}

// become notes that to is what from is now.
func (s *script) become(to, from string) {
	s.remove(to)
	s.leads[to] = s.leads[from]
	if s.wrote[from] != "" {
		s.wrote[to] = s.wrote[from]
		delete(s.wrote, from)
	}
	for name, kind := range maps.Clone(s.limits) { // of what is in it, too
		if below, in := strings.CutPrefix(name+"/", from+"/"); in {
			s.limits[strings.TrimSuffix(to+"/"+below, "/")] = kind
		}
	}
}

// remove notes that a name is gone. Nobody can tell that its link was the way by which the session wrote the file, not somebody outside.
func (s *script) remove(name string) {
	delete(s.leads, name)
	if s.limits[name] != linkedCopy { // then the directory stays
		delete(s.limits, name)
	}
	if wrote := s.wrote[name]; wrote != "" {
		s.limits[wrote] = staleBackup
		s.limits[s.leads[wrote]] = staleBackup // nothing is moved onto a file that was written later
		delete(s.wrote, name)
	}
}

// step adds a step of a program.
func (s *script) step(text int) {
	a, b := s.pick(plainFiles)
	d, e := s.pick(plainDirs)
	switch what := s.random.IntN(19); {
	case what < 3: // an editor, sed -i
		s.do("printf %d >%s.new; mv %[2]s.new %[2]s", text, a)
		s.remove(a)
		s.leads[a] = ""
	case what < 4:
		s.do("printf %d >%s", text, a)
		s.written(a)
	case what < 5:
		s.do("printf %d >>%s", text, a)
		s.written(a)
	case what < 6: // a temporary name that stays
		s.do("printf %d >%s.tmp", text, a)
	case what < 7:
		s.do("ln -sf %s %s.l", a, b)
	case what < 8:
		s.do("mkdir -p %s; printf %d >%[1]s/f", d, text)
		s.leads[d] += ""
	case what < 9 && s.has(d) && !s.has(e):
		s.do("mv %s %s", d, e)
		s.become(e, d)
		s.remove(d)
	case what < 10 && s.has(d) && !s.has(e):
		s.do("cp -a %s %s", d, e)
		s.leads[e] = ""
		for _, dir := range plainDirs { // any of which may be moved after that
			s.limits[dir] = linkedCopy
		}
	case !s.has(a):
	case what < 12:
		s.do("rm -f %[2]s; mv %[1]s %[2]s", a, b) // mv and cp refuse two names of one link
		s.become(b, a)
		s.remove(a)
	case what < 14:
		s.do("rm -f %[2]s; cp -a %[1]s %[2]s", a, b)
		s.become(b, a)
	case what < 15 && !s.has(b) && s.leads[a] != "":
		s.do("ln %s %s", a, b)
		s.become(b, a)
	case what < 16 && s.has(b): // a swap of two names
		s.do("mv %s s; mv %s %[1]s; mv s %[2]s", a, b)
		s.become("s", a)
		s.become(a, b)
		s.become(b, "s")
		s.remove("s")
	case what < 17 && s.leads[a] != s.leads[b]:
		s.do("cp %s %s", a, b)
		s.written(b)
	case what < 18:
		s.do("rm %s", a)
		s.remove(a)
	case s.has(d):
		s.do("mv %s %s/", a, d)
		s.limits[d+"/"+a] = inDirectory
		s.limits[s.leads[a]] = inDirectory // its link is there
		s.remove(a)
	}
}

// limit returns the kind of difference that a name may have, "" for none. A file outside to which no name leads stays there.
func (s *script) limit(name, want string) string {
	top, _, _ := strings.Cut(name, "/")
	if kind := cmp.Or(s.limits[name], s.limits[top]); kind != "" {
		return kind
	}
	for _, leads := range s.leads {
		if leads == name {
			return ""
		}
	}
	return when(want == "", removedLink)
}

// shape returns what is in a home, by name.
func shape(t *testing.T, dir string) map[string]string {
	t.Helper()
	list := map[string]string{}
	testhome.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		name := strings.TrimPrefix(path, dir+"/")
		switch {
		case err != nil || path == dir:
			return err
		case name == ".codex":
			return fs.SkipDir
		case e.Type()&fs.ModeSymlink != 0:
			list[name], err = os.Readlink(path)
		case e.IsDir():
			list[name] = "directory"
		default:
			list[name] = "text " + testhome.TextOf(path)
		}
		return err
	}))
	return list
}

// What programs do in sessions of two accounts and outside leaves at rest what it leaves in a plain home, except what docs/limits.md
// names: such differences are counted by kind. SWOP_SEQUENCES says how many sequences are played, SWOP_SEED which one is the first.
func TestPlain(t *testing.T) {
	first, sequences, sessions := number("SWOP_SEED", 1), number("SWOP_SEQUENCES", 3+when(testhome.Repeats(), 7)), 0
	counts := map[string]int{}
	for seed := first; seed < first+sequences; seed++ {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			w := newWorld(t, "a", "b")
			plain := filepath.Join(filepath.Dir(w.store.Home), "plain")
			for i, name := range []string{"/x", "/y", "/d/f"} {
				w.put(w.out(name), strconv.Itoa(i))
			}
			w.start(atRest, "a", "b")
			random := rand.New(rand.NewPCG(uint64(seed), 2))
			for n := range 10 {
				testhome.NoError(t, os.RemoveAll(plain))
				place := places[random.IntN(len(places))]
				s := &script{random: random, leads: map[string]string{}, wrote: map[string]string{}, limits: map[string]string{}}
				before := shape(t, w.out(""))
				for name := range before {
					s.leads[name] = when(place != "", name)
				}
				for i := range 1 + random.IntN(5) {
					s.step(100*n + 10*i + 10)
				}
				text := strings.Join(s.lines, "\n")
				at := w.out("")
				if place != "" {
					at = w.in(place, "")
				}
				w.session("a", fmt.Sprintf("cp -a %s %s\ncd %[2]s\n%s\ncd %s\n%[3]s", w.out(""), plain, text, at))
				w.start(atRest, "a", "b")
				w.start(atRest, "a", "b")
				sessions++
				for _, dir := range plainDirs { // a copied directory's link is none of the next session's
					if target, err := os.Readlink(w.in(place, "/"+dir)); place != "" && err == nil && target != w.out("/"+dir) {
						testhome.NoError(t, os.Remove(w.in(place, "/"+dir)))
					}
				}
				got, want := shape(t, w.out("")), shape(t, plain)
				names := maps.Clone(want)
				maps.Copy(names, got)
				for _, name := range slices.Sorted(maps.Keys(names)) {
					kind := s.limit(name, want[name])
					switch {
					case got[name] == want[name]:
					case place != "" && kind != "":
						counts[kind]++
					default:
						t.Errorf("session %d, of %q: %s is %q, in a plain home %q, of %q after\n%s", n, place, name, got[name], want[name], before, text)
					}
					for _, key := range []string{"a", "b"} {
						in, out := testhome.TextOf(w.in(key, "/"+name)), testhome.TextOf(w.out("/"+name))
						if in != out {
							t.Errorf("session %d: %s is %q in account %s, outside %q, after\n%s", n, name, in, key, out, text)
						}
					}
				}
			}
		})
	}
	t.Logf("%d sequences, %d sessions: %v", sequences, sessions, counts)
}

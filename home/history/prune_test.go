//go:build unix

package history

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

const hour = time.Hour

// wide are limits that nothing here is beyond.
func wide() Limits { return Limits{Age: 1000 * hour, PerEntry: 1000, Bytes: 1 << 40, Young: hour} }

// Versions of a and b, of 10 bytes each. A name has the age in hours.
func TestLimits(t *testing.T) {
	var list []Version
	for _, name := range []string{"a-99", "a0", "b1", "a2", "?3", "b4", "a5"} {
		age, err := time.ParseDuration(name[1:] + "h")
		testhome.NoError(t, err)
		list = append(list, Version{ID: name, About: About{Path: name[:1]}, kept: noon.Add(-age), used: 10})
	}
	number(list)
	for _, tt := range []struct {
		name  string
		limit func(*Limits)
		want  string
	}{
		{"wide", func(*Limits) {}, ""},
		{"age", func(x *Limits) { x.Age = 2 * hour }, "a5 b4 ?3"},
		{"number", func(x *Limits) { x.PerEntry = 2 }, "a5 a2"},
		{"bytes", func(x *Limits) { x.Bytes = 50 }, "a5 b4"},
		{"bytes, in part", func(x *Limits) { x.Bytes = 69 }, "a5"},
		{"bytes, but not of an unknown entry", func(x *Limits) { x.Bytes = 40 }, "a5 b4 a2"},
		{"number, then bytes", func(x *Limits) { x.PerEntry = 3; x.Bytes = 50 }, "a5 b4"},
		{"young ones", func(x *Limits) { *x = Limits{Young: 4 * hour} }, "a5 b4"},
		{"all but the young ones", func(x *Limits) { *x = Limits{Young: hour} }, "a5 b4 ?3 a2 b1"},
		{"the clock was set back", func(x *Limits) { *x = Limits{Young: 1} }, "a5 b4 ?3 a2 b1"},
	} {
		limits := wide()
		tt.limit(&limits)
		var got []string
		for _, v := range limits.excess(list, noon) {
			got = append(got, v.ID)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %q are in excess, want %q", tt.name, got, tt.want)
		}
	}
}

// A version that alone is beyond the limit goes, once it is not young, and no other does for it.
func TestLimitsLarge(t *testing.T) {
	version := func(hours int, used int64) Version {
		return Version{About: About{Path: "a"}, kept: noon.Add(-time.Duration(hours) * hour), used: used}
	}
	list := []Version{version(0, 99), version(1, 10), version(2, 99), version(3, 10)}
	limits := wide()
	limits.Bytes = 20
	if gone := limits.excess(list, noon); len(gone) != 1 || gone[0].kept != list[2].kept {
		t.Errorf("%v are in excess, want the one of two hours ago", gone)
	}
}

// prune removes what is older than an hour.
func (p place) prune() ([]string, error) {
	gone, err := Prune(p.Layout, noon, Limits{Age: hour, PerEntry: 1000, Bytes: 1 << 40})
	return show(gone), err
}

func TestPrune(t *testing.T) {
	p := newPlace(t)
	p.ok(os.RemoveAll(p.Path("trash")))
	secret := filepath.Join(p.Home, "mine")
	p.ok(os.WriteFile(secret, []byte("mine"), 0o600))
	dir := p.keep(3*hour, entry(HomeView, "dir"), "dir/a", "dir/deep/b")
	p.ok(os.Symlink(p.Home, filepath.Join(p.at(dir), "files/dir/link")))
	p.ok(os.Chmod(filepath.Join(p.at(dir), "files/dir/deep"), 0))
	link := p.keep(3*hour, entry(HomeView, "link"))
	p.ok(os.Symlink(p.Home, filepath.Join(p.at(link), "files/link")))
	p.ok(os.Symlink(p.Home, p.at(NewID(noon.Add(-3*hour)))))
	p.ok(unix.Mkfifo(p.at(NewID(noon.Add(-3*hour))), 0o600))
	p.keep(0, entry(HomeView, "dir"), "dir/a")
	p.ok(os.Mkdir(p.at("notes"), 0o700))
	if gone, err := p.prune(); err != nil || len(gone) != 4 {
		t.Errorf("Prune removes %q: %v, want four", gone, err)
	}
	wantLines(t, show(p.list()), []string{`home "dir" 1 ["dir"] 8 false`})
	for _, path := range []string{secret, p.at("notes"), p.Path("locks")} {
		if !testhome.Exists(path) {
			t.Errorf("%s is gone", path)
		}
	}
	if left, err := os.ReadDir(p.Path("trash")); err != nil || len(left) > 0 {
		t.Errorf("trash/ has %v: %v", left, err)
	}
}

// A version that cannot be removed does not keep the others.
func TestPruneImmutable(t *testing.T) {
	p := newPlace(t)
	fixed := p.keep(3*hour, entry(HomeView, "fixed"), "fixed")
	p.keep(2*hour, entry(HomeView, "other"), "other")
	if out, err := exec.Command("chattr", "+i", p.at(fixed)).CombinedOutput(); err != nil {
		t.Logf("no file can be made immutable here: %s", out)
		return
	}
	t.Cleanup(func() { p.ok(exec.Command("chattr", "-i", p.at(fixed)).Run()) })
	gone, err := p.prune()
	wantLines(t, gone, []string{`home "other" 1 ["other"] 8 true`})
	if err == nil || !strings.Contains(err.Error(), fixed) {
		t.Errorf("Prune with an immutable version: %v", err)
	}
	wantLines(t, show(p.list()), []string{`home "fixed" 1 ["fixed"] 8 true`})
}

//go:build unix

package manager

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"swop/config"
)

func TestMarkSettled(t *testing.T) {
	now := unix.Timespec{Sec: 1000, Nsec: 500}
	for _, tt := range []struct {
		sec, nsec int64
		want      bool
	}{
		{999, 900, true},
		{1000, 499, true},
		{1000, 500, false}, // the tick of the look itself
		{1000, 501, false},
		{2000, 1, false}, // a clock was set back
		{1000, 0, false}, // a file system of whole seconds
		{998, 0, false},
		{997, 0, true},
		{2000, 0, false},
	} {
		m := mark{ctime: unix.Timespec{Sec: tt.sec, Nsec: tt.nsec}}
		if got := m.settled(now); got != tt.want {
			t.Errorf("a change at %d.%09d is settled at 1000.000000500: %t, want %t", tt.sec, tt.nsec, got, tt.want)
		}
	}
}

// A head that is cut short, or of which any bit is another, is none.
func TestParseHead(t *testing.T) {
	h := head{at: unix.Timespec{Sec: 5, Nsec: 6}, dev: 7, inputs: 8, watches: 4, paired: seen{Dev: 1, Ino: 2, Size: 3, Sec: 4, Ns: 5}}
	for i := range h.marks {
		h.marks[i] = mark{uint64(i), 10, unix.Timespec{Sec: 11}, unix.Timespec{Nsec: 12}, 13}
	}
	h.kept = h.marks[1]
	var b [headSize]byte
	h.put(&b)
	if got, ok := parseHead(b[:]); !ok || got != h {
		t.Fatalf("parseHead of what put wrote = %+v, %t, want %+v", got, ok, h)
	}
	for n := range b {
		if _, ok := parseHead(b[:n]); ok {
			t.Errorf("%d bytes of %d are taken for a head", n, len(b))
		}
	}
	for i := range b {
		for bit := range 8 {
			b[i] ^= 1 << bit
			if _, ok := parseHead(b[:]); ok {
				t.Errorf("a head is believed with bit %d of byte %d flipped", bit, i)
			}
			b[i] ^= 1 << bit
		}
	}
}

// steadyWorld is an account in which a look found nothing to mend, and the reconciler of the next look.
func steadyWorld(t *testing.T) (*world, func() *reconciler) {
	t.Helper()
	w := newWorld(t, filepath.Join(t.TempDir(), "world"), "a")
	noError(t, w.reconcile("a", silent))
	tick(t)
	noError(t, w.reconcile("a", silent))
	tick(t)
	noError(t, w.reconcile("a", silent))
	return w, func() *reconciler {
		r := &reconciler{store: w.store, root: w.root, account: w.accounts["a"], say: func(string) {}, stamp: openStamp(w.accounts["a"])}
		t.Cleanup(r.stamp.close)
		return r
	}
}

func TestUnmoved(t *testing.T) {
	w, next := steadyWorld(t)
	isolation, private := w.settings.For("a")
	if !next().unmoved(isolation, private) {
		t.Fatal("a steady account counts as moved")
	}
	for name, change := range map[string]func(r *reconciler) (string, config.Private){
		"the isolation":       func(*reconciler) (string, config.Private) { return config.IsolateHome, private },
		"a pattern":           func(*reconciler) (string, config.Private) { return isolation, config.Private{CodexHome: []string{"x"}} },
		"a pattern elsewhere": func(*reconciler) (string, config.Private) { return isolation, config.Private{Home: []string{"x"}} },
		"the state": func(r *reconciler) (string, config.Private) {
			r.account.Meta.State = StatePrivate
			return isolation, private
		},
		"a bootstrap": func(r *reconciler) (string, config.Private) {
			r.account.Meta.Bootstrap = "/b"
			return isolation, private
		},
		"a former home": func(r *reconciler) (string, config.Private) {
			r.root.Former = []string{"/f"}
			return isolation, private
		},
		"another shared home": func(r *reconciler) (string, config.Private) {
			r.root.SharedHome.Path = r.store.Home
			return isolation, private
		},
		"another device recorded": func(r *reconciler) (string, config.Private) {
			r.root.SharedHome.Device++
			return isolation, private
		},
		"another inode recorded": func(r *reconciler) (string, config.Private) {
			r.root.SharedHome.Inode++
			return isolation, private
		},
		"another real home": func(r *reconciler) (string, config.Private) {
			r.account.Meta.RealHome = "/h"
			return isolation, private
		},
		"another root": func(r *reconciler) (string, config.Private) { r.store.Root += "x"; return isolation, private },
		"a clock set back": func(r *reconciler) (string, config.Private) {
			r.stamp.head.at.Sec += 3600
			return isolation, private
		},
		"something left to mend": func(r *reconciler) (string, config.Private) { r.stamp.head.watches = 0; return isolation, private },
	} {
		t.Run(name, func(t *testing.T) {
			r := next()
			if r.unmoved(change(r)) {
				t.Error("it is not noticed")
			}
			if !next().unmoved(isolation, private) {
				t.Error("the stamp was changed by a look that noticed something")
			}
		})
	}
}

// Another release of swop may bring another table of rules.
func TestTableSum(t *testing.T) {
	sum := tableSum(codexHomeRules)
	for i := range codexHomeRules {
		for name, change := range map[string]func(*Rule){
			"pattern": func(r *Rule) { r.Pattern += "x" }, "class": func(r *Rule) { r.Class++ }, "transcript": func(r *Rule) { r.Transcript = !r.Transcript },
			"append-only": func(r *Rule) { r.AppendOnly = !r.AppendOnly }, "database": func(r *Rule) { r.Database = !r.Database },
			"bootstrap": func(r *Rule) { r.Bootstrap = !r.Bootstrap }, "transient": func(r *Rule) { r.Transient = !r.Transient },
		} {
			rows := slices.Clone(codexHomeRules)
			change(&rows[i])
			if tableSum(rows) == sum {
				t.Errorf("a changed %s of %q is not noticed", name, codexHomeRules[i].Pattern)
			}
		}
	}
	if tableSum(codexHomeRules[1:]) == sum {
		t.Error("a missing row is not noticed")
	}
}

// A look in the future says nothing of what is older than it.
func TestRecallAfterClockSetBack(t *testing.T) {
	w, next := steadyWorld(t)
	r := next()
	r.stamp.head.at.Sec += 3600
	noError(t, r.begin())
	r.recall()
	file := filepath.Join(w.root.SharedHome.Path, "config.toml")
	noError(t, os.WriteFile(file, nil, 0o600))
	i, err := itemAt(file)
	noError(t, err)
	if r.lastLook.before(i) {
		t.Error("a file of now counts as older than a look that never was")
	}
}

// A reconcile that was asked for looks, whatever the stamp says.
func TestThorough(t *testing.T) {
	w, next := steadyWorld(t)
	link := filepath.Join(w.codex("a"), "config.toml")
	noError(t, os.Remove(link))
	r := next()
	h := &r.stamp.head
	d, err := openFolder(w.codex("a"), refuseLink)
	noError(t, err)
	defer d.close()
	_, private := w.settings.For("a")
	h.marks[sandboxCodex], err = d.mark()
	noError(t, err)
	h.marks[sandboxCodex].sum, err = listSum(w.codex("a"), refuseLink, r.sumOf(sandboxCodex, h.watches, private))
	noError(t, err)
	r.stamp.renew()
	noError(t, w.reconcile("a", silent))
	if exists(link) {
		t.Fatal("a stamp that says that nothing moved is not believed: this test proves nothing")
	}
	quiet := silent.quiet()
	quiet.Thorough = true
	noError(t, w.store.Reconcile(w.accounts["a"], w.root, w.settings, quiet, func(string) {}))
	if !exists(link) {
		t.Error("a thorough reconcile leaves a link that is missing")
	}
}

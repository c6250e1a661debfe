//go:build unix

package mirror

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"swop/config"
	"swop/home/pinned"
	"swop/internal/testhome"
)

// A script says what programs and starts do in a world, and what must be true then: steps, each on a line of its own or after a semicolon. A step
// is a word of [verbs] and its arguments, which are paths, and for some a text at the end. What follows # is a comment.
//
// $own and $b are the codex homes of the accounts a and b, $shared is the shared one, $home the real home, $box the sandbox's HOME, $root swop's
// root and $kept where versions are kept.

// do plays a script.
func (w *testWorld) do(script string) {
	w.t.Helper()
	for _, step := range strings.FieldsFunc(script, func(r rune) bool { return r == '\n' || r == ';' }) {
		step, _, _ = strings.Cut(step, "#")
		switch err := recovered(func() error { return w.step(strings.Fields(step)) }); {
		case errors.Is(err, errNotHere):
			return
		case err != nil:
			w.t.Errorf("%s: %s", strings.TrimSpace(step), w.words(err.Error()))
		}
	}
}

// step plays one step.
func (w *testWorld) step(words []string) error {
	for i := range words {
		words[i] = os.Expand(words[i], w.place)
	}
	if len(words) == 0 {
		return nil
	}
	verb, ok := verbs[words[0]]
	if !ok {
		return fmt.Errorf("%q is no step", words[0])
	}
	return verb(w, words[1:])
}

// errNotHere ends a script that shows nothing to the user who runs it.
var errNotHere = errors.New("shows nothing to this user")

func (w *testWorld) place(name string) string {
	switch name {
	case "own":
		return w.codex("a")
	case "b":
		return w.codex("b")
	case "box":
		return w.sandboxHome("a")
	}
	return map[string]string{"shared": w.shared, "home": w.home, "root": w.store.Root, "kept": w.kept()}[name]
}

// verbs are the steps of scripts.
var verbs = map[string]func(w *testWorld, a []string) error{
	// What programs do.
	"put":     func(_ *testWorld, a []string) error { return write(a[0], os.O_TRUNC, textOf(a)) },
	"append":  func(_ *testWorld, a []string) error { return write(a[0], os.O_APPEND, textOf(a)) },
	"replace": func(_ *testWorld, a []string) error { return replace(a[0], textOf(a)) },
	"mv":      func(_ *testWorld, a []string) error { return os.Rename(a[0], a[1]) },
	"ln":      func(_ *testWorld, a []string) error { return os.Link(a[0], a[1]) },
	"symlink": func(_ *testWorld, a []string) error { return os.Symlink(a[0], a[1]) },
	"rm":      func(_ *testWorld, a []string) error { return forEach(a, os.RemoveAll) },
	"mkdir":   func(_ *testWorld, a []string) error { return forEach(a, makeDir) },
	"chmod":   func(_ *testWorld, a []string) error { return forEach(a[1:], changeMode(a[0])) },
	"age": func(w *testWorld, a []string) error { // age FILE DURATION
		age, err := time.ParseDuration(a[1])
		setTimes(w.t, a[0], time.Now().Add(-age))
		return err
	},
	"database": func(w *testWorld, a []string) error { putDatabase(w.t, a[0], textOf(a)); return nil },
	"open":     func(w *testWorld, a []string) error { return w.open(a[0]) },
	"write":    func(w *testWorld, a []string) error { return w.writeOpen(a[0], textOf(a)) },
	"close":    func(w *testWorld, _ []string) error { return w.closeAll() },

	// What swop does. A start has an activity; "start quiet" is one of a session, as after ten seconds without a change.
	"tick":   func(w *testWorld, _ []string) error { testhome.Tick(w.t); return nil },
	"settle": func(w *testWorld, _ []string) error { return w.settle() },
	"start": func(w *testWorld, a []string) error {
		o := map[string]Options{"busy": busy.options(), "quiet": quiet(busy), "idle": idle.options(), "rest": noProcesses.options()}[a[0]]
		start := func() error { return w.reconcileWith("a", o) }
		if w.around != nil {
			return w.around(start)
		}
		return start()
	},
	"share": func(w *testWorld, a []string) error { shareFile(w.t, w, a[0], textOf(a)); return nil },

	// How it is set up.
	"private": func(w *testWorld, a []string) error {
		w.settings.Private.CodexHome = slices.Concat(a, privateNames)
		return nil
	},
	"private-to-a": func(w *testWorld, a []string) error {
		w.settings.Accounts = map[string]config.AccountSettings{"a": {Private: config.Private{CodexHome: a}}}
		return nil
	},
	"isolate-home": func(w *testWorld, _ []string) error { w.settings.Isolation = config.IsolateHome; return nil },
	"former":       func(w *testWorld, _ []string) error { w.root.Former = []string{formerHome}; return nil },
	"move-shared": func(w *testWorld, _ []string) error {
		err := os.Rename(w.shared, w.shared+".moved")
		w.shareAt(w.shared + ".moved")
		return err
	},
	"no-root": func(*testWorld, []string) error { // root may read and write everything; the suite runs as both
		if os.Geteuid() == 0 {
			return errNotHere
		}
		return nil
	},

	// What must be true. A path may have a * where exactly one name fits.
	"want": func(_ *testWorld, a []string) error { return differ(testhome.TextOf(one(a[0])), textOf(a)) },
	"gone": func(_ *testWorld, a []string) error { return forEach(a, wantGone) },
	"held": func(w *testWorld, a []string) error { return w.holds(strings.Join(a, " "), w.home, w.store.Root) },
	"kept": func(w *testWorld, a []string) error { return w.holds(strings.Join(a, " "), w.kept()) },
	"unseen": func(w *testWorld, a []string) error {
		return differ(w.holds(strings.Join(a, " "), w.home) != nil, true)
	},
	"leads": func(_ *testWorld, a []string) error {
		target, err := os.Readlink(one(a[0]))
		return errors.Join(err, differ(target, a[1]))
	},
	"mode": func(_ *testWorld, a []string) error {
		info, err := os.Stat(a[0])
		if err != nil {
			return err
		}
		return differ(fmt.Sprintf("%o", info.Mode().Perm()), a[1])
	},
	"said":  func(w *testWorld, a []string) error { return differ(fmt.Sprint(len(w.said)), a[0]) },
	"tells": func(w *testWorld, a []string) error { return contains(w.said, strings.Join(a, " ")) },
	"pinned": func(w *testWorld, a []string) error {
		list, err := pinned.List(w.store.Layout, w.accounts["a"], w.settings)
		return errors.Join(err, differ(fmt.Sprint(len(list)), a[0]))
	},
	"logs-beside-databases": func(w *testWorld, _ []string) error {
		return differ(strings.Join(w.strayLogs(), ", "), "")
	},
}

func textOf(a []string) string { return strings.Join(a[1:], " ") }

func forEach(paths []string, f func(string) error) error {
	var errs []error
	for _, path := range paths {
		errs = append(errs, f(path))
	}
	return errors.Join(errs...)
}

func makeDir(path string) error { return os.MkdirAll(path, 0o700) }

func changeMode(octal string) func(string) error {
	mode, err := strconv.ParseUint(octal, 8, 32)
	return func(path string) error { return errors.Join(err, os.Chmod(path, fs.FileMode(mode))) }
}

// write writes to a file, which is made with its directory if it is not there.
func write(file string, how int, text string) error {
	err := makeDir(filepath.Dir(file))
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|how, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// replace replaces a file as careful programs do: it writes a temporary file and renames it over the file.
func replace(file, text string) error {
	return errors.Join(write(file+".tmp", os.O_TRUNC, text), os.Rename(file+".tmp", file))
}

// open opens a file for appending. writeOpen writes to it, whatever its name is by then.
func (w *testWorld) open(file string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err == nil {
		w.opened = append(w.opened, f)
	}
	return err
}

func (w *testWorld) writeOpen(file, text string) error {
	for _, f := range w.opened {
		if f.Name() == file {
			_, err := f.WriteString(text)
			return err
		}
	}
	return fmt.Errorf("%s is not open", file)
}

// closeAll closes what programs have open.
func (w *testWorld) closeAll() (err error) {
	for _, f := range w.opened {
		err = errors.Join(err, f.Close())
	}
	w.opened = nil
	return err
}

func differ[T comparable](got, want T) error {
	if got != want {
		return fmt.Errorf("it is %v", got)
	}
	return nil
}

// one returns the path that the pattern stands for.
func one(pattern string) string {
	if !strings.Contains(pattern, "*") {
		return pattern
	}
	list, err := filepath.Glob(pattern)
	if err != nil || len(list) != 1 {
		return fmt.Sprintf("%s stands for %q", pattern, list)
	}
	return list[0]
}

func wantGone(pattern string) error {
	list, err := filepath.Glob(pattern)
	return errors.Join(err, differ(fmt.Sprint(list), "[]"))
}

func (w *testWorld) holds(text string, dirs ...string) error {
	if !testhome.HoldsText(text, dirs...) {
		return fmt.Errorf("%q is lost", text)
	}
	return nil
}

func contains(lines []string, part string) error {
	if !strings.Contains(strings.Join(lines, "\n"), part) {
		return fmt.Errorf("said is %q", lines)
	}
	return nil
}

//go:build unix

package manager

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/config"
)

const fuzzedRoot = `{"schema_version":1,"shared_home":{"path":"/home/me/.codex","device":66,"inode":77},"config":"/home/me/.config/swop"}`

func FuzzParseRoot(f *testing.F) {
	for _, seed := range []string{
		fuzzedRoot, "", "null", "{}", "[]", fuzzedRoot + fuzzedRoot, strings.Replace(fuzzedRoot, "66", "1e999", 1), strings.Replace(fuzzedRoot, "66", "-1", 1),
		strings.Replace(fuzzedRoot, "/home/me/.codex", `\"/a\\xff\"`, 1), strings.Replace(fuzzedRoot, "/home/me/.codex", `relative`, 1),
		strings.Replace(fuzzedRoot, "shared_home", "Shared_Home", 1), strings.Replace(fuzzedRoot, "{", `{"former_shared_homes":["/a","\"\\x1b\""],"new":{"a":[1]},`, 1),
		strings.Replace(fuzzedRoot, "1", "2", 1), `{"schema_version":1,"shared_home":[[[[`, "{\"a\":\"\xff\"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := parseRoot(text)
		if err != nil {
			return
		}
		if !filepath.IsAbs(r.SharedHome.Path) {
			t.Errorf("parseRoot(%q) has the shared home %q", text, r.SharedHome.Path)
		}
		out, err := r.text()
		if err != nil {
			t.Fatalf("parseRoot(%q).text() failed: %v", text, err)
		}
		again, err := parseRoot(out)
		if err != nil {
			t.Fatalf("parseRoot(%q) of what was written failed: %v", out, err)
		}
		second, err := again.text()
		if string(second) != string(out) || err != nil || again.SharedHome != r.SharedHome || again.Config != r.Config {
			t.Errorf("written %q, then %q, %v", out, second, err)
		}
	})
}

// FuzzAside reads names as those of entries that were put aside, and back.
func FuzzAside(f *testing.F) {
	for _, seed := range hostileNames {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if got, aside := asideOf(name); aside && (!strings.HasPrefix(name, asidePrefix) || !strings.HasSuffix(name, "-"+got) || isCopy(name)) {
			t.Errorf("asideOf(%q) = %q", name, got)
		}
		if isCopy(name) && !strings.HasPrefix(name, copyPrefix) {
			t.Errorf("%q counts as a copy", name)
		}
		own := asideName(name)
		if got, aside := asideOf(own); !aside || len(own) > nameMax || got != name && got != "" || got == "" && len(name) <= nameMax/2 && name != "" {
			t.Errorf("asideName(%q) = %q, which is of %q", name, own, got)
		}
		if dir, base := splitPath(name); strings.Contains(base, "/") || dir != "" && !strings.HasPrefix(name, dir) {
			t.Errorf("splitPath(%q) = %q, %q", name, dir, base)
		}
	})
}

// FuzzPending puts a mark of any name into pending/: the sweep touches nothing that is no account of this root, and leaves none of its
// files there.
func FuzzPending(f *testing.F) {
	for _, seed := range hostileNames {
		f.Add(seed)
	}
	for _, seed := range []string{"work", "Work", "work ", "gone", "../accounts/work", "relic"} {
		f.Add(seed)
	}
	w := newWorld(f, scratch(f), "work")
	noError(f, errors.Join(w.store.writeMeta(w.accounts["work"]), os.MkdirAll(w.store.sub("pending"), 0o700)))
	putText(f, w.accounts["work"].AuthFile(), "a login")
	f.Fuzz(func(t *testing.T, name string) {
		mark := filepath.Join(w.store.sub("pending"), name)
		if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") || os.WriteFile(mark, nil, 0o600) != nil {
			return
		}
		_, err := w.store.SweepPending("", w.root, w.settings, silent.quiet().Silent, func(string) {})
		if _, statErr := os.Lstat(mark); name[0] != '.' && !errors.Is(statErr, unix.ENOENT) {
			t.Errorf("the mark %q stays (%v): %v", name, statErr, err)
		}
		if got := textOf(w.accounts["work"].AuthFile()); got != "a login" {
			t.Errorf("after the mark %q the login is %q", name, got)
		}
		noError(t, ignore(os.Remove(mark), os.ErrNotExist))
		for _, dir := range []string{"accounts", "pending", "displaced", "trash", "."} {
			list, err := os.ReadDir(w.store.sub(dir))
			noError(t, ignore(err, os.ErrNotExist))
			for _, entry := range list {
				if known := []string{"work", "accounts", "pending", "displaced", "trash", "locks"}; !slices.Contains(known, entry.Name()) {
					t.Errorf("after the mark %q there is %q in %s", name, entry.Name(), dir)
				}
			}
		}
	})
}

// FuzzSession takes any HOME and CODEX_HOME for a session's: only a path of a sandbox with a valid meta.json is one.
func FuzzSession(f *testing.F) {
	for _, seed := range append(hostileNames, "/", "/accounts/x/home", "/a/accounts/../home", "//accounts//work//home", "/accounts/work/home/.codex", "/accounts/work/home/") {
		f.Add(seed, seed)
	}
	dir := scratch(f)
	w := newWorld(f, dir, "work")
	noError(f, w.store.writeMeta(w.accounts["work"]))
	f.Fuzz(func(t *testing.T, home, codexHome string) {
		for _, base := range []string{"", dir + "/", w.store.Root + "/", w.accounts["work"].Dir + "/"} {
			s, ok := SessionIn(config.Env{"HOME=" + base + home, "CODEX_HOME=" + base + codexHome})
			if ok && (s.Key != "work" || filepath.Clean(s.Root) != w.store.Root || s.RealHome != w.home) {
				t.Errorf("HOME=%q, CODEX_HOME=%q is a session %+v", base+home, base+codexHome, s)
			}
			if !ok && !reflect.DeepEqual(s, Session{}) {
				t.Errorf("HOME=%q, CODEX_HOME=%q is none, %+v", base+home, base+codexHome, s)
			}
		}
	})
}

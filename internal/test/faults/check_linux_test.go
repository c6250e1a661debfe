package faults

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"syscall"

	"swop/config"
	"swop/internal/account/store"
	"swop/internal/disk"
	"swop/internal/test/testhome"
)

// run runs a command untraced.
func (w *world) run(c Command) Result {
	cmd := exec.Command(c.Args[0], c.Args[1:]...)
	cmd.Env, cmd.Dir, cmd.Stdin = c.Env, c.Dir, strings.NewReader(c.Stdin)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	var exit *exec.ExitError
	if failed := cmd.Run(); failed != nil && !errors.As(failed, &exit) {
		w.t.Fatal(failed)
	}
	return Result{Status: cmd.ProcessState.ExitCode(), Stdout: out.String(), Stderr: err.String()}
}

// recover runs what follows a disturbed operation: the same operation again, then codex in every account and without one. All of them
// must succeed, whether or not a program still runs. It returns what failed.
func (w *world) recover(o operation) (wrong []string) {
	if r := w.run(o.in(w)); r.Status != 0 && !slices.Contains(o.again, r.Status) {
		wrong = append(wrong, fmt.Sprintf("the next run exits %d: %s", r.Status, r.Stderr))
	}
	if len(o.hint) > 0 {
		if r := w.run(w.command("", nil, o.hint...)); r.Status != 0 {
			wrong = append(wrong, fmt.Sprintf("%q exits %d: %s", o.hint, r.Status, r.Stderr))
		}
	}
	for _, dir := range []string{"prefix/bin", "prefix"} {
		_ = os.Remove(w.at(dir)) // an uninstall that is killed, or cannot remove it, may leave it, empty
	}
	w.release()
	accounts, err := w.store.Accounts()
	if err != nil {
		wrong = append(wrong, err.Error())
	}
	calls := []Command{w.command("", nil, "codex", "exec")}
	for _, a := range accounts {
		calls = append(calls, w.command("", []string{"SWOP_ACCOUNT=" + a.Key}, "codex", "exec"))
	}
	w.clear()
	calls = append(calls, calls[1:]...) // what the later account shared by its start, the earlier one gets by its next
	for _, c := range append(calls, w.command("", nil, "codex-swop", "list")) {
		if r := w.run(c); r.Status != 0 {
			wrong = append(wrong, fmt.Sprintf("then %q with %q exits %d: %s", c.Args[1:], c.Env[len(c.Env)-1], r.Status, r.Stderr))
		}
	}
	return wrong
}

// clear removes the temporary files of what was killed: they only take room.
func (w *world) clear() {
	w.walk(func(path string, info fs.FileInfo) {
		if disk.IsTemp(info.Name()) {
			testhome.NoError(w.t, os.Remove(path))
		}
	})
}

// contents returns the contents of all files of the world, each with the number of inodes that have it.
func (w *world) contents() map[string]int {
	found, seen := map[string]int{}, map[fileID]bool{}
	w.walk(func(path string, info fs.FileInfo) {
		id := idOf(info)
		if !info.Mode().IsRegular() || seen[id] || info.Size() > maxShown {
			return
		}
		seen[id] = true
		text, err := os.ReadFile(path)
		testhome.NoError(w.t, err)
		found[w.words(string(text))]++
	})
	return found
}

// maxShown is the size in bytes above which a file is one of the programs.
const maxShown = 1 << 16

// words returns text without the parts that differ from world to world.
func (w *world) words(text string) string { return strings.ReplaceAll(text, w.dir, "$W") }

func (w *world) walk(f func(path string, info fs.FileInfo)) {
	testhome.NoError(w.t, filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			f(path, info)
		}
		return err
	}))
}

// fileID tells files apart.
type fileID struct{ dev, ino uint64 }

func idOf(info fs.FileInfo) fileID {
	st := info.Sys().(*syscall.Stat_t)
	return fileID{st.Dev, st.Ino}
}

// kept returns the contents that no operation may lose.
func kept(contents map[string]int) map[string]bool {
	list := map[string]bool{}
	for text := range contents {
		if strings.Contains(text, "kept") && !strings.Contains(text, "completion") { // swop's own files say it too
			list[text] = true
		}
	}
	return list
}

// lost returns a line for each text in want that no file of the world has, and for each login that several files have.
func (w *world) lost(want map[string]bool) (wrong []string) {
	got := w.contents()
	for _, text := range slices.Sorted(maps.Keys(want)) {
		if got[text] == 0 {
			wrong = append(wrong, fmt.Sprintf("lost: %q", text))
		}
	}
	for text, n := range got {
		if strings.Contains(text, "sk-") && n > 1 {
			wrong = append(wrong, fmt.Sprintf("a login is in %d files", n))
		}
	}
	return wrong
}

// torn returns a line for each of swop's own files that cannot be read, for each file that other users could read, and for each login of
// another account that changed.
func (w *world) torn(o operation) (wrong []string) {
	say := func(what string, err error) {
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %v", what, err))
		}
	}
	if _, err := store.ReadRoot(w.store.Root); !errors.Is(err, fs.ErrNotExist) {
		say("root.json", err)
	}
	_, err := config.ReadSelector(w.store.Places)
	say("selector.toml", err)
	_, err = w.store.Accounts()
	say("accounts", err)
	for _, key := range []string{"work", "personal"} {
		if key != o.owner && testhome.Exists(w.store.Root) && w.root.SharedHome.Path != "" && o.name != "uninstall --purge" {
			text, err := os.ReadFile(w.at(accountOf(key) + "auth.json"))
			say("login", err)
			if string(text) != authOf(key) {
				wrong = append(wrong, fmt.Sprintf("the login of %q is %q", key, text))
			}
		}
	}
	w.walk(func(path string, info fs.FileInfo) {
		if config.Within(path, w.store.Root) && info.Mode()&fs.ModeSymlink == 0 && info.Mode().Perm()&0o077 != 0 {
			wrong = append(wrong, fmt.Sprintf("%s is open to others: %v", w.words(path), info.Mode()))
		}
	})
	return wrong
}

// tree describes the world: what is at every path, except what differs from run to run. Versions that are kept are in contents.
func (w *world) tree() []string {
	var list []string
	first := map[fileID]string{}
	w.walk(func(path string, info fs.FileInfo) {
		name := w.words(strings.TrimPrefix(path, w.dir+"/"))
		if path == w.dir {
			return
		}
		swops := strings.TrimPrefix(name, "home/.swop/")
		switch first, _, _ := strings.Cut(swops, "/"); {
		case swops != name && (first == "kept" || first == "locks"),
			swops != name && slices.Contains([]string{"stamp", "seen", "hook-trust", "owner"}, info.Name()):
			return
		}
		text := w.describe(path, info)
		if id := idOf(info); info.Mode().IsRegular() && first[id] == "" {
			first[id] = name
		} else if info.Mode().IsRegular() {
			text += " the same file as " + first[id]
		}
		list = append(list, name+" "+text)
	})
	sort.Strings(list)
	return list
}

func (w *world) describe(path string, info fs.FileInfo) string {
	mode := info.Mode().String()
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		testhome.NoError(w.t, err)
		return "-> " + w.words(target)
	case !info.Mode().IsRegular():
		return mode
	}
	text, err := os.ReadFile(path)
	testhome.NoError(w.t, err)
	if len(text) > maxShown {
		return fmt.Sprintf("%s %x", mode, sha256.Sum256(text))
	}
	switch {
	case strings.HasSuffix(path, ".json"):
		text = timeless(text)
	case strings.HasSuffix(path, "/.swop/last"):
		text = regexp.MustCompile(`"login":\d+`).ReplaceAll(text, nil) // a time
	}
	return mode + " " + w.words(string(text))
}

// timeless returns the text of one of swop's own files without the fields that differ from run to run.
func timeless(text []byte) []byte {
	for _, field := range []string{
		`"created_at":"[^"]*",?`, `"last_used_at":"[^"]*",?`, `"shared_home_device":\d+,?`,
		`"shared_home_inode":\d+`, `(?s)"directories": \[.*?\]`,
	} {
		text = regexp.MustCompile(field).ReplaceAll(text, nil)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], ",")
	}
	slices.Sort(lines) // the order of a list of files is that in which they were changed
	return []byte(strings.Join(lines, "\n"))
}

// differs returns a line for each difference between two trees.
func differs(got, want []string) (wrong []string) {
	for _, line := range got {
		if _, ok := slices.BinarySearch(want, line); !ok {
			wrong = append(wrong, "not wanted: "+line)
		}
	}
	for _, line := range want {
		if _, ok := slices.BinarySearch(got, line); !ok {
			wrong = append(wrong, "missing: "+line)
		}
	}
	return wrong
}

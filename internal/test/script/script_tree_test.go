//go:build unix

package swop_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// tree is what a snapshot remembers: a description by path.
type tree struct {
	files []string
	times bool
	found map[string]string
}

type snapshotsKey struct{}

func snapshot(ts *testscript.TestScript, args []string) error {
	t := tree{}
	if args[0] == "-times" {
		t.times, args = true, args[1:]
	}
	for _, file := range args[1:] {
		t.files = append(t.files, ts.MkAbs(file))
	}
	t.found = t.describe()
	ts.Value(snapshotsKey{}).(map[string]tree)[args[0]] = t
	return nil
}

func unchanged(ts *testscript.TestScript, args []string) error {
	before, ok := ts.Value(snapshotsKey{}).(map[string]tree)[args[0]]
	if !ok {
		return fmt.Errorf("no snapshot %q", args[0])
	}
	var changes []string
	after := before.describe()
	for file, was := range before.found {
		if is, ok := after[file]; !ok {
			changes = append(changes, "gone: "+file)
		} else if is != was {
			changes = append(changes, fmt.Sprintf("changed: %s\n\twas %s\n\tis  %s", file, was, is))
		}
	}
	for file := range after {
		if _, ok := before.found[file]; !ok {
			changes = append(changes, "new: "+file)
		}
	}
	if len(changes) == 0 {
		return nil
	}
	sort.Strings(changes)
	return errors.New(strings.Join(changes, "\n"))
}

// describe looks at the trees. A missing one has no entry.
func (t tree) describe() map[string]string {
	found := map[string]string{}
	for _, file := range t.files {
		_ = filepath.WalkDir(file, func(path string, _ fs.DirEntry, err error) error {
			if info, statErr := os.Lstat(path); statErr == nil && !housekeeping(path) {
				found[path] = t.describeOne(path, info, err)
			}
			return nil
		})
	}
	return found
}

// housekeeping is what swop notes for itself in a sandbox, at any run.
func housekeeping(path string) bool {
	name := filepath.Base(path)
	return (name == "stamp" || name == "seen" || name == "pinned") && filepath.Base(filepath.Dir(filepath.Dir(path))) == "accounts"
}

func (t tree) describeOne(path string, info fs.FileInfo, walk error) string {
	text := info.Mode().String()
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		text += fmt.Sprintf(" %d:%d", st.Uid, st.Gid)
		if t.times {
			text += fmt.Sprintf(" inode %d, %s", st.Ino, info.ModTime().Format(time.RFC3339Nano))
		}
	}
	switch {
	case walk != nil:
		return text + " " + walk.Error()
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		return fmt.Sprintf("%s -> %s %v", text, target, err)
	case info.Mode().IsRegular():
		data, err := os.ReadFile(path)
		return fmt.Sprintf("%s %d bytes, %x %v", text, len(data), sha256.Sum256(data), err)
	}
	return text
}

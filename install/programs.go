//go:build unix

package install

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"

	"swop/manager/disk"
	"swop/say"
)

// programNames are in the order in which they are placed: the shim last, so that it is never there without its sibling.
var programNames = []string{"codex-swop", "codex"}

// A program is one of the two: its source and its destination.
type program struct {
	from, to string
	there    bool // an older one is there
	same     bool // and it is this one
}

// planPrograms compares the programs in from with those in bin. The error wraps [ErrUsage] where one of the two is missing or is not swop's,
// and [disk.ErrUnsafe] where a file that is not swop's has its name in bin.
func planPrograms(from, bin string) ([]program, error) {
	var plan []program
	for _, name := range programNames {
		p := program{from: filepath.Join(from, name), to: filepath.Join(bin, name)}
		if err := checkProgram(p.from); err != nil {
			return nil, usage("%v", err)
		}
		info, err := os.Lstat(p.to)
		if err == nil {
			err = refuseForeign(p.to, info)
			p.there = true
		}
		if err != nil && !isMissing(err) {
			return nil, err
		}
		if p.there {
			p.same = sameProgram(p.from, p.to, info)
		}
		plan = append(plan, p)
	}
	return plan, nil
}

func refuseForeign(path string, info fs.FileInfo) error {
	if checkProgram(path) == nil && info.Mode().IsRegular() {
		return nil
	}
	return say.WithHint(disk.Unsafe("%s already exists and is not swop's", path), "choose another directory: ./install.sh --prefix DIR")
}

// refuseOtherUsers refuses to replace programs of another user with different ones: that user's codex is not ours to change. With the same
// programs both use one installation.
func (s *session) refuseOtherUsers(plan []program) error {
	for _, p := range plan {
		uid, theirs := ownedByOther(p.to)
		if !p.there || p.same || !theirs {
			continue
		}
		err := disk.Unsafe("%s belongs to uid %d, and is a different build of swop", p.to, uid)
		if own := DefaultPrefix(s.o.Home, s.o.Env); own != s.prefix {
			return say.WithHint(err, "./install.sh --prefix "+say.ShellQuote(own))
		}
		return say.WithHint(err, "choose a directory of your own: ./install.sh --prefix DIR")
	}
	return nil
}

// sameProgram reports whether to needs no change.
func sameProgram(from, to string, info fs.FileInfo) bool {
	if info.Mode().Perm() != 0o755 {
		return false
	}
	if f, err := os.Stat(from); err != nil || os.SameFile(f, info) || f.Size() != info.Size() {
		return err == nil && os.SameFile(f, info)
	}
	a, err := os.ReadFile(from)
	if err != nil {
		return false
	}
	b, err := os.ReadFile(to)
	return err == nil && bytes.Equal(a, b)
}

// placePrograms copies the programs that differ. A codex that runs keeps the old file.
func (s *session) placePrograms(plan []program) error {
	for _, p := range plan {
		if p.same {
			continue
		}
		if err := copyOver(p.from, p.to); err != nil {
			return err
		}
		s.report.did(p.to, newOrChanged(p.there))
	}
	return nil
}

// staged is the name of a program before it is renamed. The lock is held: one that is there was left by a killed run.
func staged(to string) string { return filepath.Join(filepath.Dir(to), "."+filepath.Base(to)+".new") }

func copyOver(from, to string) error {
	program, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	r := replacement{path: to, tmp: staged(to), prepare: func(f *os.File) error { return f.Chmod(0o755) }}
	return r.write(program)
}

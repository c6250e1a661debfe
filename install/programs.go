package install

import (
	"bytes"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"swop/manager/disk"
	"swop/say"
)

// mainOf tells swop's programs from others of the same name: the package that Go wrote into the file.
var mainOf = map[string]string{"codex": "swop/shim/codex", "codex-swop": "swop/manager/codex-swop"}

// programNames in the order in which they are placed: the shim last, so that it never stands without its sibling.
var programNames = []string{"codex-swop", "codex"}

// A program is one of the two, from where it comes to where it goes.
type program struct {
	from, to string
	there    bool // an older one is there
	same     bool // and it is this one
}

// planPrograms compares the programs in from with those in bin. It refuses where one of the two is missing or is not swop's, and
// where a program that is not swop's stands in the way.
func planPrograms(from, bin string) ([]program, error) {
	var plan []program
	for _, name := range programNames {
		p := program{from: filepath.Join(from, name), to: filepath.Join(bin, name)}
		if err := checkProgram(p.from); err != nil {
			return nil, kindOf{err, ErrUsage}
		}
		info, err := os.Lstat(p.to)
		if err == nil {
			err = inTheWay(p.to, info)
			p.there = true
		}
		if err != nil && !notThere(err) {
			return nil, err
		}
		if p.there {
			p.same = sameProgram(p.from, p.to, info)
		}
		plan = append(plan, p)
	}
	return plan, nil
}

func inTheWay(path string, info fs.FileInfo) error {
	err := checkProgram(path)
	if err == nil && info.Mode().IsRegular() {
		return nil
	}
	return say.WithHint(kindOf{fmt.Errorf("%s is there already and is not swop's", path), ErrUnsafe},
		"choose a directory of its own: ./install.sh --prefix DIR")
}

// checkProgram returns an error unless path is a build of the program of that name.
func checkProgram(path string) error { return checkBuild(path, filepath.Base(path)) }

// checkBuild returns an error unless path is a build of the program called name.
func checkBuild(path, name string) error {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return fmt.Errorf("no program of swop: %w", err)
	}
	if info.Path != mainOf[name] {
		return fmt.Errorf("%s is not swop's: it was built from %q", path, info.Path)
	}
	return nil
}

// refuseTheirs refuses to put other programs in the place of another user's: what that one's codex is, is for him to say. With the same
// programs both use one installation.
func (s *session) refuseTheirs(plan []program) error {
	for _, p := range plan {
		uid, theirs := ownedByOther(p.to)
		if !p.there || p.same || !theirs {
			continue
		}
		err := kindOf{fmt.Errorf("%s belongs to uid %d, and this is another swop", p.to, uid), ErrUnsafe}
		if own := DefaultPrefix(s.o.Home, s.o.Env); own != s.prefix {
			return say.WithHint(err, "./install.sh --prefix "+posix.quote(own))
		}
		return say.WithHint(err, "choose a directory of your own: ./install.sh --prefix DIR")
	}
	return nil
}

// sameProgram is true where to needs no change.
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

// placePrograms copies the programs that differ: a new file beside the old, synced, renamed over it. A codex that runs keeps the old one.
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
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := disk.RemoveIfExists(staged(to)); err != nil {
		return err
	}
	out, err := os.OpenFile(staged(to), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	err = errors.Join(out.Chmod(0o755), fill(out, in))
	if err == nil {
		err = os.Rename(staged(to), to)
	}
	if err != nil {
		return errors.Join(err, os.Remove(staged(to)))
	}
	return disk.SyncDir(filepath.Dir(to))
}

func fill(out *os.File, in io.Reader) error {
	_, err := io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}

package install

import (
	"bytes"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"swop/config"
	"swop/internal/disk"
	"swop/internal/say"
)

// programNames are in the order in which they are placed: the shim last, so that it is never there without its sibling.
var programNames = []string{"codex-swop", "codex"}

// A program is one of the two: its source and its destination.
type program struct {
	from, to string
	there    bool // an older one is there
	same     bool // and it is this one
}

// planPrograms compares the programs in from with those in bin. The error wraps [ErrUsage] where one of the two is missing or is not
// swop's, and [disk.ErrUnsafe] where a file that is not swop's has its name in bin.
func planPrograms(from, bin string) ([]program, error) {
	var plan []program
	for _, name := range programNames {
		p := program{from: filepath.Join(from, name+disk.Exe), to: filepath.Join(bin, name+disk.Exe)}
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

// sameProgram reports whether to needs no change.
func sameProgram(from, to string, info fs.FileInfo) bool {
	a, err1 := os.ReadFile(from)
	b, err2 := os.ReadFile(to)
	return err1 == nil && err2 == nil && bytes.Equal(a, b) && (disk.Exe != "" || info.Mode().Perm() == 0o755)
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

func copyOver(from, to string) error {
	program, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return replaceFile(to, program, func(f *os.File) error { return f.Chmod(0o755) }, func() error { return nil })
}

// removePrograms removes what is below the prefix.
func (s *session) removePrograms() error {
	var err error
	for _, name := range slices.Backward(programNames) {
		err = errors.Join(err, s.removeProgram(filepath.Join(s.bin, name+disk.Exe)))
	}
	for _, name := range s.fileNames() {
		err = errors.Join(err, disk.RemoveIfExists(staged(filepath.Join(s.prefix, name))), s.removeFile(filepath.Join(s.prefix, name)))
	}
	err = errors.Join(err, s.removeCodex())
	disk.RemoveEmpty(s.bin)
	disk.RemoveEmpty(s.prefix)
	return err
}

func (s *session) removeProgram(path string) error {
	if err := disk.RemoveIfExists(staged(path)); err != nil {
		return err
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	err = checkProgram(path)
	if _, unread := errors.AsType[syscall.Errno](err); unread {
		return err // it may be swop's
	}
	if err != nil || !info.Mode().IsRegular() {
		s.report.warn(fmt.Sprintf("kept: %s, which is not swop's", path))
		return nil
	}
	return s.removeFile(path)
}

func (s *session) removeFile(path string) error {
	err := os.Remove(path)
	if err == nil {
		s.report.did(path, Removed)
	}
	return disk.Ignore(err, fs.ErrNotExist)
}

// checkProgram returns an error unless path is a build of the program of that name.
func checkProgram(path string) error {
	return checkBuild(path, strings.TrimSuffix(filepath.Base(path), disk.Exe))
}

// checkBuild returns an error unless path is a build of swop's program called name, which other programs are called too: it was built from
// swop's package, as Go wrote into the file.
func checkBuild(path, name string) error {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return fmt.Errorf("not a program of swop: %w", err)
	}
	mains := map[string]string{"codex": "swop/shim/codex", "codex-swop": "swop/manager/codex-swop"}
	if info.Path != mains[name] {
		return fmt.Errorf("%s is not swop's: it was built from %q", path, info.Path)
	}
	return nil
}

// IsShim reports whether the file is a build of swop's shim, of any version.
func IsShim(file string) bool { return checkBuild(file, "codex") == nil }

// WithoutShims returns env without the directories of PATH in which codex is a shim, of any installation: behind them is the real one, as
// the shim itself finds it.
func WithoutShims(env config.Env) config.Env {
	dirs := slices.DeleteFunc(filepath.SplitList(env.Value("PATH")), func(dir string) bool {
		return filepath.IsAbs(dir) && IsShim(filepath.Join(dir, "codex"+disk.Exe))
	})
	return env.With("PATH", strings.Join(dirs, string(filepath.ListSeparator)))
}

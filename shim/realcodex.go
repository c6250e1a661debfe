package shim

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/say"
)

// The oldest and the newest release of the real codex that swop is tested with.
const OldestTested, NewestTested = "0.29.0", "0.171.0"

// FileID identifies a file, whatever names lead to it.
type FileID struct{ Device, Inode uint64 }

// Program is an executable file.
type Program struct {
	Path string
	ID   FileID

	Noted bool // an earlier start found it: PATH has no codex here

	target string // the file, where Path is a link
}

// programAt returns the program at path, an error if there is no regular file that may be executed.
func programAt(path string) (Program, error) {
	var st sys.Stat_t
	if err := sys.Stat(path, &st); err != nil {
		return Program{}, err
	}
	if st.Mode&sys.S_IFMT != sys.S_IFREG {
		return Program{}, errors.New("is not a regular file")
	}
	if !mayRun(path) {
		return Program{}, errors.New("is not executable")
	}
	p := Program{Path: path, ID: idOf(&st), target: path}
	if _, err := os.Readlink(path); err == nil {
		p.target = disk.Resolve(path)
	}
	return p, nil
}

// idAt returns the identity of the file at path, the zero value without a file.
func idAt(path string) FileID {
	var st sys.Stat_t
	_ = sys.Stat(path, &st) // with an error st stays as it is
	return idOf(&st)
}

func idOf(st *sys.Stat_t) FileID { return FileID{uint64(st.Dev), st.Ino} }

// configured returns the program that the key codex of config.toml names. If it cannot be run, that is an error: nothing else runs instead.
func configured(path string, self FileID) (Program, error) {
	p, err := programAt(path)
	switch {
	case errors.Is(err, sys.ENOENT):
		err = fmt.Errorf("%w: config.toml says codex = %q, which does not exist", ErrNoCodex, path)
	case err != nil:
		err = &cannotRun{fmt.Errorf("config.toml says codex = %q, which cannot be run: %v", path, err)}
	case p.ID == self:
		err = fmt.Errorf("config.toml says codex = %q, which is swop itself", path)
	}
	return p, say.WithHint(err, fmt.Sprintf("remove this line of config.toml, or correct it: codex = %q", path))
}

// isSwop reports whether p is the shim of an installation, or a link to one: a codex-swop lies beside it.
func (p Program) isSwop() bool {
	_, err := os.Stat(filepath.Join(filepath.Dir(p.target), "codex-swop"+disk.Exe))
	return err == nil
}

// isWrapper reports whether p runs another program: a script that is not npm's launcher, or a link to a program of another name.
func (p Program) isWrapper() bool {
	if p.Script() {
		_, ok := p.Launcher()
		return !ok
	}
	return !strings.HasPrefix(filepath.Base(p.target), "codex")
}

// findReal returns the first program called codex in the directories of path behind the shim's own, then in those before it: a wrapper of
// another tool that stands there takes the shim for its next. With a wrapper, it returns the first program behind that. Files are compared,
// not names: a link to the shim is passed over, a real codex beside it is found. Directories, files that cannot be executed, dangling
// links, installations of swop, programs that a confined session could have put there, and empty and relative entries are passed over. If
// no program is found, the error wraps [ErrNoCodex].
func (i *Invocation) findReal(path string, self, wrapper FileID) (first Program, err error) {
	files := filesIn(path, i.Env)
	own := 1 + slices.IndexFunc(files, func(file string) bool { return self != FileID{} && idAt(file) == self })
	behind := wrapper == FileID{}
	for _, file := range slices.Concat(files[own:], files[:own]) {
		p, err := programAt(file)
		switch {
		case err != nil || p.ID == self || p.isSwop() || account.CanBePlanted(file, i.Places):
		case p.ID == wrapper:
			behind = true
		case behind:
			return p, nil
		case first.Path == "":
			first = p
		}
	}
	if behind || first.Path == "" {
		err = say.WithHint(ErrNoCodex, "npm install -g @openai/codex")
		return Program{}, say.WithHint(err, `or name it in config.toml: codex = "/path/to/codex"`)
	}
	return first, nil // the wrapper is not on path
}

// Find returns the real codex: the one that config.toml names, else the next on PATH, which ends with the directory beside the shim that
// install.sh --with-codex lets npm use, else the one that an earlier start noted. A wrapper is passed over, with all programs before it.
// shim is the path of the shim, whose file may be gone. If no codex is found, the error wraps [ErrNoCodex].
func (i *Invocation) Find(settings *config.Settings, shim string, wrapper FileID) (Program, error) {
	self := idAt(shim)
	if settings.Codex != "" {
		program, err := configured(settings.Codex, self)
		if err != nil || program.ID != wrapper {
			return program, err
		}
	}
	path := i.Env.Value("PATH") + string(filepath.ListSeparator) + ownBin(shim)
	program, err := i.findReal(path, self, wrapper)
	if err != nil && wrapper == (FileID{}) {
		if noted := i.noted(); noted.Noted && noted.ID != self && !noted.isSwop() && !account.CanBePlanted(noted.Path, i.Places) {
			return noted, nil
		}
	}
	return program, err
}

// ownPrefix is where install.sh --with-codex lets npm put the real codex: beside the shim's directory.
func ownPrefix(shim string) string { return filepath.Join(filepath.Dir(filepath.Dir(shim)), "npm") }

// updateOwn lets codex update, by npm install -g, what install.sh --with-codex put here, in the home: no session says there what mise runs.
func (c *Call) updateOwn(d *Decision) {
	d.dir, d.Env = d.Invocation.Home, d.Env.With("PATH", account.Outside(d.Env, d.Invocation.Places).Value("PATH"))
	if path, err := c.Executable(); err == nil && disk.SameFile(filepath.Dir(d.Program.Path), ownBin(path)) {
		d.Env = d.Env.With("npm_config_prefix", ownPrefix(path)).With("NPM_CONFIG_PREFIX", ownPrefix(path))
	}
}

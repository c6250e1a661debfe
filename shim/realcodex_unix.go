//go:build unix

package shim

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/say"
)

// FileID identifies a file, whatever names lead to it.
type FileID struct{ Device, Inode uint64 }

// Program is an executable file.
type Program struct {
	Path string
	ID   FileID
	Size int64 // in bytes
}

// FindReal returns the first program named codex in the directories of path whose file is none of skip. Files are compared, not
// names: a link to the shim is skipped, a real codex beside it is found. Directories, files that cannot be executed, dangling
// links, and empty and relative entries are passed over; on WSL also what lies on a Windows drive, where an environment does not
// reach. If no program is found, the error wraps [ErrNoCodex].
func FindReal(path string, skip []FileID, wsl bool) (Program, error) {
	for dir := ""; path != ""; {
		dir, path, _ = strings.Cut(path, ":") // a list of them would cost each start two pages
		if !filepath.IsAbs(dir) || wsl && onWindowsDrive(dir) {
			continue
		}
		if p, err := programAt(dir+"/codex", skip); err == nil {
			return p, nil
		}
	}
	err := say.WithHint(ErrNoCodex, "npm install -g @openai/codex")
	err = say.WithHint(err, "or, for this user alone: codex swop install --with-codex")
	return Program{}, say.WithHint(err, `or name it in config.toml: codex = "/path/to/codex"`)
}

// programAt returns the program at path, an error if what is there is not a regular file that may be executed, or one of skip.
func programAt(path string, skip []FileID) (Program, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return Program{}, err
	}
	if slices.Contains(skip, idOf(&st)) {
		return Program{}, errSkipped
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return Program{}, errors.New("is not a regular file")
	}
	if err := unix.Faccessat(unix.AT_FDCWD, path, unix.X_OK, unix.AT_EACCESS); err != nil {
		return Program{}, errors.New("is not executable")
	}
	return Program{path, idOf(&st), st.Size}, nil
}

var errSkipped = errors.New("was run before")

func idOf(st *unix.Stat_t) FileID { return FileID{uint64(st.Dev), st.Ino} }

// onWindowsDrive reports whether dir is below /mnt/c and the like, where WSL mounts Windows' drives.
func onWindowsDrive(dir string) bool {
	rest, ok := strings.CutPrefix(dir, "/mnt/")
	return ok && rest != "" && (len(rest) == 1 || rest[1] == '/')
}

// configured returns the program that codex = names in config.toml. One that cannot be run is an error: nothing else runs instead.
func configured(path string, self FileID) (Program, error) {
	p, err := programAt(path, nil)
	switch {
	case errors.Is(err, unix.ENOENT):
		err = fmt.Errorf("%w: config.toml says codex = %q, which does not exist", ErrNoCodex, path)
		return p, say.WithHint(err, fmt.Sprintf("remove this line of config.toml, or correct it: codex = %q", path))
	case err != nil:
		return p, &cannotRun{fmt.Errorf("config.toml says codex = %q, which cannot be run: %v", path, err)}
	case p.ID == self:
		err := fmt.Errorf("config.toml says codex = %q, which is swop itself", path)
		return p, say.WithHint(err, "remove the line, or name the real codex")
	}
	return p, nil
}

// find returns the real codex: the one that config.toml names, else the next on PATH, else the one that install --with-codex put
// beside the shim, which is on PATH only in shells that were started since.
func find(c *Caller, settings *config.Settings, self FileID, g *guard, shim func() (string, error)) (Program, error) {
	if settings.Codex != "" {
		program, err := configured(settings.Codex, self)
		if err != nil || !slices.Contains(g.seen, program.ID) {
			return program, err
		}
	}
	program, err := FindReal(c.Env.Value("PATH"), g.seen, isWSL(c.Env))
	if err == nil || !errors.Is(err, ErrNoCodex) {
		return program, err
	}
	path, pathErr := shim()
	if pathErr != nil {
		return program, err
	}
	return FindReal(ownPrefix(path)+"/bin", g.seen, isWSL(c.Env))
}

// ownPrefix is where install --with-codex lets npm put the real codex: beside the shim's directory.
func ownPrefix(shim string) string { return filepath.Join(filepath.Dir(filepath.Dir(shim)), "npm") }

// updateOwn lets codex update, which runs npm install -g, update the real codex where install --with-codex put it, if it is that one.
func (c *Call) updateOwn(d *Decision) {
	path, err := c.Executable()
	if err != nil {
		return
	}
	prefix := ownPrefix(path)
	if own, err := programAt(prefix+"/bin/codex", nil); err == nil && own.ID == d.Program.ID {
		d.Env = d.Env.With("npm_config_prefix", prefix).With("NPM_CONFIG_PREFIX", prefix)
	}
}

// FindCodex returns the real codex that a call outside of swop would run; shim is the path of the shim, which need not exist.
func (i Invocation) FindCodex(settings config.Settings, shim string) (Program, error) {
	var g guard
	var st unix.Stat_t
	if err := unix.Stat(shim, &st); err == nil {
		g = g.with(idOf(&st))
	}
	return find(&i.Caller, &settings, idOf(&st), &g, func() (string, error) { return shim, nil })
}

// isWSL reports whether this is Windows' Linux, by the variable that it sets in every process.
func isWSL(env config.Env) bool { return env.Value("WSL_DISTRO_NAME") != "" }

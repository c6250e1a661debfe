//go:build unix

package shim

import (
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"swop/config"
)

// FindReal returns the first program named codex in the directories of path whose file is none of skip. Files are compared, not
// names: a link to the shim is skipped, a real codex beside it is found. Directories, files that cannot be executed, dangling
// links, and empty and relative entries are passed over; on WSL also what lies on a Windows drive, where an environment does not
// reach. If no program is found, the error wraps [ErrNoCodex].
func FindReal(path string, skip []FileID, wsl bool) (Program, error) {
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) || wsl && onWindowsDrive(dir) {
			continue
		}
		if p, err := programAt(dir+"/codex", skip); err == nil {
			return p, nil
		}
	}
	return Program{}, noCodex()
}

// onWindowsDrive reports whether dir is below /mnt/c and the like, where WSL mounts Windows' drives.
func onWindowsDrive(dir string) bool {
	rest, ok := strings.CutPrefix(dir, "/mnt/")
	return ok && rest != "" && (len(rest) == 1 || rest[1] == '/')
}

// SearchFor returns how [FindReal] is to search: whether this is Windows' Linux, by the variable that it sets in every process.
func SearchFor(env config.Env) (wsl bool) { return env.Value("WSL_DISTRO_NAME") != "" }

func mayRun(path string) bool {
	return unix.Faccessat(unix.AT_FDCWD, path, unix.X_OK, unix.AT_EACCESS) == nil
}

// ownCodex is what npm calls the program of codex, in the directory ownBin.
const ownCodex = "codex"

// ownBin is the directory of programs that install.sh --with-codex lets npm put the real codex in.
func ownBin(shim string) string { return ownPrefix(shim) + "/bin" }

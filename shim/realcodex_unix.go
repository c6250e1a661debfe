//go:build unix

package shim

import (
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"swop/config"
)

// filesIn returns the files in the directories of path that codex may be, except those on a Windows drive where env says that this is
// Windows' Linux: an environment does not reach them.
func filesIn(path string, env config.Env) (files []string) {
	wsl := env.Value("WSL_DISTRO_NAME") != ""
	for _, dir := range filepath.SplitList(path) {
		if filepath.IsAbs(dir) && !(wsl && onWindowsDrive(dir)) {
			files = append(files, dir+"/codex")
		}
	}
	return files
}

// onWindowsDrive reports whether dir is below /mnt/c and the like, where WSL mounts Windows' drives.
func onWindowsDrive(dir string) bool {
	rest, ok := strings.CutPrefix(dir, "/mnt/")
	return ok && rest != "" && (len(rest) == 1 || rest[1] == '/')
}

func mayRun(path string) bool {
	return unix.Faccessat(unix.AT_FDCWD, path, unix.X_OK, unix.AT_EACCESS) == nil
}

// ownBin is the directory of programs that install.sh --with-codex lets npm put the real codex in.
func ownBin(shim string) string { return ownPrefix(shim) + "/bin" }

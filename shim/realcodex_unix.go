//go:build unix

package shim

import (
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"swop/config"
)

// filesIn returns the paths that codex may have in the directories of path. In WSL, by env, a Windows drive has none: no environment
// reaches the programs there.
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

// ownBin returns the directory in which npm puts the real codex for install.sh --with-codex.
func ownBin(shim string) string { return ownPrefix(shim) + "/bin" }

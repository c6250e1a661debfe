//go:build unix

package shim

import (
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/disk"
)

// native returns what program would start with args and env if it is a known launcher of npm's. In any doubt it reports false, and the
// launcher itself is to run. The cheapest questions come first: a codex that is no launcher costs none of them.
func native(program Program, args []string, env config.Env) (launch, bool) {
	known := launcherOfSize(program.Size)
	if known == nil || !unchangedByNode(args, env) || !survivesURL(program.Path) {
		return launch{}, false
	}
	script, ok := readLauncher(program.Path, known)
	if !ok {
		return launch{}, false
	}
	root, ok := strings.CutSuffix(script, "/bin/codex.js")
	if !ok || !strings.HasSuffix(root, "/node_modules/@openai/codex") || ownedByOther(root, program.Path) {
		return launch{}, false
	}
	binary, tools, ok := findBinary(root, known)
	if !ok || !realNode(env.Value("PATH")) {
		return launch{}, false
	}
	return launch{
		path: binary,
		args: append([]string{binary}, args[1:]...),
		env:  known.environment(env, root, tools),
	}, true
}

// readLauncher returns the real path of the launcher at path, if its content is known.
func readLauncher(path string, known *launcher) (string, bool) {
	fd, err := openFile(path)
	if err != nil {
		return "", false
	}
	defer unix.Close(fd)
	text := make([]byte, known.size+1)
	if n, err := unix.Read(fd, text); err != nil || int64(n) != known.size || sumOf(text[:n]) != known.sum {
		return "", false
	}
	real, err := disk.RealPath(path)
	return real, err == nil && survivesURL(real)
}

func openFile(path string) (int, error) {
	return unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0) // a FIFO in a file's place must not stop us
}

// findBinary returns the native binary that a launcher of the package at root finds, and the directory that it puts on PATH, "" for none.
// As Node does for require.resolve (Module._nodeModulePaths), it looks for the package of this platform in each node_modules at and
// above the launcher; npm puts it inside root's, or beside root where other packages are too.
func findBinary(root string, known *launcher) (binary, tools string, ok bool) {
	pkg, target := platform(runtime.GOOS, runtime.GOARCH)
	if pkg == "" {
		return "", "", false
	}
	for dir := root + "/bin"; ; dir = dir[:strings.LastIndexByte(dir, '/')] {
		if !strings.HasSuffix(dir, "/node_modules") {
			manifest, err := disk.RealPath(dir + "/node_modules/@openai/" + pkg + "/package.json")
			if err == nil {
				return binaryBelow(filepath.Dir(manifest)+"/vendor/"+target+"/", known)
			}
			if !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.ENOTDIR) {
				return "", "", false // Node may see it
			}
		}
		if dir == "" {
			return "", "", false // in Node's global directories, or nowhere
		}
	}
}

func binaryBelow(dir string, known *launcher) (binary, tools string, ok bool) {
	if !survivesURL(dir) {
		return "", "", false
	}
	for _, at := range known.layouts {
		if !exists(dir + at.binary) {
			continue
		}
		if at.tools != "" && exists(dir+at.tools) {
			tools = dir + at.tools
		}
		return dir + at.binary, tools, true
	}
	return "", "", false
}

func exists(path string) bool { return unix.Access(path, unix.F_OK) == nil }

// raiseFileLimit leaves codex as many open files as the launcher does: Node raises its own soft limit to the hard one when it starts, and
// what it starts inherits that. Go raises its limit too, but puts the old one back before an exec unless the program itself set one.
func raiseFileLimit() {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil {
		limit.Cur = limit.Max
		_ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit) // where the system allows less, as on macOS, Go's stays
	}
}

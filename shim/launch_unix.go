//go:build unix

package shim

import (
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
	l, ok := known.launch(root, args, env)
	return l, ok && realNode(env.Value("PATH"))
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

package shim

import (
	"fmt"
	"os"

	"golang.org/x/sys/windows"

	"swop/config"
	"swop/internal/disk"
	"swop/internal/session/supervise"
)

// Exec runs the program at path as a child of this process, and ends as it ends: Windows has no exec. It returns only if the program could
// not be started.
func Exec(path string, args []string, env config.Env) error {
	if g := parseGuard(env); g.pid == os.Getppid() { // codex-swop, which goes on with this call, asks for its own parent
		g.pid = os.Getpid()
		env = env.With(GuardVariable, g.String())
	}
	status, err := supervise.Run(func() (supervise.Child, error) { return supervise.Start(path, args, env) }, func() {})
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	windows.ExitProcess(uint32(status))
	return nil
}

// isFrom reports whether the process that wrote the guard started this one, in its own place.
func isFrom(g guard) bool { return g.pid == os.Getppid() }

func getwd() (string, error) {
	dir, err := os.Getwd()
	return disk.Resolve(dir), err
}

// raiseFileLimit does nothing: Windows has no such limit.
func raiseFileLimit() {}

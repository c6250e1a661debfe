//go:build !unix

package shim

import (
	"errors"
	"io"
	"time"

	"swop/config"
	"swop/say"
)

// Process is what a process is given.
type Process struct {
	Args       []string
	Env        config.Env
	Executable func() (string, error)
	Stderr     io.Writer
	Now        time.Time
}

// Run says that native Windows is not supported yet.
func Run(p Process) int {
	err := errors.New("swop does not run codex on native Windows yet")
	say.Error(p.Stderr, say.WithHint(err, "use it inside WSL"))
	return statusFailed
}

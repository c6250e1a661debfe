//go:build !unix

package shim

import (
	"errors"
	"io"
	"time"

	"swop/config"
	"swop/say"
)

// Call is one call of codex: what its process was given.
type Call struct {
	Args       []string
	Env        config.Env
	Executable func() (string, error)
	Stdout     io.Writer
	Stderr     io.Writer
	Now        time.Time
}

// Run says that native Windows is not supported yet.
func Run(c *Call) int {
	err := errors.New("swop does not run codex on native Windows yet")
	say.Error(c.Stderr, say.WithHint(err, "use it inside WSL"))
	return statusFailed
}

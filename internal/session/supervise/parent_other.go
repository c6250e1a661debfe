//go:build unix && !linux

package supervise

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// termiosOf asks for the mode of a terminal.
const termiosOf = unix.TIOCGETA

// dyingWithParent is empty: only Linux kills a child with its parent.
func dyingWithParent() *syscall.SysProcAttr { return nil }

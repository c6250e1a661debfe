package supervise

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// termiosOf asks for the mode of a terminal.
const termiosOf = unix.TCGETS

// dyingWithParent lets a child be killed when its parent dies.
func dyingWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

package supervise

import "syscall"

// dyingWithParent lets a child be killed when its parent dies.
func dyingWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

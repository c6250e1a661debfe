//go:build unix && !linux

package supervise

import "syscall"

// dyingWithParent is empty: only Linux kills a child with its parent.
func dyingWithParent() *syscall.SysProcAttr { return nil }

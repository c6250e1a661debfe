//go:build unix

package mirror

import (
	"time"

	"swop/account/process"
	"swop/disk"
)

// Nothing moves under a running program. While a session of the account runs, its programs rely by name on what they made: on a directory as a
// lock, on a file with a pid. So only a file that came in the place of our link is moved then, once it is quiet: it becomes the link that it was.
// At rest, what no process has open may be moved.

// mayMove reports whether own, an entry of the sandbox, may be moved now. there is the shared one.
func (h *home) mayMove(name string, own, there disk.Stat) (bool, error) {
	apart, err := h.apart() // then it is copied, at rest: see copy_unix.go
	if err != nil {
		return false, err
	}
	waits := apart || !own.IsRegular() || there.IsDir() || !h.was.hadLink(name) || h.changedLately(own)
	idle := false // asked only where it matters: that takes longest
	if waits {
		if idle, err = h.idle(); err != nil || !idle {
			return false, err
		}
	}
	used, known, err := h.inUse(name, own)
	if err == nil && !known && !idle {
		idle, err = h.idle()
	}
	return err == nil && !used && (known || idle), err
}

// inUse reports whether a process has the entry, or something in it, open, mapped or as its working directory, and whether the system tells. At rest
// that is why it waits.
func (h *home) inUse(name string, own disk.Stat) (used, known bool, err error) {
	used, known, err = h.askUse(name, own)
	if rest, _ := h.idle(); used && rest {
		put(&h.now.Waiting, name, obstacle{Reason: "a process has it open"})
	}
	return used, known, err
}

func (h *home) askUse(name string, own disk.Stat) (used, known bool, err error) {
	if own.IsLink() {
		return false, true, nil
	}
	if own.IsRegular() {
		if unopened, known := h.sandbox.Unopened(name); known {
			return !unopened, true, nil
		}
	}
	if none, err := h.noProcesses(); err != nil || none {
		return false, none, err
	}
	dir, err := disk.RealPath(h.sandbox.Path)
	if err != nil {
		return false, false, err
	}
	used, known, err = process.Uses(dir + "/" + name)
	return used, known && h.sandbox.Local(), err // over NFS a session of another host may have it open
}

// changedLately reports whether the entry was changed a moment ago, or in the future, which a clock that was set back leaves.
func (h *home) changedLately(own disk.Stat) bool {
	quiet := h.options.QuietFor
	if quiet == 0 {
		quiet = 10 * time.Second
	}
	age := time.Duration(h.next.at.Nano() - own.Ctime.Nano())
	return age < quiet
}

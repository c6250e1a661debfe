//go:build unix

package mirror

import (
	"time"

	"swop/account/process"
	"swop/disk"
	"swop/home/baseline"
)

// Nothing moves under a running program. While a session of the account runs, its programs rely by name on what they made: on a directory as a
// lock, on a file with a pid. So only a file that came in the place of our link is moved then, once it is quiet: it becomes the link that it was.
// At rest, what no process has open may be moved.

// mayMove reports whether own, an entry of the sandbox, may be moved now. there is the shared one.
func (h folding) mayMove(name string, own, there disk.Stat) (bool, error) {
	quiet, err := h.isQuiet(name, own, there)
	if err != nil {
		return false, err
	}
	if !quiet {
		if idle, err := h.idle(); err != nil || !idle {
			return false, err
		}
	}
	used, known, err := h.inUse(name, own)
	if err != nil || used {
		return false, err
	}
	if known {
		return true, nil
	}
	return h.idle()
}

// isQuiet reports whether own may be moved while a session runs, if no process has it open: it is a file that came in the place of our link, and was
// not changed lately. What has to be copied to another file system never is.
func (h folding) isQuiet(name string, own, there disk.Stat) (bool, error) {
	apart, err := h.apart()
	quiet := own.IsRegular() && !there.IsDir() && h.was.HadLink(name) && !h.changedLately(own)
	return quiet && !apart, err
}

// inUse reports whether a process has the entry, or something in it, open, mapped or as its working directory, and whether the system tells. At rest
// that is why it waits.
func (h *home) inUse(name string, own disk.Stat) (used, known bool, err error) {
	used, known, err = h.askUse(name, own)
	if rest, _ := h.idle(); used && rest {
		h.now.Wait(name, baseline.Obstacle{Reason: "a process has it open"})
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
func (h folding) changedLately(own disk.Stat) bool {
	quiet := h.options.QuietFor
	if quiet == 0 {
		quiet = 10 * time.Second
	}
	age := time.Duration(h.next.At.Nano() - own.Ctime.Nano())
	return age < quiet
}

// rest is whether no session of the account runs, once that was asked.
type rest struct{ asked, idle bool }

// idle reports whether no session of the account runs. It asks once: an account that is idle stays so until the caller releases its lock.
func (r *reconciler) idle() (bool, error) {
	if r.rest.asked || r.options.Idle == nil {
		return r.rest.idle, nil
	}
	idle, err := r.options.Idle()
	switch {
	case err != nil:
	case idle && r.options.NoSession != nil:
		idle, err = r.options.NoSession(r.Account)
	case !idle && r.options.OnlyServer != nil:
		idle, err = r.options.OnlyServer(r.Account)
	}
	r.rest = rest{asked: true, idle: idle}
	return idle, err
}

// noProcesses reports whether no process at all uses the account. It asks each time.
func (r *reconciler) noProcesses() (bool, error) {
	idle, err := r.idle()
	if err != nil || !idle || r.options.NoProcesses == nil {
		return false, err
	}
	return r.options.NoProcesses(r.Account)
}

//go:build unix

package projection

import "swop/manager/disk"

// idle reports whether no session of the account runs. It asks once: an account that is idle stays so until the caller releases its lock.
func (r *reconciler) idle() (bool, error) {
	if r.idleAsked || r.options.Idle == nil {
		return r.isIdle, nil
	}
	idle, err := r.options.Idle()
	r.idleAsked, r.isIdle = true, idle
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

// mustWait reports whether a process that runs in the account may have the entry open. Then the entry is noted, so that the next scan finds
// it again.
func (p *projection) mustWait(name string, own disk.Stat) (bool, error) {
	noProcesses, err := p.noProcesses()
	if err != nil || !noProcesses {
		p.now.wait(name, own)
		return true, err
	}
	return false, nil
}

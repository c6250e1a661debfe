//go:build unix

package projection

import (
	"golang.org/x/sys/unix"

	"swop/manager/disk"
	"swop/manager/stamp"
)

// writeStamp writes the baseline if anything changed, and else the header alone.
func (r *reconciler) writeStamp() error {
	h := r.headerAfterScan()
	if !r.changed && r.Stamp != nil {
		r.Stamp.Header = h
		r.Stamp.Renew()
		return nil
	}
	body, err := r.next.body()
	if err != nil {
		return err
	}
	return stamp.WriteStamp(r.Account, h, body)
}

// noteMarks notes the state of a view's directories at the start of the scan.
func (r *reconciler) noteMarks(view string, shared, sandbox stamp.Fingerprint) {
	if view == "codex" {
		r.marks[stamp.SharedCodex], r.marks[stamp.SandboxCodex] = shared, sandbox
	} else {
		r.marks[stamp.RealHome], r.marks[stamp.SandboxHome] = shared, sandbox
	}
}

// markSandboxHome does what noteMarks does, for a sandbox home that shows nothing.
func (r *reconciler) markSandboxHome() {
	var st unix.Stat_t
	err := stamp.StatDir(r.Account.Home(), disk.NoFollow, &st)
	r.marks[stamp.SandboxHome] = stamp.FingerprintOf(&st)
	if err == nil {
		r.marks[stamp.SandboxHome].Sum, err = stamp.ListSum(r.Account.Home(), disk.NoFollow, stamp.NameSum)
	}
	r.fastPath = r.fastPath && err == nil
}

// headerAfterScan returns the header of the stamp after a scan. It has the directories' fingerprints only if the scan found nothing to
// repair and nothing that a later one must look at again.
func (r *reconciler) headerAfterScan() stamp.Header {
	h := stamp.Header{At: r.next.at, Dev: r.next.dev, Inputs: r.inputsBefore, Pinned: r.pinnedBefore}
	paired := r.next.view("codex").Paired
	if !r.fastPath || len(paired) > 1 {
		return h
	}
	for _, s := range paired {
		h.Paired = s
	}
	h.Dirs, h.Watched = r.marks, r.watches
	for i := range h.Dirs {
		if m := &h.Dirs[i]; !m.Settled(h.At) {
			m.Ctime, m.Mtime = unix.Timespec{}, unix.Timespec{} // the next start lists it again
		}
	}
	return h
}

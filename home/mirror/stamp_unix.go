//go:build unix

package mirror

import (
	"encoding/json"

	"golang.org/x/sys/unix"

	"swop/disk"
	"swop/home/baseline"
	"swop/home/rules"
)

// draft is what the header of the stamp will say of this reconcile: see [rules.Header].
type draft struct {
	inputs  uint64            // before the scan
	pinned  rules.Fingerprint // before the scan
	dirs    [rules.MaxDirs]rules.Fingerprint
	watched int
	settled bool // the scan found nothing that the next start must look at again: that may compare fingerprints
}

// note notes the state of a view's directories at the start of a scan.
func (d *draft) note(view string, shared, sandbox rules.Fingerprint) {
	if view == rules.CodexView {
		d.dirs[rules.SharedCodex], d.dirs[rules.SandboxCodex] = shared, sandbox
	} else {
		d.dirs[rules.RealHome], d.dirs[rules.SandboxHome] = shared, sandbox
	}
}

// watchCodex lets the next start watch the codex home, and only that the sandbox home has nothing else.
func (d *draft) watchCodex(sandboxHome string) {
	d.watched = rules.WatchCodex
	var st unix.Stat_t
	err := rules.StatDir(sandboxHome, disk.NoFollow, &st)
	d.dirs[rules.SandboxHome] = rules.FingerprintOf(&st)
	if err == nil {
		d.dirs[rules.SandboxHome].Sum, err = rules.ListSum(sandboxHome, disk.NoFollow, rules.NameSum)
	}
	d.settled = d.settled && err == nil
}

// header returns the header of the stamp after the scan that saw next.
func (d *draft) header(next *baseline.Baseline) rules.Header {
	h := rules.Header{At: next.At, Dev: next.Dev, Inputs: d.inputs, Pinned: d.pinned}
	paired := next.View(rules.CodexView).Paired
	if !d.settled || len(paired) > 1 {
		return h
	}
	for _, s := range paired {
		h.Paired = s
	}
	h.Dirs, h.Watched = d.dirs, d.watched
	for i := range h.Dirs {
		if m := &h.Dirs[i]; !m.Settled(h.At) {
			m.Ctime, m.Mtime = unix.Timespec{}, unix.Timespec{} // the next start lists it again
		}
	}
	return h
}

// writeStamp writes the baseline if anything changed, and else the header alone.
func (r *reconciler) writeStamp() error {
	h := r.draft.header(r.next)
	if !r.changed && r.Stamp != nil {
		r.Stamp.Header = h
		r.Stamp.Renew()
		return nil
	}
	body, err := json.Marshal(r.next)
	if err != nil {
		return err
	}
	return rules.WriteStamp(r.Account, h, body)
}

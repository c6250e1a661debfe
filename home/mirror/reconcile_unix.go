//go:build unix

package mirror

import (
	"errors"
	"strings"

	"swop/account"
	"swop/account/store"
	"swop/config"
	"swop/disk"
	"swop/home/baseline"
	"swop/home/links"
	"swop/home/pinned"
	"swop/home/rules"

	"golang.org/x/sys/unix"
)

// reconcile does what Reconcile does, and reports whether there was anything to repair.
func reconcile(s store.Store, a account.Account, root account.Root, settings config.Settings, options Options, say func(string)) (changed bool, err error) {
	if err := root.Check(); err != nil {
		return false, err
	}
	r := &reconciler{Subject: rules.Subject{Layout: s.Layout, Root: root, Account: a, Stamp: rules.OpenStamp(a)}, options: options, say: say}
	defer r.Stamp.Close()
	isolation, private := settings.For(a.Key)
	if !options.Thorough && r.Unchanged(isolation, private) {
		return false, nil
	}
	if err := r.prepare(isolation, private); err != nil {
		return false, err
	}
	for _, v := range r.links.Views {
		if err := r.reconcileView(v); err != nil {
			return false, err
		}
	}
	_ = r.writeStamp() // if it is lost the next start looks again
	if news := r.news(); news != "" && !options.Listed {
		say(news)
	}
	if len(r.undone) > 0 {
		say("rm in a session removes only a link; to free space on the full disk: rm -r " + strings.Join(r.undone[:min(len(r.undone), 5)], " "))
	}
	return r.changed, nil
}

// CheckVolumes refuses nothing: symbolic links lead to any disk.
func CheckVolumes(store.Store, string) error { return nil }

// reconciler is one reconcile of one account.
type reconciler struct {
	rules.Subject
	options  Options
	say      func(string)
	links    links.Sandbox      // the views, and where links in them lead
	pins     *pinned.Names      // what the account keeps to itself against the rules
	last     *baseline.Baseline // what the last scan saw
	next     *baseline.Baseline // what this one sees
	draft    draft              // what the stamp will say
	rest     rest               // whether a session runs
	compared int64              // see [mostCompared]
	changed  bool               // there was something to repair
	undone   []string           // the shared entries, quoted, whose links programs removed on a full disk, and that are linked again
}

// prepare reads what the last scan left, before anything is scanned.
func (r *reconciler) prepare(isolation string, private config.Private) (err error) {
	if r.next, err = baseline.New(r.Account.Dir); err != nil {
		return err
	}
	r.last = baseline.Of(r.Stamp)
	if disk.Older(r.next.At, r.last.At) {
		r.last.At = unix.Timespec{} // the clock was set back: the time says nothing of what is older
	}
	r.draft = draft{inputs: r.Inputs(isolation, private), pinned: r.PinnedFile(), watched: rules.WatchBoth, settled: true}
	if r.pins, err = pinned.Read(r.Account); err != nil {
		return err
	}
	return r.setViews(isolation, private)
}

// reconcileView scans one view. If there is something to repair, it takes the lock of the shared home, scans again and repairs.
func (r *reconciler) reconcileView(v links.View) (err error) {
	h, done, err := r.open(v)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	if err := h.scan(); err != nil {
		return err
	}
	if r.pins.Changed {
		unwritten := r.pins.Write(r.Account)
		r.draft.settled = false
		defer func() { err = errors.Join(err, h.wait(finding{}, unwritten)) }()
	}
	if len(h.findings) == 0 {
		r.changed = r.changed || !h.now.Equal(h.was)
		return nil
	}
	r.changed, r.draft.settled = true, false
	return r.underHomeLock(h.repairAll)
}

// repairAll scans and repairs until a repair asks for no other look.
func (h *home) repairAll() error {
	for range disk.Rounds {
		err := h.scan()
		if err == nil {
			err = h.act()
		}
		if err != nil || !h.again {
			return err
		}
	}
	return nil
}

// underHomeLock calls f while no other reconcile of the same shared home runs.
func (r *reconciler) underHomeLock(f func() error) error {
	return r.Layout.UnderHomeLock(r.Root.SharedHome.Path, r.options.Waiting, f)
}

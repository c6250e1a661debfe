//go:build unix

package mirror

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"swop/account"
	"swop/account/store"
	"swop/config"
	"swop/disk"
	"swop/home/baseline"
	"swop/home/links"
	"swop/home/rules"
)

// Examine returns what the next reconcile of the account would repair, and what it cannot repair. It writes nothing.
func Examine(s store.Store, a account.Account, root account.Root, settings config.Settings) ([]Defect, error) {
	if err := root.Check(); err != nil {
		return nil, err
	}
	r := &reconciler{Subject: rules.Subject{Layout: s.Layout, Root: root, Account: a, Stamp: rules.OpenStamp(a)}}
	defer r.Stamp.Close()
	if err := r.prepare(settings.For(a.Key)); err != nil {
		return nil, err
	}
	var list []Defect
	for _, v := range r.links.Views {
		found, err := r.examine(v)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

func (r *reconciler) examine(v links.View) (list []Defect, err error) {
	h, done, err := r.open(v)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	if err := h.scan(); err != nil {
		return nil, err
	}
	for _, f := range h.findings {
		text, ok := h.describe(f)
		o := h.was.Waiting[strconv.Quote(f.name)]
		if err := h.closed(f); o == (baseline.Obstacle{}) && err != nil {
			o = h.obstacle(f, err)
		}
		if f.kind == leftMove && len(h.was.Waiting) > 0 {
			if o != (baseline.Obstacle{}) {
				h.now.Wait("", o)
			}
			maps.Copy(h.now.Waiting, h.was.Waiting)
		} else if o != (baseline.Obstacle{}) {
			h.now.Wait(f.name, o)
		} else if ok {
			list = append(list, Defect{Name: f.name, Text: text, Own: f.kind == ownVersion})
		}
	}
	for _, quoted := range slices.Sorted(maps.Keys(h.now.Waiting)) {
		name, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, err
		}
		o := h.now.Waiting[quoted]
		own := slices.ContainsFunc(h.findings, func(f finding) bool { return f.kind == leftMove || f.name == name && f.kind == ownVersion })
		list = append(list, Defect{name, "waits to be shared: " + o.Reason, o.Do, true, own})
	}
	return list, nil
}

// closed returns why nothing can be repaired in a directory that this repair changes: it cannot be written, or its disk is full.
func (h *home) closed(f finding) error {
	dirs := []disk.Dir{h.sandbox}
	if slices.Contains([]findingKind{missingShared, movedLink, ownVersion}, f.kind) {
		dirs = append(dirs, h.shared)
	}
	for _, d := range dirs {
		err := unix.Faccessat(d.Fd(), ".", unix.W_OK, unix.AT_EACCESS)
		var st unix.Statfs_t
		if err == nil && unix.Fstatfs(d.Fd(), &st) == nil && st.Blocks > 0 && st.Bavail == 0 {
			err = unix.ENOSPC
		}
		if err != nil {
			return d.Err("write", "", err)
		}
	}
	return nil
}

// describe returns what is wrong with an entry. It returns false for what is nothing to tell of: what every start makes again, and a link
// whose shared entry was removed.
func (h *home) describe(f finding) (string, bool) {
	if f.kind == wrongLink {
		target, err := h.sandbox.Readlink(f.name)
		there, err2 := h.shared.Stat(f.name)
		if err == nil && err2 == nil && target == filepath.Join(h.shared.Path, f.name) && !there.Exists() {
			return "", false
		}
	}
	switch f.kind {
	case leftMove:
		return "an interrupted run has work left", true
	case movedLink:
		return "is a link that a program renamed or copied", true
	case wrongLink:
		return "is a link that points to the wrong place", true
	case ownVersion:
		if there, err := h.shared.Stat(f.name); err == nil && there.Exists() {
			return "is this account's own version of a shared entry", true
		}
		return "waits to be shared", true
	case stillPaired:
		return "is private, but still the same file as the shared one", true
	}
	return "", false
}

//go:build unix

package projection

import (
	"errors"

	"swop/config"
	"swop/manager/account"
	"swop/manager/stamp"
	"swop/manager/store"
)

// Defect is an entry of a sandbox that is not as it should be.
type Defect struct {
	View string // "codex" for the codex home, "home" for HOME
	Name string
	Text string // what is wrong with it
}

// Examine returns what the next reconcile of the account would repair, and what it cannot repair. It writes nothing.
func Examine(s store.Store, a account.Account, root account.Root, settings config.Settings) ([]Defect, error) {
	if err := root.Check(); err != nil {
		return nil, err
	}
	r := &reconciler{Subject: stamp.Subject{Layout: s.Layout, Root: root, Account: a}, next: emptyBaseline(), last: readBaseline(a)}
	var err error
	if r.recorded, err = readPinned(a); err != nil {
		return nil, err
	}
	isolation, private := settings.For(a.Key)
	if err := r.setViews(isolation, private); err != nil {
		return nil, err
	}
	var list []Defect
	for _, v := range r.views {
		found, err := r.examine(v)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

func (r *reconciler) examine(v view) (list []Defect, err error) {
	p, done, err := r.open(v)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	found, err := p.scan()
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		text, ok := p.describe(f)
		if ok {
			list = append(list, Defect{v.name, f.name, text})
		}
	}
	return list, nil
}

// describe returns what is wrong with an entry. It returns false for what every start of codex repairs by itself.
func (p *projection) describe(f finding) (string, bool) {
	switch f.kind {
	case leftTemp, leftTempInShared, leftCopy:
		return "was left by an interrupted run", true
	case renamedLink:
		return "is a link that a program renamed", true
	case wrongLink:
		return "is a link that points to the wrong place", true
	case ownVersion:
		if there, err := p.shared.Stat(f.name); err == nil && there.Exists() {
			return "is this account's own version of a shared entry", true
		}
		return "waits to be shared", true
	case unpairedFile:
		return "", false
	case stillPaired:
		return "is private, but still the same file as the shared one", true
	}
	return "", false
}

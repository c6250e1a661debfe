package oracle

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// run plays a sequence. Nothing that an account did is assumed to be shared while its sessions run: a step that touches a name which the
// other account has touched since it last rested waits until the sessions of that one are over and codex has started once more in it.
type run struct {
	*world
	sessions map[session]*pair
	accounts map[string]*activity
	excused  contents          // what may be lost: only plain sh has it, by a documented difference
	differs  map[string]string // paths that are not what plain sh left, and the documented difference
	resolved map[string]bool   // links that ln -sr made
	shared   map[string]bool   // the entries of the real home, when they were last looked at
	defects  []string
	kind     string // of the first defect: its format
}

type session struct {
	key string
	n   int
}

// activity is what the sessions of an account did since it last rested.
type activity struct {
	claims map[string]bool   // the entries that it touched
	moved  map[string]string // links that were found under another name, and the entries that they stand for
	gone   map[string]bool   // entries whose links were removed, or moved away
	apart  map[string]bool   // entries that were replaced by a directory, or a directory by something else
	stale  bool              // the other account has rested since codex started here
}

func newActivity() *activity {
	return &activity{claims: map[string]bool{}, moved: map[string]string{}, gone: map[string]bool{}, apart: map[string]bool{}}
}

func newRun(w *world) *run {
	r := &run{world: w, sessions: map[session]*pair{}, accounts: map[string]*activity{}, excused: contents{}, differs: map[string]string{}, resolved: map[string]bool{}}
	for _, key := range accounts {
		r.accounts[key] = newActivity()
	}
	return r
}

func (r *run) defect(format string, args ...any) {
	if r.kind == "" {
		r.kind = format
	}
	r.defects = append(r.defects, fmt.Sprintf(format, args...))
}

// play plays the sequence up to its first defect, or to its end.
func (r *run) play(list []event) error {
	for _, e := range list {
		if err := r.event(e); err != nil || len(r.defects) > 0 {
			return err
		}
	}
	for s := range r.sessions {
		if err := r.endSession(s); err != nil {
			return err
		}
	}
	for range 2 {
		if err := r.engine("", r.sync); err != nil || len(r.defects) > 0 {
			return err
		}
	}
	r.compare()
	return nil
}

func (r *run) event(e event) error {
	switch e.kind {
	case ended:
		return r.endSession(session{e.key, e.session})
	case started:
		return r.engine(e.key, func() error { return r.start(e.key) })
	case synced:
		return r.engine("", r.sync)
	}
	return r.step(e)
}

func (r *run) endSession(s session) error {
	p := r.sessions[s]
	delete(r.sessions, s)
	if p == nil {
		return nil
	}
	return r.end(p)
}

func (r *run) runs(key string) bool {
	for s := range r.sessions {
		if s.key == key {
			return true
		}
	}
	return false
}

// rest ends the account's sessions, and starts codex in it once more.
func (r *run) rest(key string) error {
	for s := range r.sessions {
		if s.key == key {
			if err := r.endSession(s); err != nil {
				return err
			}
		}
	}
	return r.engine(key, func() error { return r.start(key) })
}

// claim lets the other account rest if it has touched one of these entries. What an account made while this one's sessions run is seen here
// after the next start.
func (r *run) claim(key string, tops []string) error {
	for other, a := range r.accounts {
		if other != key && slices.ContainsFunc(tops, func(top string) bool { return a.claims[top] }) {
			if err := r.rest(other); err != nil {
				return err
			}
		}
	}
	if r.accounts[key].stale {
		if err := r.engine(key, func() error { return r.start(key) }); err != nil {
			return err
		}
	}
	for _, top := range tops {
		r.accounts[key].claims[top] = true
	}
	return nil
}

// withTargets returns the names, and those that they lead to in the plain home: who writes to a link touches both.
func (r *run) withTargets(names []string) []string {
	all := slices.Clone(names)
	for _, name := range names {
		if to, ok := strings.CutPrefix(r.leads(r.plain, name), "~/"); ok && to != name {
			all = append(all, to)
		}
	}
	return all
}

// step runs a step in its session and in the plain home.
func (r *run) step(e event) error {
	p, err := r.sessionOf(session{e.key, e.session})
	if err == nil {
		err = r.claim(e.key, topsOf(r.withTargets(e.step.names)))
	}
	if err != nil || len(r.defects) > 0 {
		return err
	}
	r.note("%s", e)
	before := r.lookAll()
	if e.during != "" {
		other := r.command(e.during, "codex", "true")
		done := make(chan error, 1)
		go func() { done <- r.wait(other) }()
		err = errors.Join(p.do(e.step.code), <-done)
	} else {
		err = p.do(e.step.code)
	}
	if err != nil {
		return err
	}
	r.afterStep(e, before[e.key])
	for _, key := range accounts {
		if key != e.key && e.during != "" {
			r.unmoved(key, before[key]) // a start looks at both accounts
		}
	}
	r.safe()
	return nil
}

// lookAll is what [run.look] returns, by the accounts' keys.
func (r *run) lookAll() map[string]*sight {
	all := map[string]*sight{}
	for _, key := range accounts {
		all[key] = r.look(key)
	}
	return all
}

// sessionOf opens the session if it is not open. That is a start of codex, too.
func (r *run) sessionOf(s session) (*pair, error) {
	if p := r.sessions[s]; p != nil {
		return p, nil
	}
	var p *pair
	err := r.engine(s.key, func() (err error) {
		p, err = r.open(s.key)
		return err
	})
	if p != nil {
		r.sessions[s] = p
	}
	return p, err
}

// engine lets swop act, and checks that no session sees anything else than before, and that nothing is lost.
func (r *run) engine(key string, act func() error) error {
	before := r.lookAll()
	if err := act(); err != nil {
		return err
	}
	if key != "" {
		r.accounts[key].stale = false
	}
	for _, k := range accounts {
		r.unmoved(k, before[k])
		if !r.runs(k) && (key == "" || key == k) {
			r.rested(k)
		}
	}
	r.unlost(false)
	r.safe()
	return nil
}

// rested forgets what an account did before it rested. Links that were moved in a way that is no renaming stay in the place of what they
// stand for, which stays where it was.
func (r *run) rested(key string) {
	a := r.accounts[key]
	for name, target := range a.moved {
		if noRenaming(a, name) {
			r.differs[name], r.differs[target] = "links that were moved, and no renaming", "links that were moved, and no renaming"
		}
	}
	for top := range a.apart {
		r.differs[top] = "a directory that replaced its link"
	}
	for top := range a.gone { // its link may come back later than this
		if valueAt(filepath.Join(r.plain, top)).text == "" && valueAt(filepath.Join(r.real, top)).text != "" {
			r.differs[top] = removed
		}
	}
	for top := range a.claims {
		if r.takenForCopy(top) {
			r.differs[top] = "a symbolic link that is like one of swop's is taken for a copy"
		}
	}
	r.accounts[key] = newActivity()
	for other, a := range r.accounts {
		a.stale = a.stale || other != key
	}
}

// noRenaming reports whether the links that vanished from the names of a home and those that appeared are not the same.
func noRenaming(a *activity, name string) bool {
	seen := map[string]bool{}
	for other, target := range a.moved {
		if inCodexHome(other) == inCodexHome(name) {
			if seen[target] || a.apart[target] {
				return true
			}
			seen[target] = true
		}
	}
	for top := range a.gone {
		if inCodexHome(top) == inCodexHome(name) {
			return true
		}
	}
	return false
}

func inCodexHome(path string) bool { return strings.HasPrefix(path, ".codex/") }

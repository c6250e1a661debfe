package desk

import (
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"
)

// Desk keeps what a session asks for, until the user answers, and what was given. It is a supervisor's.
type Desk struct {
	Giver Giver
	Now   func() time.Time
	Note  func(kind string, a Ask, why string)
	Asked func(Question) // called for each new question

	mu        sync.Mutex
	questions []*question
	listeners []net.Listener
	served    sync.WaitGroup
}

// Giver gives what the user allows.
type Giver interface {
	// Look returns a with its target as it is outside, and whether it has to be asked for. The error says why nothing gives it.
	Look(a Ask) (Ask, bool, error)
	// Give gives it, until undo is called.
	Give(id string, a Ask) (undo func() error, err error)
	// Keep remembers the answer for the sessions to come.
	Keep(a Ask, allow Allow) error
}

// The kinds of what is noted.
const (
	Requested = "request" // a program inside asked for something
	Grant     = "grant"   // the user gave it
	Denial    = "denial"  // he did not, or it is never given
	Revoked   = "revoke"  // what was given is not any more
)

// Allow says whether something is allowed.
type Allow bool

// The two answers.
const (
	Yes Allow = true
	No  Allow = false
)

// Question is a question or its answer, as codex swop approvals shows it.
type Question struct {
	ID string `json:"id"`
	Ask
	State string    `json:"state"` // pending, granted or denied
	How   string    `json:"how,omitempty"`
	Since time.Time `json:"since"`
	Until time.Time `json:"until,omitzero"` // of a grant for a time
}

// StatePending is the state of what was not answered; the others are [Granted] and [Denied].
const StatePending = "pending"

// How long a grant holds.
const (
	Once       = "once"    // while the command runs
	ForTime    = "for"     // a time
	ForSession = "session" // while the session runs
	Always     = "always"  // in this session and those to come
)

type question struct {
	Question
	waiting []chan Verdict
	undo    func() error
	users   int // commands that a grant for once holds for
	timer   *time.Timer
}

// The most that a session may have waiting, and have on record.
const (
	maxPending   = 50
	maxQuestions = 500
)

// ask answers a request, when the user has. done is called when who asked needs it no more; gone is closed when he went away before.
func (d *Desk) ask(a Ask, gone <-chan struct{}) (v Verdict, done func()) {
	done = func() {}
	a, needed, err := d.Giver.Look(a)
	switch {
	case err != nil:
		d.Note(Denial, a, err.Error())
		return a.verdict(Forbidden, err.Error()), done
	case !needed:
		return a.verdict(Granted, "this session has it already"), done
	}
	e, answer, v := d.enter(a)
	if e == nil {
		return v, done
	}
	timer := time.NewTimer(a.timeout())
	defer timer.Stop()
	select {
	case v = <-answer:
	case <-timer.C:
		v = d.leave(e, answer, a.verdict(Unanswered, "nobody answered in time; ask the user, and then again"))
	case <-gone:
		v = d.leave(e, answer, a.verdict(Unanswered, ""))
	}
	if v.Verdict == Granted {
		done = func() { d.release(e) }
	}
	return v, done
}

// enter puts a request among those that wait, or answers it at once.
func (d *Desk) enter(a Ask) (e *question, answer chan Verdict, v Verdict) {
	d.mu.Lock()
	defer d.mu.Unlock()
	pending := 0
	for _, e := range d.questions {
		if e.State == StatePending {
			pending++
		}
		if e.what() != a.what() {
			continue
		}
		switch {
		case e.State == Denied:
			return nil, nil, e.verdictFor(Denied, "the user has denied it in this session; do not ask again")
		case e.State == Granted && e.How != Once:
			return nil, nil, e.verdictFor(Granted, "")
		case e.State == StatePending:
			answer = make(chan Verdict, 1)
			e.waiting = append(e.waiting, answer)
			return e, answer, v
		}
	}
	if pending >= maxPending || len(d.questions) >= maxQuestions {
		return nil, nil, a.verdict(Denied, "this session has asked for too much already")
	}
	answer = make(chan Verdict, 1)
	e = &question{Question: Question{ID: newID(), Ask: a, State: StatePending, Since: d.Now().UTC()}, waiting: []chan Verdict{answer}}
	d.questions = append(d.questions, e)
	d.Note(Requested, a, a.Reason)
	go d.Asked(e.Question)
	return e, answer, v
}

// newID returns a short word that is not in use, as far as anybody can tell.
func newID() string {
	var b [5]byte
	_, _ = rand.Read(b[:]) // never fails
	return strings.ToLower(base32.StdEncoding.EncodeToString(b[:]))[:6]
}

// leave removes one who waits, unless the answer is there. A question that nobody waits for is gone.
func (d *Desk) leave(e *question, answer chan Verdict, otherwise Verdict) Verdict {
	d.mu.Lock()
	defer d.mu.Unlock()
	select {
	case v := <-answer:
		return v
	default:
	}
	e.waiting = slices.DeleteFunc(e.waiting, func(c chan Verdict) bool { return c == answer })
	if len(e.waiting) == 0 && e.State == StatePending {
		d.drop(e)
	}
	otherwise.ID = e.ID
	return otherwise
}

func (d *Desk) drop(e *question) {
	d.questions = slices.DeleteFunc(d.questions, func(of *question) bool { return of == e })
}

// release says that a command has ended for which something was given.
func (d *Desk) release(e *question) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e.How != Once {
		return
	}
	if e.users--; e.users == 0 && e.State == Granted {
		_ = d.end(e, "its command has ended") // said in the log
	}
}

// end takes back what was given.
func (d *Desk) end(e *question, why string) error {
	if e.timer != nil {
		e.timer.Stop()
	}
	err := e.undo()
	d.Note(Revoked, e.Ask, errors.Join(errors.New(why), err).Error())
	d.drop(e)
	return err
}

// List returns all entries, the oldest first.
func (d *Desk) List() []Question {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := []Question{}
	for _, e := range d.questions {
		list = append(list, e.Question)
	}
	return list
}

// Decision is what the user says to a question, by its ID or its target.
type Decision struct {
	Of    string        `json:"of"`
	Allow Allow         `json:"allow"`
	How   string        `json:"how,omitempty"` // "" for once where a command waits, else the session
	For   time.Duration `json:"for,omitempty"`
}

// ErrNoQuestion says that nobody has asked for that.
var ErrNoQuestion = errors.New("no session asks for that, or has it")

// decide carries out what the user says, and returns the entries that it changed.
func (d *Desk) decide(of Decision) (changed []Question, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range slices.Clone(d.questions) {
		if e.ID != of.Of && e.Target != of.Of {
			continue
		}
		if of.Allow {
			err = d.allow(e, of)
		} else {
			err = d.deny(e, of.How)
		}
		if err != nil {
			return changed, err
		}
		changed = append(changed, e.Question)
	}
	if len(changed) == 0 {
		return nil, ErrNoQuestion
	}
	return changed, nil
}

// allow gives what an question is about.
func (d *Desk) allow(e *question, of Decision) error {
	how := of.How
	if how == "" {
		how = ForSession
		if e.State == StatePending && len(e.Command) > 0 {
			how = Once
		}
	}
	switch {
	case how == Once && (e.State != StatePending || len(e.Command) == 0):
		return fmt.Errorf("%s has no command that it could be given for once", e.ID)
	case e.State == Granted && how == Always:
		e.How = how
		return d.Giver.Keep(e.Ask, Yes)
	case e.State == Granted:
		return fmt.Errorf("%s is granted already", e.ID)
	}
	undo, err := d.Giver.Give(e.ID, e.Ask)
	if err == nil && how == Always {
		if err = d.Giver.Keep(e.Ask, Yes); err != nil {
			err = errors.Join(err, undo())
		}
	} else if errors.Is(err, ErrNotLive) {
		if how == Always {
			return d.later(e, err)
		}
		err = fmt.Errorf("%w; with --always it is given from the next start on", err)
	}
	if err != nil {
		return err
	}
	e.State, e.How, e.undo, e.Since = Granted, how, undo, d.Now().UTC()
	if how == ForTime {
		e.Until = e.Since.Add(of.For)
		e.timer = time.AfterFunc(of.For, func() { d.expire(e) })
	}
	d.Note(Grant, e.Ask, how)
	d.tell(e, e.verdictFor(Granted, ""))
	return nil
}

// later keeps what cannot be given to a session that runs.
func (d *Desk) later(e *question, err error) error {
	if kept := d.Giver.Keep(e.Ask, Yes); kept != nil {
		return kept
	}
	d.Note(Grant, e.Ask, "from the next start on: "+err.Error())
	d.tell(e, e.verdictFor(Denied, "it is granted from the next start on: end this session, and go on with codex resume"))
	d.drop(e)
	return nil
}

func (d *Desk) expire(e *question) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e.State == Granted && slices.Contains(d.questions, e) {
		_ = d.end(e, "its time is over") // said in the log
	}
}

// deny refuses what an question is about, or takes it back.
func (d *Desk) deny(e *question, how string) error {
	if how == Always || e.State == Granted && e.How == Always {
		if err := d.Giver.Keep(e.Ask, No); err != nil {
			return err
		}
	}
	var err error
	if e.State == Granted {
		err = e.undo()
		if e.timer != nil {
			e.timer.Stop()
		}
		d.Note(Revoked, e.Ask, "by the user")
	} else {
		d.Note(Denial, e.Ask, "by the user")
	}
	e.State, e.How, e.Until = Denied, how, time.Time{}
	d.tell(e, e.verdictFor(Denied, "the user has denied it; do not ask again"))
	return err
}

// tell answers those who wait.
func (d *Desk) tell(e *question, v Verdict) {
	for _, c := range e.waiting {
		c <- v
	}
	if e.users += len(e.waiting); v.Verdict != Granted {
		e.users = 0
	}
	e.waiting = nil
}

func (e *question) verdictFor(verdict, reason string) Verdict {
	v := e.verdict(verdict, reason)
	v.ID = e.ID
	return v
}

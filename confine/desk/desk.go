package desk

import (
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"swop/session/socket"
)

// Desk keeps what a session asks for, until the user answers, and what was given. It is a supervisor's.
type Desk struct {
	Giver Giver
	Now   func() time.Time
	Note  func(kind string, a Ask, why string)
	Asked func(Question) // called for each new question

	socket.Server

	mu        sync.Mutex
	questions []*question
}

// Giver gives what the user allows.
type Giver interface {
	// Look returns a with its target as it is outside, and whether it has to be asked for. The error says why nothing gives it.
	Look(a Ask) (Ask, bool, error)
	// Give gives it, until undo is called.
	Give(id string, a Ask) (undo func() error, err error)
	// Keep remembers what was answered to an [Ask] for the sessions to come.
	Keep(Answer) error
}

// The kinds of what is noted.
const (
	Requested = "request" // a program inside asked for something
	Grant     = "grant"   // the user gave it
	Denial    = "denial"  // the user refused it, or it is never given
	Revoked   = "revoke"  // a grant ended
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
	answered chan struct{} // closed by the first answer
	programs int           // that wait for it, or have what was given
	undo     func() error
}

// The most that a session may have waiting, and have on record.
const (
	maxPending   = 50
	maxQuestions = 500
)

// ask answers a request once the user has. The caller calls done when the program needs the grant no more, and closes gone if the program ends
// before.
func (d *Desk) ask(a Ask, gone <-chan struct{}) (v Verdict, done func()) {
	a, needed, err := d.Giver.Look(a)
	switch {
	case err != nil:
		d.Note(Denial, a, err.Error())
		return Question{Ask: a}.verdict(Forbidden, err.Error()), func() {}
	case !needed:
		return Question{Ask: a}.verdict(Granted, "this session has it already"), func() {}
	}
	q, v := d.enter(a)
	if q == nil {
		return v, func() {}
	}
	timer := time.NewTimer(a.timeout())
	defer timer.Stop()
	select {
	case <-q.answered:
	case <-timer.C:
	case <-gone:
	}
	return d.answer(q)
}

// enter lets a program wait for the answer to a request, or answers that at once.
func (d *Desk) enter(a Ask) (q *question, v Verdict) {
	d.mu.Lock()
	defer d.mu.Unlock()
	pending := 0
	for _, q := range d.questions {
		if q.State == StatePending {
			pending++
		}
		if q.what() != a.what() {
			continue
		}
		switch {
		case q.State == Denied:
			return nil, q.verdict(Denied, "the user has denied it in this session; do not ask again")
		case q.State == Granted && q.How != Once:
			return nil, q.verdict(Granted, "")
		case q.State == StatePending:
			q.programs++
			return q, v
		}
	}
	if pending >= maxPending || len(d.questions) >= maxQuestions {
		return nil, Question{Ask: a}.verdict(Denied, "this session has asked for too much already")
	}
	q = &question{Question: Question{ID: newID(), Ask: a, State: StatePending, Since: d.Now().UTC()}, answered: make(chan struct{}), programs: 1}
	d.questions = append(d.questions, q)
	d.Note(Requested, a, a.Reason)
	go d.Asked(q.Question)
	return q, v
}

// newID returns a short word that is not in use, as far as anybody can tell.
func newID() string { return strings.ToLower(rand.Text()[:6]) }

// answer returns what a program is told that waits no longer, and what it calls when it needs no grant more.
func (d *Desk) answer(q *question) (v Verdict, done func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch q.State {
	case Granted:
		return q.verdict(Granted, ""), func() {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.leave(q)
		}
	case Denied:
		v = q.verdict(Denied, "the user has denied it; do not ask again")
	default:
		v = q.verdict(Unanswered, "nobody answered in time; ask the user, and then again")
	}
	d.leave(q)
	return v, func() {}
}

// leave lets a program go. A question is dropped with the last one that waits, and a grant for once ends with the last one that has it.
func (d *Desk) leave(q *question) {
	q.programs--
	switch {
	case q.programs > 0:
	case q.State == StatePending:
		d.drop(q)
	case q.State == Granted && q.How == Once:
		d.end(q, "its command has ended")
	}
}

// end takes back what was given. The log has what goes wrong with that.
func (d *Desk) end(q *question, why string) {
	err := q.undo()
	d.Note(Revoked, q.Ask, errors.Join(errors.New(why), err).Error())
	d.drop(q)
}

func (d *Desk) drop(q *question) {
	d.questions = slices.DeleteFunc(d.questions, func(of *question) bool { return of == q })
}

// List returns all entries, the oldest first.
func (d *Desk) List() []Question {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := []Question{}
	for _, q := range d.questions {
		list = append(list, q.Question)
	}
	return list
}

func (q Question) verdict(verdict, reason string) Verdict {
	return Verdict{verdict, q.Kind, q.Target, q.Rule, q.ID, reason}
}

// Deny refuses what an answer of before denies, unasked.
func (d *Desk) Deny(a Answer) {
	d.questions = append(d.questions, &question{Question: Question{ID: newID(), Ask: a.Ask, State: Denied, How: Always}})
}

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

// ask answers a request once the user has. The caller calls done when the program needs the grant no more, and closes gone if the program ends
// before.
func (d *Desk) ask(a Ask, gone <-chan struct{}) (v Verdict, done func()) {
	done = func() {}
	a, needed, err := d.Giver.Look(a)
	switch {
	case err != nil:
		d.Note(Denial, a, err.Error())
		return unasked(a).verdict(Forbidden, err.Error()), done
	case !needed:
		return unasked(a).verdict(Granted, "this session has it already"), done
	}
	q, answer, v := d.enter(a)
	if q == nil {
		return v, done
	}
	timer := time.NewTimer(a.timeout())
	defer timer.Stop()
	select {
	case v = <-answer:
	case <-timer.C:
		v = d.leave(q, answer, "nobody answered in time; ask the user, and then again")
	case <-gone:
		v = d.leave(q, answer, "")
	}
	if v.Verdict == Granted {
		done = func() { d.release(q) }
	}
	return v, done
}

// enter puts a request among those that wait, or answers it at once.
func (d *Desk) enter(a Ask) (q *question, answer chan Verdict, v Verdict) {
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
			return nil, nil, q.verdict(Denied, "the user has denied it in this session; do not ask again")
		case q.State == Granted && q.How != Once:
			return nil, nil, q.verdict(Granted, "")
		case q.State == StatePending:
			answer = make(chan Verdict, 1)
			q.waiting = append(q.waiting, answer)
			return q, answer, v
		}
	}
	if pending >= maxPending || len(d.questions) >= maxQuestions {
		return nil, nil, unasked(a).verdict(Denied, "this session has asked for too much already")
	}
	answer = make(chan Verdict, 1)
	q = &question{Question: Question{ID: newID(), Ask: a, State: StatePending, Since: d.Now().UTC()}, waiting: []chan Verdict{answer}}
	d.questions = append(d.questions, q)
	d.Note(Requested, a, a.Reason)
	go d.Asked(q.Question)
	return q, answer, v
}

// newID returns a short word that is not in use, as far as anybody can tell.
func newID() string { return strings.ToLower(rand.Text()[:6]) }

// leave removes one who waits, unless the answer is there. A question that nobody waits for is gone.
func (d *Desk) leave(q *question, answer chan Verdict, why string) Verdict {
	d.mu.Lock()
	defer d.mu.Unlock()
	select {
	case v := <-answer:
		return v
	default:
	}
	q.waiting = slices.DeleteFunc(q.waiting, func(c chan Verdict) bool { return c == answer })
	if len(q.waiting) == 0 && q.State == StatePending {
		d.drop(q)
	}
	return q.verdict(Unanswered, why)
}

func (d *Desk) drop(q *question) {
	d.questions = slices.DeleteFunc(d.questions, func(of *question) bool { return of == q })
}

// release says that a command has ended for which something was given.
func (d *Desk) release(q *question) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if q.How != Once {
		return
	}
	if q.users--; q.users == 0 && q.State == Granted {
		d.end(q, "its command has ended")
	}
}

// end takes back what was given. The log has what goes wrong with that.
func (d *Desk) end(q *question, why string) {
	q.stopTimer()
	err := q.undo()
	d.Note(Revoked, q.Ask, errors.Join(errors.New(why), err).Error())
	d.drop(q)
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

// unasked is a request that nobody is asked about: it has no ID.
func unasked(a Ask) Question { return Question{Ask: a} }

func (q Question) verdict(verdict, reason string) Verdict {
	return Verdict{verdict, q.Kind, q.Target, q.Rule, q.ID, reason}
}

// Deny refuses what an answer of before denies, unasked.
func (d *Desk) Deny(a Answer) {
	d.questions = append(d.questions, &question{Question: Question{ID: newID(), Ask: a.Ask, State: Denied, How: Always}})
}

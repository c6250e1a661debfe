// Package desk keeps what the programs of a confined session ask for beyond its policy, what the user answers, and the answers that hold
// for sessions to come; and the log of confinement. Package confine gives what is allowed.
package desk

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"swop/internal/session/socket"
)

// RuntimeDir is where a confined session finds what it needs to know of itself, and whom to ask.
const RuntimeDir = "/run/swop"

// Desk keeps what a session asks for, until the user answers, and what was given. It is a supervisor's.
type Desk struct {
	Giver Giver
	Now   func() time.Time
	Note  func(kind string, a Ask, why string)
	Asked func(Question) // called for each new question
	// Session is the ID by which codex goes on with the session, for which its grants are kept: the first question that names one decides
	// where it is not known.
	Session string

	sockets socket.Server

	mu        sync.Mutex
	questions []*question
	asked     []time.Time // when questions were put
}

// Giver gives what the user allows.
type Giver interface {
	// Look returns a with its target as it is outside, and whether it has to be asked for. The error says why nothing gives it.
	Look(a Ask) (Ask, bool, error)
	// Remember stores a grant, or with given false removes it: for the session that a names, or for the workspace.
	Remember(a Answer, given bool) error
	// Run runs a program with what was given, beside the session. By conn it is told how the program does, and gets signals by their numbers.
	Run(r Request, conn *net.UnixConn, streams []int) error
}

type question struct {
	Question
	answered chan struct{} // closed by the answer
}

// mostAsked is how often a session may ask in an hour, what it withdrew counted.
const mostAsked = 20

// ask answers a request once the user has. gone is closed if the program ends before.
func (d *Desk) ask(r Request, gone <-chan struct{}) Question {
	a, needed, err := d.Giver.Look(r.Ask)
	switch {
	case err != nil:
		d.Note(Denial, a, err.Error())
		return Question{Ask: a, State: Forbidden, Why: err.Error()}
	case !needed:
		return Question{Ask: a, State: Granted, Why: "this session has it already"}
	}
	q, known := d.enter(a, r.Session)
	if q == nil {
		return known
	}
	timer := time.NewTimer(r.Timeout)
	defer timer.Stop()
	select {
	case <-q.answered:
	case <-timer.C:
	case <-gone:
	}
	return d.answer(q)
}

// enter lets a program wait for the answer to a request, or returns one that is known.
func (d *Desk) enter(a Ask, session string) (q *question, known Question) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, q := range d.questions {
		if q.is(a) && (q.State == Denied || q.State == Granted && q.How != Once) {
			return nil, q.Question
		}
	}
	now := d.Now()
	d.asked = slices.DeleteFunc(d.asked, func(at time.Time) bool { return now.Sub(at) > time.Hour })
	if len(d.asked) >= mostAsked {
		return nil, Question{Ask: a, State: Denied, Why: fmt.Sprintf("this session has asked %d questions in an hour already", mostAsked)}
	}
	d.asked, d.Session = append(d.asked, now), cmp.Or(d.Session, session)
	q = &question{answered: make(chan struct{})}
	q.Question = Question{ID: strings.ToLower(rand.Text()[:6]), Ask: a, State: Pending, Session: d.Session}
	d.questions = append(d.questions, q)
	d.Note(Requested, a, a.Reason)
	go d.Asked(q.Question)
	return q, known
}

// Hosts returns those that the session was given.
func (d *Desk) Hosts() (list []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, q := range d.questions {
		if q.Kind == KindConnect && q.State == Granted {
			list = append(list, q.Target)
		}
	}
	return list
}

// answer returns what a program is told that waits no longer. A question that was not answered, and a grant for once, are dropped.
func (d *Desk) answer(q *question) Question {
	d.mu.Lock()
	defer d.mu.Unlock()
	if q.State == Pending || q.How == Once {
		d.questions = slices.DeleteFunc(d.questions, func(of *question) bool { return of == q })
	}
	if q.State == Pending {
		q.State, q.Why = Unanswered, "nobody answered in time; ask the user, and then again"
	}
	return q.Question
}

// Answer is a grant for sessions of an account in a workspace, from the next start on too.
type Answer struct {
	Account   string `json:"account,omitempty"` // its key, for a list of several accounts
	Workspace string `json:"workspace"`
	Session   string `json:"session,omitempty"` // of codex; "" for all
	Ask
}

// Decision is what the user says to a question, by its ID.
type Decision struct {
	Of    string `json:"of"`
	Allow bool   `json:"allow"`
	How   string `json:"how,omitempty"` // of what is allowed: "" for once where a command waits, else the session
}

// decide carries out what the user says, and returns the entry that it changed, if there is one; all where it names none.
func (d *Desk) decide(of Decision) (list []Question, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	list = []Question{}
	for _, q := range d.questions {
		switch {
		case of.Of == "":
		case q.ID != of.Of:
			continue
		case of.Allow:
			err = d.allow(q, of.How)
		default:
			err = d.deny(q)
		}
		list = append(list, q.Question)
	}
	return list, err
}

// allow gives what a question is about.
func (d *Desk) allow(q *question, how string) error {
	if how == "" {
		how = ForSession
		if q.RunsBeside() {
			how = Once
		}
	}
	switch {
	case q.State == Granted:
		return fmt.Errorf("%s is granted already", q.ID)
	case how == Once && (q.State != Pending || !q.RunsBeside()):
		return fmt.Errorf("no command waits for %s: use --session or --always", q.ID)
	}
	if err := d.remember(q, how, true); err != nil {
		return err
	}
	d.Note(Grant, q.Ask, how)
	q.end(Granted, "")
	q.How = how
	return nil
}

// remember stores a grant for later sessions, or removes it. A grant for a session that codex has not named ends with the desk.
func (d *Desk) remember(q *question, how string, given bool) error {
	a := Answer{Ask: Ask{Kind: q.Kind, Target: q.Target}}
	if how == ForSession {
		a.Session = q.Session
	}
	if how == Once || how == ForSession && q.Session == "" {
		return nil
	}
	return d.Giver.Remember(a, given)
}

// deny refuses a question, or withdraws its grant. Running commands keep the grant.
func (d *Desk) deny(q *question) (err error) {
	kind := Denial
	if q.State == Granted {
		kind, err = Revoked, d.remember(q, q.How, false)
	}
	d.Note(kind, q.Ask, "by the user")
	q.end(Denied, "the user has denied it; do not ask again")
	q.How = ""
	return err
}

// end sets the answer, and wakes the asker, who sees the answer once the desk is free.
func (q *question) end(state, why string) {
	if q.State == Pending {
		close(q.answered)
	}
	q.State, q.Why = state, why
}

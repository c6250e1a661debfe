// Package desk keeps the requests of a confined session's programs for more than the policy gives, the user's answers, also those that hold
// for later sessions, and the log of confinement. Package confine carries the grants out.
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

// RuntimeDir has, in a confined session, the file that describes the session, and the sockets by which programs ask.
const RuntimeDir = "/run/swop"

// Desk keeps a session's questions until the user answers, and its grants. A supervisor has one.
type Desk struct {
	Now   func() time.Time
	Note  func(kind string, a Ask, why string)
	Asked func(Question) // called for each new question
	// Look returns a with the target's path outside, and whether the user has to be asked. The error says why no answer can give the target.
	Look func(a Ask) (Ask, bool, error)
	// Grant carries out a grant, or with given false withdraws it. One that lasts is for the session that a names, or for the workspace.
	Grant func(a Answer, lasts, given bool) error
	// Run runs a program with a grant beside the session. Its helper reports by conn, and gets signals by their numbers.
	Run func(r Request, conn *net.UnixConn, streams []int) error
	// Session is the ID by which codex goes on with the session, for which grants are kept; "" until the first question that names an ID.
	Session string

	Sockets socket.Server // when they close, commands that run beside the session end

	mu        sync.Mutex
	questions []*question
	asked     []time.Time // when questions were put
}

type question struct {
	Question
	answered chan struct{} // closed by the answer
}

// mostAsked bounds a session's questions in an hour, withdrawn ones counted.
const mostAsked = 20

// ask answers a request once the user has. gone is closed if the program ends before.
func (d *Desk) ask(r Request, gone <-chan struct{}) Question {
	a, needed, err := d.Look(r.Ask)
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
	select {
	case <-q.answered:
	case <-time.After(r.Timeout):
	case <-gone:
	}
	return d.answer(q)
}

// enter returns a question for a program to wait for, or the answer that is known.
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

// Hosts returns the granted hosts.
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

// answer returns the answer for a program that waits no longer. A question without an answer, and a grant for once, are dropped.
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
	Account   string `json:"account,omitempty"` // the key, in a list of several accounts
	Workspace string `json:"workspace"`
	Session   string `json:"session,omitempty"` // of codex; "" for all
	Ask
}

// Decision is the user's answer to a question, by its ID.
type Decision struct {
	Of    string `json:"of"`
	Allow bool   `json:"allow"`
	How   string `json:"how,omitempty"` // of a grant: "" for once where a command waits, else for the session
}

// decide carries out a decision, and returns the changed question, if there is one; all questions where the decision names none.
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

// allow grants a question's request.
func (d *Desk) allow(q *question, how string) error {
	if how == "" {
		how = ForSession
		if q.RunsBeside() {
			how = Once
		}
	}
	switch {
	case q.State != Pending: // the session knows the ID of what was answered
		return fmt.Errorf("%s is %s already", q.ID, q.State)
	case how == Once && !q.RunsBeside():
		return fmt.Errorf("no command waits for %s: use --session or --always", q.ID)
	}
	if err := d.grant(q, how, true); err != nil {
		return err
	}
	d.Note(Grant, q.Ask, how)
	q.end(Granted, "")
	q.How = how
	return nil
}

// grant carries out a grant, or withdraws it. One for a session that codex has not named ends with the desk.
func (d *Desk) grant(q *question, how string, given bool) error {
	a := Answer{Ask: Ask{Kind: q.Kind, Target: q.Target}}
	if how == ForSession {
		a.Session = q.Session
	}
	return d.Grant(a, how == Always || a.Session != "", given)
}

// deny refuses a question, or withdraws its grant. Running commands keep the grant.
func (d *Desk) deny(q *question) (err error) {
	kind := Denial
	if q.State == Granted {
		kind, err = Revoked, d.grant(q, q.How, false)
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

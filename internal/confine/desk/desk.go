package desk

import (
	"crypto/rand"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"swop/internal/session/socket"
)

// Desk keeps what a session asks for, until the user answers, and what was given. It is a supervisor's.
type Desk struct {
	Giver Giver
	Now   func() time.Time
	Note  func(kind string, a Ask, why string)
	Asked func(Question) // called for each new question

	asks     net.Listener
	controls socket.Server

	mu        sync.Mutex
	questions []*question
	asked     []time.Time // when questions were put
}

// Giver gives what the user allows.
type Giver interface {
	// Look returns a with its target as it is outside, and whether it has to be asked for. The error says why nothing gives it.
	Look(a Ask) (Ask, bool, error)
	// Give gives it, until undo is called: nil for what only commands have that run beside the session.
	Give(a Ask) (undo func(), err error)
	// Keep remembers what was given, or forgets it: for the session called so, or for all of the workspace.
	Keep(a Answer, given bool) error
	// Run runs a program with what was given, beside the session. By conn it is told how the program does, and gets signals by their numbers.
	Run(r Request, conn *net.UnixConn, streams []int) error
}

// The kinds of what is noted.
const (
	Requested = "request" // a program inside asked for something
	Grant     = "grant"   // the user gave it
	Denial    = "denial"  // the user refused it, or it is never given
	Revoked   = "revoke"  // a grant ended
)

// Question is a question or its answer, as codex swop allow shows it.
type Question struct {
	ID string `json:"id"`
	Ask
	State string    `json:"state"` // pending, granted or denied
	How   string    `json:"how,omitempty"`
	Since time.Time `json:"since"`
}

// StatePending is the state of what was not answered; the others are [Granted] and [Denied].
const StatePending = "pending"

// How long a grant holds.
const (
	Once       = "once"    // while the command runs
	ForSession = "session" // in this session, and where codex goes on with it
	Always     = "always"  // in this session and those to come
)

type question struct {
	Question
	session  string        // of codex
	answered chan struct{} // closed by the answer
	undo     func()
}

// The most that a session may ask in an hour, what it withdrew counted, and have on record.
const (
	mostAsked    = 20
	maxQuestions = 500
)

// ask answers a request once the user has. gone is closed if the program ends before.
func (d *Desk) ask(r Request, gone <-chan struct{}) (v Verdict) {
	a, needed, err := d.Giver.Look(r.Ask)
	switch {
	case err != nil:
		d.Note(Denial, a, err.Error())
		return Question{Ask: a}.verdict(Forbidden, err.Error())
	case !needed:
		return Question{Ask: a}.verdict(Granted, "this session has it already")
	}
	q, v := d.enter(a, r.Session)
	if q == nil {
		return v
	}
	timer := time.NewTimer(time.Duration(r.Timeout * float64(time.Second)))
	defer timer.Stop()
	select {
	case <-q.answered:
	case <-timer.C:
	case <-gone:
	}
	return d.answer(q)
}

// enter lets a program wait for the answer to a request, or answers that at once.
func (d *Desk) enter(a Ask, session string) (q *question, v Verdict) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, q := range d.questions {
		switch {
		case !q.is(a):
		case q.State == Denied:
			return nil, q.verdict(Denied, "the user has denied it in this session; do not ask again")
		case q.State == Granted && q.How != Once:
			return nil, q.verdict(Granted, "")
		}
	}
	now := d.Now()
	d.asked = slices.DeleteFunc(d.asked, func(at time.Time) bool { return now.Sub(at) > time.Hour })
	if len(d.asked) >= mostAsked || len(d.questions) >= maxQuestions {
		return nil, Question{Ask: a}.verdict(Denied, fmt.Sprintf("this session has asked %d questions in an hour already", mostAsked))
	}
	d.asked = append(d.asked, now)
	q = &question{
		Question: Question{ID: newID(), Ask: a, State: StatePending, Since: now.UTC()}, session: session,
		answered: make(chan struct{}),
	}
	d.questions = append(d.questions, q)
	d.Note(Requested, a, a.Reason)
	go d.Asked(q.Question)
	return q, v
}

// newID returns a short word that is not in use, as far as anybody can tell.
func newID() string { return strings.ToLower(rand.Text()[:6]) }

// answer returns what a program is told that waits no longer. A question that was not answered, and a grant for once, are dropped.
func (d *Desk) answer(q *question) Verdict {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case q.State == Granted && q.How == Once:
		d.drop(q)
		return q.verdict(Granted, "")
	case q.State == Granted:
		return q.verdict(Granted, "")
	case q.State == Denied:
		return q.verdict(Denied, "the user has denied it; do not ask again")
	}
	d.drop(q)
	return q.verdict(Unanswered, "nobody answered in time; ask the user, and then again")
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
	return Verdict{Verdict: verdict, Kind: q.Kind, Target: q.Target, ID: q.ID, Reason: reason}
}

// Answer is a grant for sessions of an account in a workspace, from the next start on too.
type Answer struct {
	Account   string `toml:"-" json:"account"` // its key
	Workspace string `toml:"workspace" json:"workspace"`
	Session   string `toml:"session,omitempty" json:"session,omitempty"` // of codex; "" for all
	Ask
}

// Decision is what the user says to a question, by its ID.
type Decision struct {
	Of    string `json:"of"`
	Allow bool   `json:"allow"`
	How   string `json:"how,omitempty"` // of what is allowed: "" for once where a command waits, else the session
}

// decide carries out what the user says, and returns the entry that it changed, if there is one.
func (d *Desk) decide(of Decision) (changed []Question, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, q := range d.questions {
		if q.ID != of.Of {
			continue
		}
		if of.Allow {
			err = d.allow(q, of.How)
		} else {
			err = d.deny(q)
		}
		return []Question{q.Question}, err
	}
	return nil, nil
}

// allow gives what a question is about.
func (d *Desk) allow(q *question, how string) (err error) {
	if how == "" {
		how = ForSession
		if len(q.Command) > 0 {
			how = Once
		}
	}
	switch {
	case how == Once && (q.State != StatePending || len(q.Command) == 0):
		return fmt.Errorf("no command waits for %s: use --session or --always", q.ID)
	case q.State == Granted && how != Always:
		return fmt.Errorf("%s is granted already", q.ID)
	}
	if q.State != Granted {
		if q.undo, err = d.Giver.Give(q.Ask); err != nil {
			return err
		}
	}
	was := q.How
	q.How = how
	if err := d.keep(q, true); err != nil {
		if q.How = was; q.undo != nil {
			q.undo()
		}
		return err
	}
	q.tell()
	q.State, q.Since = Granted, d.Now().UTC()
	d.Note(Grant, q.Ask, how)
	return nil
}

// keep remembers a grant for later, or forgets it. One for a session that codex has not named holds as long as the desk has it.
func (d *Desk) keep(q *question, given bool) error {
	switch {
	case q.How == Always:
		return d.Giver.Keep(Answer{Ask: q.Ask}, given)
	case q.How == ForSession && q.session != "":
		return d.Giver.Keep(Answer{Ask: q.Ask, Session: q.session}, given)
	}
	return nil
}

// deny refuses what a question is about, or takes it back. Commands that have it go on.
func (d *Desk) deny(q *question) (err error) {
	kind := Denial
	if q.State == Granted {
		kind, err = Revoked, d.keep(q, false)
	}
	if q.undo != nil {
		q.undo()
	}
	d.Note(kind, q.Ask, "by the user")
	q.tell()
	q.State, q.How, q.undo = Denied, "", nil
	return err
}

// tell lets the one go on who waits for the answer, and sees it once the desk is free.
func (q *question) tell() {
	if q.State == StatePending {
		close(q.answered)
	}
}

package desk

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Answer is one that holds for all sessions of an account in a workspace, from the next start on too.
type Answer struct {
	Account   string `toml:"-" json:"account"` // its key
	Workspace string `toml:"workspace" json:"workspace"`
	Ask
	Allow bool `toml:"allow" json:"allow"`
}

// Decision is what the user says to a question, by its ID or its target.
type Decision struct {
	Of    string        `json:"of"`
	Allow bool          `json:"allow"`
	How   string        `json:"how,omitempty"` // "" for once where a command waits, else the session
	For   time.Duration `json:"for,omitempty"`
}

// decide carries out what the user says, and returns the entries that it changed.
func (d *Desk) decide(of Decision) (changed []Question, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := slices.DeleteFunc(slices.Clone(d.questions), func(q *question) bool { return q.ID != of.Of && q.Target != of.Of })
	pending := func(q *question) bool { return q.State == StatePending }
	for _, q := range list {
		if of.Allow {
			if !pending(q) && slices.ContainsFunc(list, pending) {
				continue // another command asks for the same
			}
			err = d.allow(q, of)
		} else {
			err = d.deny(q, of.How)
		}
		if err != nil {
			return changed, err
		}
		changed = append(changed, q.Question)
	}
	return changed, nil
}

// allow gives what a question is about.
func (d *Desk) allow(q *question, of Decision) error {
	how := of.How
	if how == "" {
		how = ForSession
		if q.State == StatePending && len(q.Command) > 0 {
			how = Once
		}
	}
	switch {
	case how == Once && (q.State != StatePending || len(q.Command) == 0):
		return fmt.Errorf("%s is not waiting for a command; use --session, --for or --always", q.ID)
	case q.State == Granted && how == Always:
		q.How, q.Until = how, time.Time{}
		return d.Giver.Keep(Answer{Ask: q.Ask, Allow: true})
	case q.State == Granted:
		return fmt.Errorf("%s is granted already", q.ID)
	}
	undo, err := d.Giver.Give(q.ID, q.Ask)
	if err == nil && how == Always {
		if err = d.Giver.Keep(Answer{Ask: q.Ask, Allow: true}); err != nil {
			err = errors.Join(err, undo())
		}
	}
	if err != nil {
		return err
	}
	q.tell()
	q.State, q.How, q.undo, q.Since = Granted, how, undo, d.Now().UTC()
	if how == ForTime {
		until := q.Since.Add(of.For)
		q.Until = until
		time.AfterFunc(of.For, func() { d.expire(q, until) })
	}
	d.Note(Grant, q.Ask, how)
	return nil
}

// expire ends a grant for a time, unless that was changed.
func (d *Desk) expire(q *question, until time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if q.Until.Equal(until) {
		d.end(q, "its time is over")
	}
}

// deny refuses what a question is about, or takes it back.
func (d *Desk) deny(q *question, how string) error {
	if how == Always || q.State == Granted && q.How == Always {
		if err := d.Giver.Keep(Answer{Ask: q.Ask}); err != nil {
			return err
		}
	}
	var err error
	if q.State == Granted {
		err = q.undo()
		d.Note(Revoked, q.Ask, "by the user")
	} else {
		d.Note(Denial, q.Ask, "by the user")
	}
	q.tell()
	q.State, q.How, q.Until = Denied, how, time.Time{}
	return err
}

// tell lets those go on who wait for the answer, which they see once the desk is free.
func (q *question) tell() {
	if q.State == StatePending {
		close(q.answered)
	}
}

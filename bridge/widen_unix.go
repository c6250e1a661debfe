//go:build unix

package bridge

import (
	"fmt"
	"slices"

	"swop/bridge/request"
	"swop/config"
)

// rules returns what the bridge allows now: what the configuration says, and what was added while the session runs.
func (b *bridge) rules() request.Rules {
	b.widening.Lock()
	defer b.widening.Unlock()
	return request.Rules{Bridge: b.Name, List: slices.Concat(b.Allow, b.more)}
}

// Widens reports whether the rule of a bridge is not there yet. The error says why it cannot be added.
func (s *Session) Widens(name, rule string) (missing bool, err error) {
	b, r, err := s.parse(name, rule)
	return err == nil && !slices.ContainsFunc(b.rules().List, func(of config.Rule) bool { return of.Text == r.Text }), err
}

func (s *Session) parse(name, rule string) (*bridge, config.Rule, error) {
	at := slices.IndexFunc(s.bridges, func(b *way) bool { return b.Name == name })
	if at < 0 {
		return nil, config.Rule{}, fmt.Errorf("the session has no bridge %q", name)
	}
	r, defect := config.ParseRule(s.bridges[at].Kind, rule)
	if defect != "" {
		return nil, r, fmt.Errorf("%q %s", rule, defect)
	}
	return s.bridges[at].bridge, r, nil
}

// Widen adds a rule to a bridge, until undo is called. Requests that were sent on then are answered.
func (s *Session) Widen(name, rule string) (undo func() error, err error) {
	b, r, err := s.parse(name, rule)
	if err != nil {
		return nil, err
	}
	b.widening.Lock()
	defer b.widening.Unlock()
	b.more = append(b.more, r)
	return func() error {
		b.widening.Lock()
		defer b.widening.Unlock()
		if at := slices.IndexFunc(b.more, func(of config.Rule) bool { return of.Text == r.Text }); at >= 0 {
			b.more = slices.Delete(b.more, at, at+1)
		}
		return nil
	}, nil
}

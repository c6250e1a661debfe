//go:build unix

package bridge

import (
	"fmt"
	"slices"

	"swop/config"
)

// rules returns what the bridge allows now: what the configuration says, and what was added while the session runs.
func (b *bridge) rules() []config.Rule {
	if more := b.more.Load(); more != nil {
		return slices.Concat(b.Allow, *more)
	}
	return b.Allow
}

// Widens reports whether the rule of a bridge is not there yet. The error says why it cannot be added.
func (s *Session) Widens(name, rule string) (missing bool, err error) {
	b, r, err := s.parse(name, rule)
	return err == nil && !slices.ContainsFunc(b.rules(), func(of config.Rule) bool { return of.Text == r.Text }), err
}

func (s *Session) parse(name, rule string) (*bridge, config.Rule, error) {
	at := slices.IndexFunc(s.bridges, func(b *bridge) bool { return b.Name == name })
	if at < 0 {
		return nil, config.Rule{}, fmt.Errorf("the session has no bridge %q", name)
	}
	r, defect := config.ParseRule(s.bridges[at].Kind, rule)
	if defect != "" {
		return nil, r, fmt.Errorf("%q %s", rule, defect)
	}
	return s.bridges[at], r, nil
}

// Widen adds a rule to a bridge, until undo is called. Requests that were sent on then are answered.
func (s *Session) Widen(name, rule string) (undo func() error, err error) {
	b, r, err := s.parse(name, rule)
	if err != nil {
		return nil, err
	}
	b.change(func(list []config.Rule) []config.Rule { return append(list, r) })
	return func() error {
		b.change(func(list []config.Rule) []config.Rule {
			if at := slices.IndexFunc(list, func(of config.Rule) bool { return of.Text == r.Text }); at >= 0 {
				list = slices.Delete(list, at, at+1)
			}
			return list
		})
		return nil
	}, nil
}

// change replaces the rules that were added. Requests that are judged meanwhile see the old list or the new one.
func (b *bridge) change(f func([]config.Rule) []config.Rule) {
	for {
		old := b.more.Load()
		var list []config.Rule
		if old != nil {
			list = slices.Clone(*old)
		}
		if list = f(list); b.more.CompareAndSwap(old, &list) {
			return
		}
	}
}

package say

import "errors"

// hinted is an error with a line of advice.
type hinted struct {
	error
	hint string
}

func (h hinted) Unwrap() error { return h.error }

// WithHint returns err with one more line of advice: a command that can be pasted, a short sentence, or "" for none. A nil err stays nil.
func WithHint(err error, hint string) error {
	if err == nil || hint == "" {
		return err
	}
	return hinted{err, hint}
}

// Hints returns the advice in err's chain, in the order in which it was added.
func Hints(err error) []string {
	h, ok := errors.AsType[hinted](err)
	if !ok {
		return nil
	}
	return append(Hints(h.error), h.hint)
}

// refusal is an error whose text does not contain that of its kind.
type refusal struct {
	kind error
	text string
}

// Refuse returns an error with this text that wraps kind.
func Refuse(kind error, text string) error { return &refusal{kind, text} }

func (r *refusal) Error() string { return r.text }

func (r *refusal) Unwrap() error { return r.kind }

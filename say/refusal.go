//go:build unix

package say

// refusal is an error of a kind, whose text stands alone.
type refusal struct {
	kind error
	text string
}

// Refuse returns an error of a kind, which errors.Is tells, whose text stands alone.
func Refuse(kind error, text string) error { return &refusal{kind, text} }

func (r *refusal) Error() string { return r.text }

func (r *refusal) Unwrap() error { return r.kind }

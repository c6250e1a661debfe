// Package preflight finds out whether sessions can be confined here, and what the system lacks.
package preflight

// Unavailable says why sessions cannot be confined here.
type Unavailable struct {
	Reason  string
	Command string // by which root changes that, "" for none
}

func (u *Unavailable) Error() string {
	return "this session cannot be confined: " + u.Reason
}

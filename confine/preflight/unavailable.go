// Package preflight finds out whether sessions can be confined here, and what the system lacks.
package preflight

// Unavailable says why sessions cannot be confined here.
type Unavailable struct {
	Backend string // bubblewrap, …
	Reason  string
	Command string // by which root changes that, "" for none
}

func (u *Unavailable) Error() string {
	return "this session cannot be confined: " + u.Backend + ": " + u.Reason
}

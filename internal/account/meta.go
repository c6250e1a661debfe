package account

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"swop/config"
)

// State says what an account has for itself beside its login.
type State string

const (
	StateShared  State = "shared"  // nothing
	StatePrivate State = "private" // transcripts, history, log and databases
)

// Meta is meta.json: what is known of an account. It never holds a secret. Fields of a newer program that this one does not know
// are kept when it is written again.
type Meta struct {
	Label      string
	Key        string
	CreatedAt  Time
	LastUsedAt Time // 0: never
	State      State
	RealHome   string
	// Confine is the policy of confinement, "" for an account that is not confined. Its codex home is its own then, and nothing unconfined
	// reads it.
	Confine string
	// Unfinished: add was cut off before its login was done. The next run removes the account if it holds no login, else it is complete.
	Unfinished bool
	// MovedFrom is the label before a rename that is still to be ended, "" for no rename: see [Meta.At].
	MovedFrom string
	// Bootstrap is the codex home that the account was taken over from, "" for none: an interrupted add --from continues with it.
	Bootstrap string

	Unknown Unknown // of a newer program
}

func (m *Meta) fields() []field {
	return []field{
		{"label", &m.Label, m.Label == ""},
		{"label_key", &m.Key, m.Key == ""},
		{"created_at", &m.CreatedAt, m.CreatedAt == 0},
		{"last_used_at", &m.LastUsedAt, m.LastUsedAt == 0},
		{"state", &m.State, m.State == ""},
		{"real_home", (*path)(&m.RealHome), m.RealHome == ""},
		{"confine", &m.Confine, m.Confine == ""},
		{"unfinished", &m.Unfinished, !m.Unfinished},
		{"moved_from", &m.MovedFrom, m.MovedFrom == ""},
		{"bootstrap", (*path)(&m.Bootstrap), m.Bootstrap == ""},
	}
}

// Parse reads the text of a meta.json into m, which is the zero value. An unknown schema version or state, and a label that does not give
// its key, are errors; m is undefined then.
func (m *Meta) Parse(text string) (err error) {
	if m.Unknown, err = parseDocument(text, m.fields()); err != nil {
		return err
	}
	return m.check()
}

// Text returns m as it is written to meta.json.
func (m *Meta) Text() []byte { return documentText(m.fields(), m.Unknown) }

// check returns what is wrong with what was read: a label that does not give its key, an unknown state, a time that cannot be written.
// A state that is missing becomes shared.
func (m *Meta) check() error {
	if key, err := config.Key(m.Label); err != nil || key != m.Key {
		return fmt.Errorf("label %q does not belong to label_key %q", clip(m.Label), clip(m.Key))
	}
	if m.State == "" {
		m.State = StateShared
	}
	if m.State != StateShared && m.State != StatePrivate {
		return fmt.Errorf("unknown state %q", clip(string(m.State)))
	}
	if m.Confine != "" && (m.Confine == config.ConfineOff || !slices.Contains(config.Policies(), m.Confine)) {
		return fmt.Errorf("unknown policy of confinement %q", clip(m.Confine))
	}
	if !m.CreatedAt.writable() || !m.LastUsedAt.writable() {
		return errors.New("created_at or last_used_at cannot be written in UTC")
	}
	return nil
}

// At returns m as it is for a sandbox that has this key, where a rename was cut off: not renamed if the sandbox still has the old name,
// else renamed except for its end.
func (m Meta) At(key string) Meta {
	switch from, err := config.Key(m.MovedFrom); {
	case err != nil, from == m.Key:
		m.MovedFrom = ""
	case from == key:
		m.Label, m.Key, m.MovedFrom = m.MovedFrom, key, ""
	}
	return m
}

// clip returns the beginning of a text that may be of any length, for a message.
func clip(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}

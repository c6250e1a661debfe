package account

import (
	"fmt"
	"slices"
	"time"

	"swop/config"
)

// State says what an account has of its own beside its login.
type State string

const (
	StateShared  State = "shared"  // nothing
	StatePrivate State = "private" // transcripts, history, log and databases
)

// Meta is meta.json, which describes an account. It never holds a secret. Fields of a newer program are written again.
type Meta struct {
	document
	Label     string    `json:"label"`
	Key       string    `json:"label_key"`
	CreatedAt time.Time `json:"created_at"`
	// LastUsedAt is zero for never. A start sets the time of the account's lock alone: package store returns the later of both.
	LastUsedAt time.Time `json:"last_used_at,omitzero"`
	State      State     `json:"state"`
	RealHome   string    `json:"real_home"`
	// Confine is the policy of confinement, "" for an account that is not confined. No unconfined program reads the codex home of a confined
	// one.
	Confine string `json:"confine,omitzero"`
	// Unconfined is the state that a confined account has again once it is not confined.
	Unconfined State `json:"unconfined_state,omitzero"`
	// Unfinished says that add has not ended. If it was killed, the next run removes the account, or completes one that holds a login.
	Unfinished bool `json:"unfinished,omitzero"`
	// MovedFrom is the label before a rename that is still to be ended, "" for no rename: see [Meta.At].
	MovedFrom string `json:"moved_from,omitzero"`
	// Bootstrap is the codex home that the account was taken over from, "" for none: an interrupted add --from continues with it.
	Bootstrap string `json:"bootstrap,omitzero"`
}

// Parse reads the text of a meta.json into m, which is the zero value. An unknown schema version or state, and a label that does not give
// its key, are errors; m is undefined then.
func (m *Meta) Parse(text string) (err error) {
	if err = parseDocument(text, m); err != nil {
		return err
	}
	if key, err := config.Key(m.Label); err != nil || key != m.Key {
		return fmt.Errorf("label %.200q does not belong to label_key %.200q", m.Label, m.Key)
	}
	if m.State != StateShared && m.State != StatePrivate {
		return fmt.Errorf("unknown state %.200q", m.State)
	}
	if m.Confine != "" && (m.Confine == config.ConfineOff || !slices.Contains(config.Policies(), m.Confine)) {
		return fmt.Errorf("unknown policy of confinement %.200q", m.Confine)
	}
	return nil
}

// Text returns m as it is written to meta.json. It fails for a time that JSON cannot have.
func (m *Meta) Text() ([]byte, error) { return documentText(m) }

// At returns m for a sandbox with this key, also after a rename that was killed: with the old label while the sandbox has the old name,
// else with the new one.
func (m Meta) At(key string) Meta {
	switch from, err := config.Key(m.MovedFrom); {
	case err != nil, from == m.Key:
		m.MovedFrom = ""
	case from == key:
		m.Label, m.Key, m.MovedFrom = m.MovedFrom, key, ""
	}
	return m
}

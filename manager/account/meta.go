package account

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"swop/config"
)

// schemaVersion is the version of meta.json and root.json that this code reads and writes.
const schemaVersion = 1

// State says what else than the login is an account's own.
type State string

const (
	StateShared  State = "shared"  // only the login
	StatePrivate State = "private" // transcripts, history, log and databases too
)

// Meta is meta.json: what is known of an account. It never holds a secret. Fields of a newer program that this one does not know
// are kept when it is written again.
type Meta struct {
	Label      string
	Key        string
	CreatedAt  time.Time
	LastUsedAt time.Time // zero: never
	State      State
	RealHome   string
	// Unfinished: add was cut off before its login was done. It goes at the next run if it holds no login, else it is complete.
	Unfinished bool
	// MovingTo is the label that a rename under way gives the account, "" for none.
	MovingTo string
	// Bootstrap is the codex home that the account was taken over from, "" for none. What of it is the machine's stays there.
	Bootstrap string

	MovedFrom string // the label before a rename of which only the end is missing, "" for none
	Unknown   map[string]json.RawMessage
}

type metaJSON struct {
	SchemaVersion int        `json:"schema_version"`
	Label         string     `json:"label"`
	Key           string     `json:"label_key"`
	CreatedAt     time.Time  `json:"created_at"`
	LastUsedAt    *time.Time `json:"last_used_at,omitempty"`
	State         State      `json:"state"`
	RealHome      string     `json:"real_home"`
	Unfinished    bool       `json:"unfinished,omitempty"`
	MovingTo      string     `json:"moving_to,omitempty"`
	Bootstrap     string     `json:"bootstrap,omitempty"`
}

var metaFields = []string{"schema_version", "label", "label_key", "created_at", "last_used_at", "state", "real_home", "unfinished", "moving_to", "bootstrap"}

// ParseMeta reads the text of a meta.json. An unknown schema version or state, and a label that does not give its key, are errors.
func ParseMeta(text []byte) (Meta, error) {
	if m, ok := fastMeta(string(text)); ok {
		return m.meta()
	}
	var m metaJSON
	if err := parseSchema(text, &m, metaFields, func() int { return m.SchemaVersion }); err != nil {
		return Meta{}, err
	}
	out, err := m.meta()
	if err == nil {
		out.Unknown, err = unknownFields(text, metaFields)
	}
	return out, err
}

// meta checks what was read.
func (m metaJSON) meta() (Meta, error) {
	if key, err := config.Key(m.Label); err != nil || key != m.Key {
		return Meta{}, fmt.Errorf("label %.80q does not belong to label_key %.80q", m.Label, m.Key)
	}
	if m.State == "" {
		m.State = StateShared
	}
	if m.State != StateShared && m.State != StatePrivate {
		return Meta{}, fmt.Errorf("unknown state %.80q", string(m.State))
	}
	out := Meta{Label: m.Label, Key: m.Key, CreatedAt: m.CreatedAt, State: m.State, RealHome: textPath(m.RealHome), Unfinished: m.Unfinished, MovingTo: m.MovingTo, Bootstrap: textPath(m.Bootstrap)}
	if m.LastUsedAt != nil {
		out.LastUsedAt = *m.LastUsedAt
	}
	if year := m.CreatedAt.UTC().Year(); year < 0 || year > 9999 {
		return Meta{}, errors.New("created_at cannot be written in UTC")
	}
	if year := out.LastUsedAt.UTC().Year(); year < 0 || year > 9999 {
		return Meta{}, errors.New("last_used_at cannot be written in UTC")
	}
	return out, nil
}

// Text returns m as it is written to meta.json.
func (m Meta) Text() (text []byte, err error) {
	if text, ok := m.FastText(); ok {
		return text, nil
	}
	out := metaJSON{
		SchemaVersion: schemaVersion, Label: m.Label, Key: m.Key, CreatedAt: m.CreatedAt.UTC().Truncate(time.Second),
		State: m.State, RealHome: pathText(m.RealHome), Unfinished: m.Unfinished, MovingTo: m.MovingTo, Bootstrap: pathText(m.Bootstrap),
	}
	if m.MovedFrom != "" {
		out.Label, out.MovingTo = m.MovedFrom, m.Label
		if out.Key, err = config.Key(m.MovedFrom); err != nil {
			return nil, err
		}
	}
	if !m.LastUsedAt.IsZero() {
		used := m.LastUsedAt.UTC().Truncate(time.Second)
		out.LastUsedAt = &used
	}
	return withUnknown(out, m.Unknown)
}

// At judges a rename that was cut off: done but for its end if the sandbox already has the new name, else undone.
func (m Meta) At(key string) Meta {
	if moved, err := config.Key(m.MovingTo); err == nil && moved == key && key != m.Key {
		m.MovedFrom, m.Label, m.Key = m.Label, m.MovingTo, key
	}
	m.MovingTo = ""
	return m
}

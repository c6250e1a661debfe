package account

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"swop/internal/say"
)

// SchemaVersion is the version of meta.json and root.json that this code reads and writes, and versionField is its field in both.
const (
	SchemaVersion = 2
	versionField  = "schema_version"
)

// ErrEarlier says that an earlier swop wrote a file, whose form nothing reads any more.
var ErrEarlier = errors.New("of an earlier swop")

// Unknown are the fields that a newer program wrote: they are kept.
type Unknown map[string]json.RawMessage

// field is a field of a JSON object, and where its value lies: one that is zero is not written. Names are compared exactly, which
// encoding/json does not do with the tags of a struct.
type field struct {
	name  string
	value any // a pointer
	zero  bool
}

// parseDocument reads text, an object with a schema version, into the values of the fields, and returns the rest.
func parseDocument(text string, fields []field) (Unknown, error) {
	var all Unknown
	if !utf8.ValidString(text) {
		return nil, errors.New("is not UTF-8")
	}
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return nil, err
	}
	version := 0
	if err := all.take(versionField, &version); err != nil {
		return nil, err
	}
	switch {
	case version < 1:
		return nil, errors.New(versionField + " is missing")
	case version < SchemaVersion:
		return nil, fmt.Errorf("%s is %d, %w", versionField, version, ErrEarlier)
	case version > SchemaVersion:
		return nil, say.WithHint(fmt.Errorf("%s is %d, this swop knows %d", versionField, version, SchemaVersion), "upgrade swop")
	}
	for _, f := range fields {
		if err := all.take(f.name, f.value); err != nil {
			return nil, err
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	return all, nil
}

// take reads a field, and removes it. One that is missing leaves the value as it is.
func (u Unknown) take(name string, value any) error {
	raw, ok := u[name]
	if !ok {
		return nil
	}
	delete(u, name)
	if err := json.Unmarshal(raw, value); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// documentText returns the text of an object with the schema version, the fields and those of a newer program.
func documentText(fields []field, unknown Unknown) []byte {
	all := map[string]any{versionField: SchemaVersion}
	for name, raw := range unknown {
		all[name] = raw
	}
	for _, f := range fields {
		if !f.zero {
			all[f.name] = f.value
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(all) // what was read, and strings, can always be written
	return b.Bytes()
}

// path is a path as JSON has it. A path is bytes and JSON is UTF-8: one that is not UTF-8 is written as Go quotes it, and no absolute path
// begins with a quote.
type path string

func (p path) MarshalText() ([]byte, error) {
	if utf8.ValidString(string(p)) {
		return []byte(p), nil
	}
	return []byte(strconv.Quote(string(p))), nil
}

func (p *path) UnmarshalText(text []byte) error {
	*p = path(text)
	if strings.HasPrefix(string(text), `"`) {
		if unquoted, err := strconv.Unquote(string(text)); err == nil {
			*p = path(unquoted)
		}
	}
	return nil
}

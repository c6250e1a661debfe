package account

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"swop/internal/say"
)

// SchemaVersion is the version of meta.json and root.json that this code reads and writes, and versionField is its field in both.
const (
	SchemaVersion = 1
	versionField  = "schema_version"
)

// Unknown are the fields that a newer program wrote: they are written again.
type Unknown map[string]json.RawMessage

// parseDocument reads text, an object with a schema version, into doc, and returns the fields that doc does not have.
func parseDocument(text string, doc any) (Unknown, error) {
	if !utf8.ValidString(text) {
		return nil, errors.New("is not UTF-8")
	}
	var all Unknown
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return nil, err
	}
	version := 0
	if raw, ok := all[versionField]; ok {
		if err := json.Unmarshal(raw, &version); err != nil {
			return nil, fmt.Errorf("%s: %w", versionField, err)
		}
	}
	switch {
	case version < 1:
		return nil, errors.New(versionField + " is missing")
	case version > SchemaVersion:
		return nil, say.WithHint(fmt.Errorf("%s is %d, this swop knows %d", versionField, version, SchemaVersion), "upgrade swop")
	}
	if err := json.Unmarshal([]byte(text), doc); err != nil {
		return nil, err
	}
	delete(all, versionField)
	for _, f := range reflect.VisibleFields(reflect.TypeOf(doc).Elem()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		delete(all, name)
	}
	if len(all) == 0 {
		return nil, nil
	}
	return all, nil
}

// documentText returns the text of an object with the schema version, the fields of doc and those of a newer program.
func documentText(doc any, unknown Unknown) []byte {
	all := Unknown{}
	maps.Copy(all, unknown)
	text, _ := json.Marshal(doc) // fields that were read, and strings, can always be written
	_ = json.Unmarshal(text, &all)
	all[versionField] = json.RawMessage(strconv.Itoa(SchemaVersion))
	text, _ = json.Marshal(all)
	return append(text, '\n')
}

package account

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"swop/internal/disk"
	"swop/internal/say"
)

// SchemaVersion is the version of meta.json and root.json that this code reads and writes.
const SchemaVersion = 1

// document is what both files have in common.
type document struct {
	Version int    `json:"schema_version"` // as it was read
	text    string // that was read or written: what a newer program wrote there is written again
}

func (d *document) read() *document { return d }

// Sum returns the sum of the text that was read, or written.
func (d *document) Sum() uint64 { return disk.Sum(d.text) }

// parseDocument reads text, an object with a schema version, into doc.
func parseDocument(text string, doc interface{ read() *document }) error {
	if !utf8.ValidString(text) {
		return errors.New("is not UTF-8")
	}
	err := json.Unmarshal([]byte(text), doc)
	d := doc.read()
	d.text = text
	switch {
	case d.Version > SchemaVersion: // whose fields may have other types
		return say.WithHint(fmt.Errorf("schema_version is %d, this swop knows %d", d.Version, SchemaVersion), "upgrade swop")
	case err == nil && d.Version < 1:
		return errors.New("schema_version is missing")
	}
	return err
}

// documentText returns the text of an object with the schema version, the fields of doc and those that a newer program wrote.
func documentText(doc interface{ read() *document }) ([]byte, error) {
	all := map[string]json.RawMessage{}
	_ = json.Unmarshal([]byte(doc.read().text), &all) // it was read before, or is empty
	for _, f := range reflect.VisibleFields(reflect.TypeOf(doc).Elem()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		delete(all, name)
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	_ = json.Unmarshal(text, &all) // it is an object
	all["schema_version"] = json.RawMessage(strconv.Itoa(SchemaVersion))
	text, err = json.Marshal(all)
	doc.read().text = string(text) + "\n"
	return append(text, '\n'), err
}

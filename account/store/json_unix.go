//go:build unix

package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"swop/account"
	"swop/disk"
	"swop/say"
)

// ParseMeta reads the text of a meta.json. An unknown schema version or state, and a label that does not give its key, are errors.
func ParseMeta(text string) (account.Meta, error) {
	var m, fast account.Meta
	if fast.FastParse(text) {
		return fast, nil
	}
	var err error
	if m.Unknown, err = parseDocument(text, &m, account.MetaFields); err != nil {
		return account.Meta{}, err
	}
	return m, m.Check()
}

// ParseRoot reads the text of a root.json. An unknown schema version, and a shared home that is not absolute, are errors.
func ParseRoot(text string) (account.Root, error) {
	var r, fast account.Root
	if fast.FastParse(text) {
		return fast, nil
	}
	var err error
	if r.Unknown, err = parseDocument(text, &r, account.RootFields); err != nil {
		return account.Root{}, err
	}
	return r, r.CheckText()
}

// ReadRoot reads the root.json of the root directory dir. The error wraps fs.ErrNotExist where the file is missing.
func ReadRoot(dir string) (account.Root, error) {
	file := filepath.Join(dir, account.RootFile)
	text, err := disk.ReadOwn(file, account.MaxJSON)
	if err != nil {
		return account.Root{}, err
	}
	r, err := ParseRoot(text)
	if err != nil {
		return account.Root{}, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}

// parseDocument reads text, an object with a schema version and the fields of the table, into v. It returns the members that the table
// does not have, sorted by name.
func parseDocument[T any](text string, v *T, fields []account.Field[T]) (unknown []account.Member, err error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return nil, err
	}
	var version int
	if raw, ok := all[account.VersionField]; ok {
		if err := json.Unmarshal(raw, &version); err != nil {
			return nil, fmt.Errorf("%s: %w", account.VersionField, err)
		}
	}
	switch {
	case version == 0:
		return nil, errors.New(account.VersionField + " is missing")
	case version != account.SchemaVersion:
		return nil, say.WithHint(fmt.Errorf("%s is %d, this swop knows %d", account.VersionField, version, account.SchemaVersion), "upgrade swop")
	}
	delete(all, account.VersionField)
	for _, f := range fields { // names are compared exactly: one of another case is not ours
		if raw, ok := all[f.Name]; ok {
			if err := parseValue(raw, f.Value(v)); err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name, err)
			}
		}
		delete(all, f.Name)
	}
	for name, value := range all {
		unknown = append(unknown, account.Member{Name: name, Value: value})
	}
	slices.SortFunc(unknown, func(a, b account.Member) int { return strings.Compare(a.Name, b.Name) })
	return unknown, nil
}

// sharedHome is how encoding/json has an account.SharedHome.
type sharedHome struct {
	Path   account.Path `json:"path"`
	Device uint64       `json:"device"`
	Inode  uint64       `json:"inode"`
}

// parseValue reads raw into v; null leaves v as it is.
func parseValue(raw []byte, v account.Value) error {
	switch v := v.(type) {
	case *account.SharedHome:
		var h sharedHome
		err := json.Unmarshal(raw, &h)
		*v = account.SharedHome{Path: string(h.Path), Device: h.Device, Inode: h.Inode}
		return err
	case *account.Paths:
		var list []account.Path
		err := json.Unmarshal(raw, &list)
		for _, path := range list {
			*v = append(*v, string(path))
		}
		return err
	}
	return json.Unmarshal(raw, v)
}

// valueText returns the text from which parseValue reads v.
func valueText(v account.Value) ([]byte, error) {
	switch v := v.(type) {
	case *account.SharedHome:
		return json.Marshal(sharedHome{account.Path(v.Path), v.Device, v.Inode})
	case *account.Paths:
		var list []account.Path
		for _, path := range *v {
			list = append(list, account.Path(path))
		}
		return json.Marshal(list)
	}
	return json.Marshal(v)
}

// metaText returns m as it is written to meta.json.
func metaText(m account.Meta) ([]byte, error) {
	return documentText(&m, account.MetaFields, m.Unknown)
}

// rootText returns r as it is written to root.json.
func rootText(r account.Root) ([]byte, error) {
	return documentText(&r, account.RootFields, r.Unknown)
}

// documentText returns the text of an object with the schema version, the fields of v in their order, which encoding/json has for structs alone,
// and the members of a newer program.
func documentText[T any](v *T, fields []account.Field[T], unknown []account.Member) ([]byte, error) {
	text := fmt.Appendf(nil, `{"%s":%d`, account.VersionField, account.SchemaVersion)
	for _, f := range fields {
		value := f.Value(v)
		if f.OmitEmpty && reflect.ValueOf(value).Elem().IsZero() {
			continue
		}
		written, err := valueText(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		text = fmt.Appendf(text, `,"%s":%s`, f.Name, written)
	}
	for _, m := range unknown {
		name, err := json.Marshal(m.Name)
		if err != nil {
			return nil, err
		}
		text = fmt.Appendf(text, ",%s:%s", name, m.Value)
	}
	return append(text, "}\n"...), nil
}

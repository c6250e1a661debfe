//go:build unix

package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"swop/manager/account"
	"swop/manager/disk"
	"swop/say"
)

// ParseMeta reads the text of a meta.json. An unknown schema version or state, and a label that does not give its key, are errors.
func ParseMeta(text string) (account.Meta, error) {
	if m, ok := account.FastParseMeta(text); ok {
		return m, nil
	}
	var m account.Meta
	var err error
	if m.Unknown, err = parseDocument(text, &m, account.MetaFields); err == nil {
		err = m.Check()
	}
	if err != nil {
		return account.Meta{}, err
	}
	return m, nil
}

// ParseRoot reads the text of a root.json. An unknown schema version, and a shared home that is not absolute, are errors.
func ParseRoot(text string) (account.Root, error) {
	if r, ok := account.FastParseRoot(text); ok {
		return r, nil
	}
	var r account.Root
	var err error
	if r.Unknown, err = parseDocument(text, &r, account.RootFields); err == nil {
		err = r.CheckText()
	}
	if err != nil {
		return account.Root{}, err
	}
	return r, nil
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
	if err := takeFields(all, v, fields); err != nil {
		return nil, err
	}
	for name, value := range all {
		unknown = append(unknown, account.Member{Name: name, Value: value})
	}
	slices.SortFunc(unknown, func(a, b account.Member) int { return strings.Compare(a.Name, b.Name) })
	return unknown, nil
}

// takeFields moves the members that the table has from all to v. Names are compared exactly: one of another case is not ours.
func takeFields[T any](all map[string]json.RawMessage, v *T, fields []account.Field[T]) error {
	for _, f := range fields {
		raw, ok := all[f.Name]
		if !ok {
			continue
		}
		delete(all, f.Name)
		if err := parseValue(raw, f.Value(v)); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}

// parseValue reads raw into v; null leaves v as it is.
func parseValue(raw []byte, v account.Value) error {
	switch v := v.(type) {
	case *account.SharedHome:
		var all map[string]json.RawMessage
		if err := json.Unmarshal(raw, &all); err != nil {
			return err
		}
		return takeFields(all, v, account.SharedHomeFields)
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

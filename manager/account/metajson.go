package account

import (
	"encoding/json"
	"errors"
	"fmt"

	"swop/say"
)

// parseSchema decodes the fields of text that are called as in fields into v, and checks the version that it then holds. Without the
// names, encoding/json would take a field of another case for ours.
func parseSchema(text []byte, v any, fields []string, version func() int) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	ours := map[string]json.RawMessage{}
	for _, name := range fields {
		if value, ok := all[name]; ok {
			ours[name] = value
		}
	}
	exact, err := json.Marshal(ours)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(exact, v); err != nil {
		return err
	}
	switch got := version(); {
	case got == 0:
		return errors.New("schema_version is missing")
	case got != schemaVersion:
		return say.WithHint(fmt.Errorf("schema_version is %d, this swop knows %d", got, schemaVersion), "upgrade swop")
	}
	return nil
}

func unknownFields(text []byte, known []string) (map[string]json.RawMessage, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	for _, name := range known {
		delete(all, name)
	}
	if len(all) == 0 {
		return nil, nil
	}
	return all, nil
}

func withUnknown(v any, unknown map[string]json.RawMessage) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if len(unknown) > 0 {
		all := map[string]json.RawMessage{}
		if err := json.Unmarshal(text, &all); err != nil {
			return nil, err
		}
		for name, value := range unknown {
			all[name] = value
		}
		if text, err = json.Marshal(all); err != nil {
			return nil, err
		}
	}
	return append(text, '\n'), nil
}

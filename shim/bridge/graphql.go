package bridge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxQuery is how large the body of a query may be, in bytes.
const maxQuery = 256 << 10

// readGraphQL returns the body of a query as it is sent on, if readable admits each repository that it asks for, and all of its fields stay
// there. Everything else is an error, which says what.
func readGraphQL(body []byte, readable func(owner, name string) error) ([]byte, error) {
	fields, err := readObject(body)
	if err != nil {
		return nil, fmt.Errorf("the body must be one JSON object: %w", err)
	}
	var text string
	variables := map[string]any{}
	for key, raw := range fields {
		switch key {
		case "query":
			err = decode(raw, &text)
		case "variables":
			variables, err = readVariables(raw)
		case "operationName": // there is only one query, which it cannot change
		default:
			err = fmt.Errorf("the body has the key %q", key)
		}
		if err != nil {
			return nil, err
		}
	}
	list, err := words(text)
	if err != nil {
		return nil, err
	}
	d, err := parseQuery(list)
	if err != nil {
		return nil, err
	}
	j := judgement{document: d, variables: variables, readable: readable}
	if err := j.judge(); err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"query": join(list), "variables": variables})
}

// join writes words so that no two of them can be read as one.
func join(list []word) string {
	var b strings.Builder
	for _, w := range list {
		b.WriteString(w.text)
		b.WriteByte(' ')
	}
	return b.String()
}

// readObject returns the values of a JSON object. A key that is there twice is an error: readers take the first or the last.
func readObject(text []byte) (map[string]json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("it does not begin with {")
	}
	fields := map[string]json.RawMessage{}
	for d.More() {
		key, err := d.Token()
		called, isText := key.(string)
		var value json.RawMessage
		if err == nil {
			err = d.Decode(&value)
		}
		if err != nil || !isText {
			return nil, errors.New("it is broken")
		}
		if _, twice := fields[called]; twice {
			return nil, fmt.Errorf("it has the key %q twice", called)
		}
		fields[called] = value
	}
	if _, err := d.Token(); err != nil {
		return nil, errors.New("it has no end")
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("something follows it")
	}
	return fields, nil
}

func readVariables(raw json.RawMessage) (map[string]any, error) {
	if string(raw) == "null" {
		return map[string]any{}, nil
	}
	fields, err := readObject(raw)
	if err != nil {
		return nil, fmt.Errorf("the variables must be a JSON object: %w", err)
	}
	values := map[string]any{}
	for name, raw := range fields {
		var value any
		if err := decode(raw, &value); err != nil {
			return nil, err
		}
		values[name] = value
	}
	return values, nil
}

// decode reads a JSON value, whose numbers stay as they are.
func decode(raw json.RawMessage, to any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(to); err != nil {
		return errors.New("the body has a value of a wrong kind")
	}
	return nil
}

// judgement goes through all that a query selects.
type judgement struct {
	document
	variables map[string]any
	readable  func(owner, name string) error
	steps     int
}

// maxSteps bounds what fragments that are used again and again make of a query.
const maxSteps = 100_000

func (j *judgement) judge() error {
	if err := j.selections("Query", j.selected, 0); err != nil {
		return err
	}
	for name, f := range j.fragments {
		if !f.used {
			return fmt.Errorf("the query does not use its fragment %q", name)
		}
	}
	return nil
}

// selections judges what is selected of a type of ours.
func (j *judgement) selections(of string, list []selection, depth int) error {
	if depth > maxQueryDepth {
		return errors.New("the query is nested too deep")
	}
	for _, s := range list {
		if j.steps++; j.steps > maxSteps {
			return errors.New("the query selects too much")
		}
		if err := j.selection(of, s, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (j *judgement) selection(of string, s selection, depth int) error {
	if s.field != "" {
		return j.fieldOf(of, s, depth)
	}
	on, selected := s.on, s.selected
	if s.fragment != "" {
		f := j.fragments[s.fragment]
		if f == nil {
			return fmt.Errorf("the query has no fragment %q", s.fragment)
		}
		f.used, on, selected = true, f.on, f.selected
	}
	as, ok := conditionOf(of, on)
	if !ok {
		return fmt.Errorf("a fragment on %s is not sent on here", on)
	}
	return j.selections(as, selected, depth)
}

func (j *judgement) fieldOf(of string, s selection, depth int) error {
	to, ok := fieldOf(of, s.field)
	switch {
	case !ok:
		return fmt.Errorf("the field %s of %s may lead out of the repository, and is not sent on; try REST: gh api repos/OWNER/REPO/…", s.field, strings.Trim(of, "*>"))
	case (to == "") != (len(s.selected) == 0):
		return fmt.Errorf("the field %s of %s has fields where none can be, or none where some must be", s.field, strings.Trim(of, "*>"))
	case to == "Repository":
		if err := j.repository(s); err != nil {
			return err
		}
	}
	return j.selections(to, s.selected, depth)
}

func (j *judgement) repository(s selection) error {
	owner, ownerOK := j.text(s.owner)
	name, nameOK := j.text(s.name)
	if !ownerOK || !nameOK {
		return errors.New("the query does not say which repository it means: owner and name must be strings, or variables that are")
	}
	return j.readable(owner, name)
}

// text returns the string that an argument stands for.
func (j *judgement) text(w word) (string, bool) {
	variable, is := strings.CutPrefix(w.text, "$")
	if !is || w.kind == quoted {
		return w.says, w.kind == quoted
	}
	value, given := j.variables[variable]
	if given {
		text, ok := value.(string)
		return text, ok
	}
	standard := j.defaults[variable]
	return standard.says, standard.kind == quoted
}

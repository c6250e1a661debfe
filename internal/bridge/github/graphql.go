package github

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
	"github.com/vektah/gqlparser/v2/parser"

	"swop/internal/bridge/request"
)

// A query is bounded by the bytes of its body, its tokens and its depth.
const (
	maxQuery      = 256 << 10
	maxTokens     = 50_000
	maxQueryDepth = 40
)

// judgeGraphQL returns why a query is refused. One that is not is replaced by what was understood of it.
func judgeGraphQL(rules request.Rules, r *http.Request, t request.Target) *request.Refusal {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if t.Method != http.MethodPost || t.Query != "" || err != nil || kind != "application/json" || r.Header.Get("Content-Encoding") != "" {
		return request.Refuse(http.StatusBadRequest, "a query must be sent with POST, as application/json, and not compressed")
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxQuery+1))
	switch {
	case err != nil:
		return request.Refuse(http.StatusBadRequest, "the query breaks off")
	case len(body) > maxQuery:
		return request.Refuse(http.StatusRequestEntityTooLarge, "the query is larger than %d bytes", maxQuery)
	}
	again, err := readGraphQL(body, func(owner, name string) error {
		if accessTo(rules, owner, name) < read {
			return notInRepo(rules, owner, name, true)
		}
		return nil
	})
	var asks *request.Refusal
	switch {
	case errors.As(err, &asks):
		return asks
	case err != nil:
		return request.Refuse(http.StatusForbidden, "%v", err)
	}
	r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(bytes.NewReader(again)), int64(len(again)), nil
	r.Header.Set("Content-Length", strconv.Itoa(len(again)))
	return nil
}

// readGraphQL returns the body of a query as it is sent on, if readable admits each repository that it asks for, and all of its fields stay
// there. What is sent on is written from what was understood, not from the text that came: of a key that is there twice only the last value.
// Everything else is an error, which says what.
func readGraphQL(body []byte, readable func(owner, name string) error) ([]byte, error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return nil, errors.New("the body must be one JSON object")
	}
	var text string
	var variables map[string]any
	for key, raw := range fields {
		var err error
		switch key {
		case "query":
			err = decode(raw, &text)
		case "variables":
			err = decode(raw, &variables)
		case "operationName": // there is only one query, which it cannot change
		default:
			err = fmt.Errorf("the body has the key %q", key)
		}
		if err != nil {
			return nil, err
		}
	}
	d, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, maxTokens)
	if err != nil {
		return nil, fmt.Errorf("the query cannot be read: %w", err)
	}
	j := judgement{variables: variables, readable: readable, defaults: map[string]*ast.Value{}, fragments: map[string]*fragment{}}
	if err := j.judge(d); err != nil {
		return nil, err
	}
	var again strings.Builder
	formatter.NewFormatter(&again, formatter.WithCompacted(), formatter.WithIndent(""), formatter.WithoutDescription()).FormatQueryDocument(d)
	return json.Marshal(map[string]any{"query": again.String(), "variables": variables})
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
	variables map[string]any
	defaults  map[string]*ast.Value // of variables
	fragments map[string]*fragment
	readable  func(owner, name string) error
	steps     int
}

type fragment struct {
	*ast.FragmentDefinition
	used bool
}

// maxSteps bounds what fragments that are used again and again make of a query.
const maxSteps = 100_000

func (j *judgement) judge(d *ast.QueryDocument) error {
	for _, f := range d.Fragments {
		if j.fragments[f.Name] != nil {
			return fmt.Errorf("the query has the fragment %q twice", f.Name)
		}
		if err := j.definition(f.VariableDefinition, f.Directives); err != nil {
			return err
		}
		j.fragments[f.Name] = &fragment{FragmentDefinition: f}
	}
	for _, o := range d.Operations {
		if o.Operation != ast.Query {
			return fmt.Errorf("a %s is not sent on: change things by REST, such as gh api repos/OWNER/REPO/issues -f title=TEXT", o.Operation)
		}
	}
	if len(d.Operations) != 1 {
		return errors.New("there must be one query")
	}
	query := d.Operations[0]
	err := j.definition(query.VariableDefinitions, query.Directives)
	if err == nil {
		err = j.selections("Query", query.SelectionSet, 0)
	}
	for name, f := range j.fragments {
		if err == nil && !f.used {
			err = fmt.Errorf("the query does not use its fragment %q", name)
		}
	}
	return err
}

// definition judges what stands before the braces of a query or a fragment.
func (j *judgement) definition(variables ast.VariableDefinitionList, list ast.DirectiveList) error {
	for _, v := range variables {
		if _, twice := j.defaults[v.Variable]; twice {
			return fmt.Errorf("the query has the variable %s twice", v.Variable)
		}
		j.defaults[v.Variable] = v.DefaultValue
		if err := directives(v.Directives); err != nil {
			return err
		}
	}
	return directives(list)
}

// directives admits those that only leave something out.
func directives(list ast.DirectiveList) error {
	for _, d := range list {
		if d.Name != "include" && d.Name != "skip" {
			return fmt.Errorf("the directive @%s is not sent on", d.Name)
		}
	}
	return nil
}

// selections judges what is selected of a type of ours.
func (j *judgement) selections(of string, list ast.SelectionSet, depth int) error {
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

func (j *judgement) selection(of string, s ast.Selection, depth int) error {
	switch s := s.(type) {
	case *ast.Field:
		return j.field(of, s, depth)
	case *ast.InlineFragment:
		return j.fragment(of, s.TypeCondition, s.Directives, s.SelectionSet, depth)
	case *ast.FragmentSpread:
		if f := j.fragments[s.Name]; f != nil {
			f.used = true
			return j.fragment(of, f.TypeCondition, s.Directives, f.SelectionSet, depth)
		}
		return fmt.Errorf("the query has no fragment %q", s.Name)
	}
	return fmt.Errorf("%T is not sent on", s)
}

func (j *judgement) fragment(of, on string, list ast.DirectiveList, selected ast.SelectionSet, depth int) error {
	as, ok := conditionOf(of, on)
	if !ok {
		return fmt.Errorf("a fragment on %s is not sent on here", on)
	}
	if err := directives(list); err != nil {
		return err
	}
	return j.selections(as, selected, depth)
}

func (j *judgement) field(of string, s *ast.Field, depth int) error {
	to, ok := fieldOf(of, s.Name)
	switch {
	case !ok:
		return fmt.Errorf("the field %s of %s may lead out of the repository, and is not sent on; try REST: gh api repos/OWNER/REPO/…", s.Name, strings.Trim(of, "*>"))
	case (to == "") != (len(s.SelectionSet) == 0):
		return fmt.Errorf("the field %s of %s has fields where none can be, or none where some must be", s.Name, strings.Trim(of, "*>"))
	case to == "Repository":
		if err := j.repository(s); err != nil {
			return err
		}
	}
	if err := directives(s.Directives); err != nil {
		return err
	}
	return j.selections(to, s.SelectionSet, depth)
}

func (j *judgement) repository(s *ast.Field) error {
	arguments := map[string]*ast.Value{}
	for _, a := range s.Arguments {
		if arguments[a.Name] != nil {
			return fmt.Errorf("the query has the argument %s twice", a.Name)
		}
		arguments[a.Name] = a.Value
	}
	owner, ownerOK := j.text(arguments["owner"])
	name, nameOK := j.text(arguments["name"])
	if !ownerOK || !nameOK {
		return errors.New("the query does not say which repository it means: owner and name must be strings, or variables that are")
	}
	return j.readable(owner, name)
}

// text returns the string that an argument stands for.
func (j *judgement) text(v *ast.Value) (string, bool) {
	if v != nil && v.Kind == ast.Variable {
		if value, given := j.variables[v.Raw]; given {
			text, ok := value.(string)
			return text, ok
		}
		v = j.defaults[v.Raw]
	}
	if v == nil || v.Kind != ast.StringValue && v.Kind != ast.BlockValue {
		return "", false
	}
	return v.Raw, true
}

package bridge

import (
	"errors"
	"fmt"
)

// document is a query and its fragments.
type document struct {
	defaults  map[string]word      // of variables, strings only
	selected  []selection          // of the query
	fragments map[string]*fragment // by name
}

type fragment struct {
	on       string
	selected []selection
	used     bool
}

// selection is a field, a fragment by its name, or a fragment in place.
type selection struct {
	field    string
	owner    word // the arguments that say which repository is meant, where there are any
	name     word
	fragment string // a fragment's name
	on       string // the type of a fragment in place; "" if it names none
	selected []selection
}

// parser reads words. The first error stays in err, and ends the words.
type parser struct {
	words []word
	depth int
	err   error
}

const maxQueryDepth = 40

// parseQuery returns the one query that the words consist of, with its fragments.
func parseQuery(list []word) (document, error) {
	p := &parser{words: list}
	d := document{defaults: map[string]word{}, fragments: map[string]*fragment{}}
	queries := 0
	for len(p.words) > 0 {
		switch p.peek() {
		case "fragment":
			p.fragment(&d)
		case "query", "{":
			queries++
			p.query(&d)
		case "mutation", "subscription":
			p.fail("a %s is not sent on: change things by REST, such as gh api repos/OWNER/REPO/issues -f title=TEXT", p.peek())
		default:
			p.fail("the query has %q in a place where a query begins", p.peek())
		}
	}
	if p.err == nil && queries != 1 {
		p.err = errors.New("there must be one query")
	}
	return d, p.err
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
	p.words = nil
}

// peek returns the next word, "" at the end. A string is no word.
func (p *parser) peek() string {
	if len(p.words) == 0 || p.words[0].kind == quoted {
		return ""
	}
	return p.words[0].text
}

func (p *parser) next() (w word) {
	if len(p.words) == 0 {
		p.fail("the query has no end")
		return w
	}
	w, p.words = p.words[0], p.words[1:]
	return w
}

// accept takes the next word if it is this one.
func (p *parser) accept(text string) bool {
	if p.peek() != text {
		return false
	}
	p.next()
	return true
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.fail("the query has %q where %q must be", p.peek(), text)
	}
}

func (p *parser) name() string {
	w := p.next()
	if w.kind != name {
		p.fail("the query has %q where a name must be", w.text)
	}
	return w.text
}

func (p *parser) query(d *document) {
	if p.accept("query") {
		if len(p.words) > 0 && p.words[0].kind == name {
			p.name()
		}
		if p.accept("(") {
			for !p.accept(")") && p.err == nil {
				p.variable(d)
			}
		}
		p.directives()
	}
	d.selected = p.selections()
}

// variable reads a definition of a variable.
func (p *parser) variable(d *document) {
	p.expect("$")
	called := p.name()
	if _, twice := d.defaults[called]; twice {
		p.fail("the query has the variable %s twice", called)
	}
	d.defaults[called] = word{}
	p.expect(":")
	p.typeName()
	if p.accept("=") {
		d.defaults[called] = p.value()
	}
	p.directives()
}

func (p *parser) typeName() {
	defer p.deeper()()
	if p.accept("[") {
		p.typeName()
		p.expect("]")
	} else {
		p.name()
	}
	p.accept("!")
}

func (p *parser) fragment(d *document) {
	p.expect("fragment")
	called := p.name()
	if called == "on" || d.fragments[called] != nil {
		p.fail("the query has the fragment %q twice, or it cannot be called that", called)
	}
	p.expect("on")
	f := &fragment{on: p.name()}
	p.directives()
	f.selected = p.selections()
	d.fragments[called] = f
}

// directives reads those that only leave something out.
func (p *parser) directives() {
	for p.accept("@") {
		if called := p.name(); called != "include" && called != "skip" {
			p.fail("the directive @%s is not sent on", called)
		}
		p.arguments(nil)
	}
}

// selections reads what is selected, in its braces.
func (p *parser) selections() (list []selection) {
	defer p.deeper()()
	p.expect("{")
	for p.err == nil {
		list = append(list, p.selection())
		if p.accept("}") {
			break
		}
	}
	return list
}

func (p *parser) selection() (s selection) {
	if p.accept("...") {
		switch {
		case p.accept("on"):
			s.on = p.name()
		case p.peek() != "@" && p.peek() != "{":
			s.fragment = p.name()
			p.directives()
			return s
		}
		p.directives()
		s.selected = p.selections()
		return s
	}
	s.field = p.name()
	if p.accept(":") {
		s.field = p.name()
	}
	p.arguments(&s)
	p.directives()
	if p.peek() == "{" {
		s.selected = p.selections()
	}
	return s
}

// arguments reads the arguments of a field, if it has any. Those that name a repository are kept in s.
func (p *parser) arguments(s *selection) {
	if !p.accept("(") {
		return
	}
	seen := map[string]bool{}
	for p.err == nil {
		called := p.name()
		if seen[called] {
			p.fail("the query has the argument %s twice", called)
		}
		seen[called] = true
		p.expect(":")
		value := p.value()
		switch {
		case s != nil && called == "owner":
			s.owner = value
		case s != nil && called == "name":
			s.name = value
		}
		if p.accept(")") {
			return
		}
	}
}

// value reads a value. It returns a string, or a variable as a word of kind name whose text is "$" and its name; else nothing.
func (p *parser) value() (w word) {
	defer p.deeper()()
	switch {
	case p.accept("$"):
		return word{kind: name, text: "$" + p.name()}
	case p.accept("["):
		for !p.accept("]") && p.err == nil {
			p.value()
		}
		return w
	case p.accept("{"):
		seen := map[string]bool{}
		for !p.accept("}") && p.err == nil {
			called := p.name()
			if seen[called] {
				p.fail("the query has the key %s twice", called)
			}
			seen[called] = true
			p.expect(":")
			p.value()
		}
		return w
	}
	if w = p.next(); w.kind == punctuation {
		p.fail("the query has %q where a value must be", w.text)
	}
	if w.kind != quoted {
		return word{}
	}
	return w
}

// deeper counts how deep what is read lies in something else.
func (p *parser) deeper() func() {
	if p.depth++; p.depth > maxQueryDepth {
		p.fail("the query is nested too deep")
	}
	return func() { p.depth-- }
}

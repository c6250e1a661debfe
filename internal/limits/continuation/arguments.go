package continuation

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Options are the options of codex exec that take values, and its subcommands, by its own help.
type Options struct {
	takes    map[string]bool // by name: true for an option that takes all words up to the next option, false for one that takes one
	commands []string
}

// ParseHelp reads the help texts of codex exec and codex exec resume.
func ParseHelp(texts ...string) Options {
	o := Options{takes: map[string]bool{}}
	for _, text := range texts {
		inCommands := false
		for line := range strings.Lines(text) {
			words := strings.Fields(line)
			switch {
			case len(words) == 0:
				inCommands = false
			case !strings.HasPrefix(line, " "):
				inCommands = words[0] == "Commands:"
			case inCommands:
				o.commands = append(o.commands, words[0])
			case strings.HasPrefix(words[0], "-"):
				o.option(words)
			}
		}
	}
	return o
}

// option notes an option with its names: -i, --image <FILE>...
func (o Options) option(words []string) {
	value := slices.IndexFunc(words, func(word string) bool { return strings.HasPrefix(word, "<") })
	if value < 0 {
		return
	}
	for _, name := range words[:value] {
		name = strings.TrimSuffix(name, ",")
		o.takes[name] = o.takes[name] || strings.HasSuffix(words[value], "...")
	}
}

// Call is a call of codex exec.
type Call struct {
	before, after []string // the options before and after the word resume
	Resumes       bool     // it has the word resume
	HasPrompt     bool     // the prompt is an argument; else codex reads it from standard input
}

// dropped are options whose effect is in the session already, or that choose another session.
var dropped = []string{"-i", "--image", "--last", "--all"}

// Parse takes the arguments of codex exec apart. It fails for a subcommand that begins no session of its own.
func (o Options) Parse(args []string) (Call, error) {
	if len(o.takes) == 0 {
		return Call{}, errors.New("the help of codex exec names no options")
	}
	var c Call
	var positional []string
	last := false
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			positional = append(positional, args[i+1:]...)
			i = len(args)
		case len(arg) > 1 && arg[0] == '-':
			n := o.length(args[i:])
			last = last || arg == "--last"
			c.add(args[i : i+n])
			i += n - 1
		case len(positional) == 0 && !c.Resumes && slices.Contains(o.commands, arg):
			if arg != "resume" {
				return c, fmt.Errorf("codex exec %s cannot be continued", arg)
			}
			c.Resumes = true
		default:
			positional = append(positional, arg)
		}
	}
	if c.Resumes && !last && len(positional) > 0 {
		positional = positional[1:] // the session
	}
	c.HasPrompt = len(positional) > 0 && positional[0] != "-"
	return c, nil
}

// length returns the number of arguments that the option at the beginning of args consists of, with its values.
func (o Options) length(args []string) int {
	many, takes := o.takes[args[0]]
	switch {
	case !takes || len(args) == 1:
		return 1
	case !many:
		return 2
	}
	next := slices.IndexFunc(args[1:], func(arg string) bool { return strings.HasPrefix(arg, "-") })
	if next < 0 {
		return len(args)
	}
	return 1 + next
}

// add adds an option for the calls that go on.
func (c *Call) add(option []string) {
	name, _, _ := strings.Cut(option[0], "=")
	switch {
	case slices.Contains(dropped, name):
	case c.Resumes:
		c.after = append(c.after, option...)
	default:
		c.before = append(c.before, option...)
	}
}

// Resume returns the arguments of a codex exec that goes on with the session, by a prompt.
func (c Call) Resume(session, prompt string) []string {
	return slices.Concat(c.before, []string{"resume"}, c.after, []string{session, prompt})
}

// PrintsEvents reports whether codex exec with these arguments prints its events as JSON.
func PrintsEvents(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--experimental-json")
}

package desk

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"swop/config"
	"swop/internal/say"
)

// The kinds of what a session asks for.
const (
	KindWrite   = "write"
	KindRead    = "read"
	KindConnect = "connect"
)

// Ask is what a program inside asks for.
type Ask struct {
	Kind    string   `json:"kind" toml:"kind"`
	Target  string   `json:"target" toml:"target"`       // a path or a host
	Gives   string   `json:"gives,omitempty" toml:"-"`   // what else that comes to
	Reason  string   `json:"reason,omitempty" toml:"-"`  // in the words of who asks
	Command []string `json:"command,omitempty" toml:"-"` // what is to run with it
}

// Request is an [Ask] as a program sends it.
type Request struct {
	Ask
	Timeout float64  `json:"timeout,omitempty"` // in seconds
	Session string   `json:"session,omitempty"` // of codex, "" where that is not known
	Program string   `json:"program,omitempty"` // the path of the command
	Dir     string   `json:"dir,omitempty"`     // where it runs
	Env     []string `json:"env,omitempty"`
}

// Verdict is the answer to a request.
type Verdict struct {
	Verdict string `json:"verdict"` // one of the verdicts below
	Kind    string `json:"kind"`
	Target  string `json:"target"`
	ID      string `json:"id,omitempty"` // none where nobody was asked
	Reason  string `json:"reason,omitempty"`
	Beside  bool   `json:"beside,omitempty"` // the command runs beside the session: its status follows
}

// The verdicts.
const (
	Granted    = "granted"
	Denied     = "denied"     // by the user
	Forbidden  = "forbidden"  // no answer gives that
	Unanswered = "unanswered" // in time
)

// The bounds of a request.
const (
	maxReason  = 500
	maxCommand = 2000
	maxRequest = 1 << 20
	maxTimeout = 24 * time.Hour
)

// MaxPath is how long a path may be.
const MaxPath = 4095

// readRequest returns the request in a line of JSON, or what is wrong with it.
func readRequest(line []byte) (r Request, err error) {
	if json.Unmarshal(line, &r) != nil || r.Timeout < 0 || r.Timeout > maxTimeout.Seconds() {
		return r, errors.New("is no request")
	}
	r.Gives = "" // which is not for a program to say
	if len(r.Session) > maxReason {
		return r, errors.New("is too long")
	}
	return r, r.check()
}

// check refuses what is no request.
func (a Ask) check() error {
	texts := strings.Join(append([]string{a.Target, a.Reason}, a.Command...), "")
	switch {
	case a.Target == "":
		return errors.New("names nothing")
	case strings.ContainsRune(texts, 0), !utf8.ValidString(texts):
		return errors.New("has a NUL, or is no UTF-8")
	case len(a.Target) > MaxPath, len(a.Reason) > maxReason, len(strings.Join(a.Command, " ")) > maxCommand:
		return errors.New("is too long")
	}
	switch a.Kind {
	case KindWrite, KindRead:
	case KindConnect:
		if !config.IsHost(a.Target) || strings.HasPrefix(a.Target, "*") {
			return fmt.Errorf("%q is not one of: host, host:port", a.Target)
		}
	default:
		return fmt.Errorf("unknown request %q", a.Kind)
	}
	return nil
}

// is reports whether two ask for the same.
func (a Ask) is(other Ask) bool { return a.Kind == other.Kind && a.Target == other.Target }

// Text says what is asked for, for a person, on one line. It has no character that moves a terminal's cursor.
func (a Ask) Text() string {
	text := a.Kind + " " + a.Target
	if a.Kind == KindConnect {
		text = "connect to " + a.Target
	}
	if a.Gives != "" {
		text += ", " + a.Gives
	}
	if len(a.Command) > 0 {
		text += fmt.Sprintf(", to run: %s", strings.Join(a.Command, " "))
	}
	if a.Reason != "" {
		text += fmt.Sprintf(" (it says: %s)", a.Reason)
	}
	return say.OneLine(text)
}

package desk

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"swop/config"
	"swop/internal/say"
)

// The kinds of requests.
const (
	KindWrite   = "write"
	KindRead    = "read"
	KindConnect = "connect"
)

// Ask is a request of a program inside.
type Ask struct {
	Kind    string   `json:"kind"`
	Target  string   `json:"target"`            // a path or a host
	Gives   string   `json:"gives,omitempty"`   // more than the target says
	Reason  string   `json:"reason,omitempty"`  // in the asker's words
	Command []string `json:"command,omitempty"` // runs with the grant
}

// Request is an [Ask] as a program sends it.
type Request struct {
	Ask
	Timeout time.Duration `json:"timeout"`
	Session string        `json:"session"` // of codex, "" for an unknown one
	Program string        `json:"program"` // the path of the command
	Dir     string        `json:"dir"`     // of the command
	Env     []string      `json:"env"`
}

// Question is a request, and the answer to it.
type Question struct {
	ID string `json:"id,omitempty"` // none where nobody was asked
	Ask
	State   string `json:"state"`             // a state below
	Why     string `json:"why,omitempty"`     // of the answer
	How     string `json:"how,omitempty"`     // how long a grant holds
	Session string `json:"session,omitempty"` // of codex, for which a grant is kept
}

// The states of a question.
const (
	Pending    = "pending"
	Granted    = "granted"
	Denied     = "denied"     // by the user
	Forbidden  = "forbidden"  // no answer gives the target
	Unanswered = "unanswered" // in time
)

// How long a grant holds.
const (
	Once       = "once"    // while the command runs
	ForSession = "session" // in this session, and where codex goes on with it
	Always     = "always"  // in this session and later ones
)

// The bounds of a request: of its words for the user, with room for a path, and of all.
const (
	maxWords   = 6000
	maxRequest = 1 << 20
)

// check fails for a request that is malformed, or too long.
func (r Request) check() error {
	if len(r.Text())+len(r.Session) > maxWords {
		return errors.New("is too long")
	}
	switch r.Kind {
	case KindWrite, KindRead:
	case KindConnect:
		if !config.IsHost(r.Target) || strings.HasPrefix(r.Target, "*") {
			return fmt.Errorf("%q is not one of: host, host:port", r.Target)
		}
	default:
		return fmt.Errorf("unknown request %q", r.Kind)
	}
	return nil
}

// is reports whether two ask for the same.
func (a Ask) is(other Ask) bool { return a.Kind == other.Kind && a.Target == other.Target }

// RunsBeside reports whether the command runs beside the session: a host is given to the session as a whole.
func (a Ask) RunsBeside() bool { return len(a.Command) > 0 && a.Kind != KindConnect }

// Text returns the request for a person, on one line. It has no character that moves a terminal's cursor.
func (a Ask) Text() string {
	text := a.Kind + " " + a.Target
	if a.Kind == KindConnect {
		text = "connect to " + a.Target
	}
	if a.Gives != "" {
		text += ", " + a.Gives
	}
	if len(a.Command) > 0 {
		text += ", which the session may keep, to run: " + strings.Join(a.Command, " ")
	}
	if a.Reason != "" {
		text += fmt.Sprintf(" (it says: %s)", a.Reason)
	}
	return say.OneLine(text)
}

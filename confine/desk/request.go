package desk

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"swop/config"
	"swop/say"
)

// Access is how something is given.
type Access string

// What is asked for.
const (
	ToRead  Access = "read"
	ToWrite Access = "write"
)

// The kinds of what a session asks for.
const (
	KindWrite   = string(ToWrite)
	KindRead    = string(ToRead)
	KindConnect = "connect"
	KindBridge  = "bridge"
)

// Ask is what a program inside asks for.
type Ask struct {
	Kind    string   `json:"kind" toml:"kind"`
	Target  string   `json:"target" toml:"target"`                 // a path, a host, or the name of a bridge
	Rule    string   `json:"rule,omitempty" toml:"rule,omitempty"` // of a bridge
	Reason  string   `json:"reason,omitempty" toml:"-"`            // in the words of who asks
	Command []string `json:"command,omitempty" toml:"-"`           // what is to run with it
	Timeout float64  `json:"timeout,omitempty" toml:"-"`           // in seconds
}

// Verdict is the answer to an [Ask].
type Verdict struct {
	Verdict string `json:"verdict"` // one of the verdicts below
	Kind    string `json:"kind"`
	Target  string `json:"target"`
	Rule    string `json:"rule,omitempty"`
	ID      string `json:"id,omitempty"` // none where nobody was asked
	Reason  string `json:"reason,omitempty"`
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
	maxAsk     = 32 << 10
	maxTimeout = 24 * time.Hour
	usualTime  = 5 * time.Minute
)

// readAsk returns the request in a line of JSON, or what is wrong with it.
func readAsk(line []byte) (a Ask, err error) {
	if err := json.Unmarshal(line, &a); err != nil {
		return a, errors.New("is no request")
	}
	return a, a.check()
}

// check refuses what is no request.
func (a Ask) check() error {
	texts := strings.Join(append([]string{a.Target, a.Rule, a.Reason}, a.Command...), "")
	switch {
	case a.Target == "":
		return errors.New("names nothing")
	case strings.ContainsRune(texts, 0), !utf8.ValidString(texts):
		return errors.New("has a NUL, or is no UTF-8")
	case len(a.Target) > MaxPath, len(a.Rule) > maxReason, len(a.Reason) > maxReason, len(strings.Join(a.Command, " ")) > maxCommand:
		return errors.New("is too long")
	case a.Timeout < 0, a.Timeout > maxTimeout.Seconds():
		return errors.New("has a timeout that is no time")
	}
	switch a.Kind {
	case KindWrite, KindRead:
	case KindConnect:
		if !config.IsHost(a.Target) || strings.HasPrefix(a.Target, "*") {
			return fmt.Errorf("%q is not one of: host, host:port", a.Target)
		}
	case KindBridge:
		if a.Rule == "" {
			return errors.New("names no rule of the bridge")
		}
	default:
		return fmt.Errorf("%q is no kind of request", a.Kind)
	}
	return nil
}

// MaxPath is how long a path may be.
const MaxPath = 4095

func (a Ask) timeout() time.Duration {
	if a.Timeout == 0 {
		return usualTime
	}
	return time.Duration(a.Timeout * float64(time.Second))
}

// what tells requests apart.
func (a Ask) what() string { return a.Kind + "\x00" + a.Target + "\x00" + a.Rule }

// Text says what is asked for, for a person, on one line. It has no character that moves a terminal's cursor.
func (a Ask) Text() string {
	text := ""
	switch a.Kind {
	case KindConnect:
		text = "connect to " + a.Target
	case KindBridge:
		text = fmt.Sprintf("use the bridge %q for %s", a.Target, a.Rule)
	default:
		text = a.Kind + " " + a.Target
	}
	if len(a.Command) > 0 {
		text += fmt.Sprintf(", to run: %s", strings.Join(a.Command, " "))
	}
	if a.Reason != "" {
		text += fmt.Sprintf(" (it says: %s)", a.Reason)
	}
	return say.OneLine(text)
}

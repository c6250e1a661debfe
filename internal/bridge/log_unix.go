//go:build unix

package bridge

import (
	"encoding/json"
	"path/filepath"
	"sync"
	"time"

	"swop/internal/disk"
)

// logDir has a file for each account with the requests to its bridges, below swop's root: no account can push out the lines of another.
// After maxLog bytes a file begins again, and in a minute a session writes at most maxEvents lines.
const (
	logDir    = "log/bridge"
	maxLog    = 8 << 20
	maxEvents = 300
)

// event is a line of the log. It has no query, no header and no body: there may be anything in them.
type event struct {
	Time    time.Time `json:"time"`
	Account string    `json:"account"`
	Bridge  string    `json:"bridge"`
	Method  string    `json:"method"`
	Path    string    `json:"path"`
	Verdict string    `json:"verdict"` // allowed or refused
	Status  int       `json:"status"`
	Reason  string    `json:"reason,omitempty"`   // of a refusal
	LeftOut int       `json:"left_out,omitempty"` // lines that were too many in the minute before
}

// The verdicts.
const (
	allowed = "allowed"
	refused = "refused"
)

// maxLogged bounds what is kept of a path and a reason.
const maxLogged = 512

// logged counts the lines of a session in this minute.
type logged struct {
	mu             sync.Mutex
	minute         time.Time
	lines, leftOut int
}

// log adds an event to the log. That it could not be written stops no request.
func (s *Session) log(e event) {
	e.Time, e.Account = s.options.Now().UTC(), s.options.Account
	e.Path, e.Reason = e.Path[:min(len(e.Path), maxLogged)], e.Reason[:min(len(e.Reason), maxLogged)]
	l := &s.logged
	l.mu.Lock()
	defer l.mu.Unlock()
	if minute := e.Time.Truncate(time.Minute); !minute.Equal(l.minute) {
		l.minute, l.lines, e.LeftOut, l.leftOut = minute, 0, l.leftOut, 0
	}
	if l.lines++; l.lines > maxEvents {
		l.leftOut++
		return
	}
	if line, err := json.Marshal(e); err == nil {
		_ = disk.AppendLine(filepath.Join(s.options.Root, logDir, e.Account+".jsonl"), line, maxLog) // see above
	}
}

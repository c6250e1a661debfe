//go:build unix

package bridge

import (
	"encoding/json"
	"path/filepath"
	"time"

	"swop/internal/disk"
)

// logFile is where the requests to bridges are listed, below swop's root, and maxLog after how many bytes it begins again.
const (
	logFile = "log/bridge.jsonl"
	maxLog  = 8 << 20
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
	Reason  string    `json:"reason,omitempty"` // of a refusal
}

// The verdicts.
const (
	allowed = "allowed"
	refused = "refused"
)

// maxLogged bounds what is kept of a path and a reason.
const maxLogged = 512

// log adds an event to the log. That it could not be written stops no request.
func (s *Session) log(e event) {
	e.Time, e.Account = s.options.Now().UTC(), s.options.Account
	e.Path, e.Reason = e.Path[:min(len(e.Path), maxLogged)], e.Reason[:min(len(e.Reason), maxLogged)]
	if line, err := json.Marshal(e); err == nil {
		_ = disk.AppendLine(filepath.Join(s.options.Root, logFile), line, maxLog) // see above
	}
}

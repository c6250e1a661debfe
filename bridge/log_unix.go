//go:build unix

package bridge

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"time"

	"swop/disk"
)

// LogFile is where the requests to bridges are listed, below swop's root. It begins again at maxLog bytes; what was before is kept beside it,
// with oldLog at its end.
const (
	LogFile = "log/bridge.jsonl"
	maxLog  = 8 << 20
	oldLog  = ".1"
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

// journal writes the log. Several supervisors append to one file: a line is one write.
type journal struct {
	path string

	mu     sync.Mutex
	file   *os.File
	closed bool
}

// maxLogged bounds what is kept of a path and a reason.
const maxLogged = 512

// add appends an event. That it could not be written stops no request.
func (j *journal) add(e event) {
	e.Path, e.Reason = e.Path[:min(len(e.Path), maxLogged)], e.Reason[:min(len(e.Reason), maxLogged)]
	line, err := json.Marshal(e)
	if err != nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.closed && j.open() == nil {
		_, _ = j.file.Write(append(line, '\n')) // see above
	}
}

// open opens the log, a new one where this one is full or another process has begun one.
func (j *journal) open() error {
	if j.file != nil {
		mine, err := j.file.Stat()
		now, nowErr := os.Stat(j.path)
		if err == nil && nowErr == nil && os.SameFile(mine, now) && mine.Size() < maxLog {
			return nil
		}
		if nowErr == nil && now.Size() >= maxLog {
			_ = os.Rename(j.path, j.path+oldLog) // another process may have been faster
		}
		_ = j.file.Close() // what was written is written
		j.file = nil
	}
	if err := disk.MakeDirs(filepath.Dir(j.path)); err != nil {
		return err
	}
	f, err := os.OpenFile(j.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err == nil {
		j.file = f
	}
	return err
}

// close ends the log, also for requests that are still on their way.
func (j *journal) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
	if j.file != nil {
		_ = j.file.Close() // what was written is written
		j.file = nil
	}
}

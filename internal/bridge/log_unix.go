//go:build unix

package bridge

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"swop/internal/disk"
)

// logDir has a file for each account with the requests to its bridges, below swop's root: no account can push out the lines of another.
// After maxLog bytes a file begins again, and in a minute all sessions of an account write at most maxEvents lines.
const (
	logDir    = "log/bridge"
	maxLog    = 8 << 20
	maxEvents = 300
)

// event is a line of the log. It has no query, no header and no body, which may have secrets.
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

// maxLogged bounds each text of a request in the log, in bytes.
const maxLogged = 512

// log adds an event to the log. A log that cannot be written stops no request.
func (s *Session) log(e event) {
	e.Time, e.Account = s.options.Now().UTC(), s.options.Account
	for _, text := range []*string{&e.Method, &e.Path, &e.Reason} {
		*text = (*text)[:min(len(*text), maxLogged)]
	}
	file := filepath.Join(s.options.Root, logDir, e.Account)
	var n int
	if n, e.LeftOut = count(file+".count", e.Time); n > maxEvents {
		return
	}
	if line, err := json.Marshal(e); err == nil {
		_ = disk.AppendLine(file+".jsonl", line, maxLog) // an error stops no request
	}
}

// count returns the number of an event among those of the account in this minute, and how many of the minute before were left out. The
// first line of the file has a minute, and the number of its last event.
func count(file string, now time.Time) (n, leftOut int) {
	if disk.MakeDirs(filepath.Dir(file)) != nil {
		return 0, 0
	}
	f, err := lockedfile.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return 0, 0
	}
	defer f.Close()
	minute, last := now.Unix()/60, int64(0)
	_, _ = fmt.Fscan(f, &last, &n) // an empty file has none
	if last != minute {
		n, leftOut = 0, max(0, n-maxEvents)
	}
	n++
	_, _ = f.WriteAt(fmt.Appendf(nil, "%d %d\n", minute, n), 0) // if it fails the next one has this number again
	return n, leftOut
}

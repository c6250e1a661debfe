package desk

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"swop/internal/disk"
)

// Event is one line of the log of confinement.
type Event struct {
	Time    time.Time `json:"time"`
	Kind    string    `json:"event"` // a kind below
	Account string    `json:"account"`
	Policy  string    `json:"policy"`
	Dir     string    `json:"dir,omitempty"`
	Ask     string    `json:"ask,omitempty"` // the request, or the blocked connection
	// why a session did not start confined, why a program asked, why a request was denied or blocked; or how long a grant holds
	Reason string `json:"reason,omitempty"`
}

// The kinds of events.
const (
	Begun    = "start"
	FellBack = "fallback" // the session ran unconfined, as the policy says
	Refused  = "refusal"  // the session did not run
	Blocked  = "blocked"  // a program inside tried to reach a host outside of the policy

	Requested = "request" // a program inside asked
	Grant     = "grant"   // the user allowed the request
	Denial    = "denial"  // the user refused the request, or no answer can give the target
	Revoked   = "revoke"  // a grant ended
)

// maxLog is the size from which on a log is put aside: two logs of this size are kept at most.
const maxLog = 1 << 20

func logFile(root string) string { return filepath.Join(root, "log", "confinement.jsonl") }

// Note appends an event to the log in swop's root.
func Note(root string, e Event) error {
	line, _ := json.Marshal(e) // it cannot fail: these are texts and a time
	return disk.AppendLine(logFile(root), line, maxLog)
}

// Counts returns how many events of each kind the log has. A torn line is not counted.
func Counts(root string) (counts map[string]int, err error) {
	counts = map[string]int{Begun: 0, FellBack: 0, Refused: 0, Blocked: 0, Requested: 0, Grant: 0, Denial: 0, Revoked: 0}
	for _, file := range []string{logFile(root) + ".1", logFile(root)} {
		text, err := os.ReadFile(file)
		if disk.Ignore(err, fs.ErrNotExist) != nil {
			return counts, err
		}
		for line := range bytes.Lines(text) {
			var e Event
			if json.Unmarshal(line, &e) == nil && e.Kind != "" {
				counts[e.Kind]++
			}
		}
	}
	return counts, nil
}

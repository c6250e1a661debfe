package usage

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"swop/internal/account/login"
	"swop/internal/limits/pool"
)

// Reading is codex's answer about an account's limits.
type Reading struct {
	Plan    string        `json:"plan,omitempty"`
	Windows []pool.Window `json:"windows"` // the shortest first
	// Reached is the server's word for the limit that is reached, "" without one.
	Reached string `json:"limit_reached,omitempty"`
	// Workspace is the name of the login's workspace, "" for a person's own, or where codex does not know it.
	Workspace string `json:"workspace,omitempty"`
}

// LimitReached is the server's word where the plan's own limit is reached.
const LimitReached = "rate_limit_reached"

// OfWorkspace reports whether the limit that is reached is the workspace's, which another login of the plan would not lift.
func (r Reading) OfWorkspace() bool { return strings.HasPrefix(r.Reached, "workspace_") }

// mostUsed returns the window that is used most at a time, the zero value where all are reset.
func (r Reading) mostUsed(now time.Time) (most pool.Window) {
	for _, w := range r.Windows {
		if w.ResetsAt.After(now) && (most.ResetsAt.IsZero() || w.Used > most.Used) {
			most = w
		}
	}
	return most
}

// codexBucket is the limit id of codex's own limits. Other ids are those of single models.
const codexBucket = "codex"

// snapshot is one bucket of an answer.
type snapshot struct {
	LimitID, PlanType  string
	Reached            string `json:"rateLimitReachedType"`
	Primary, Secondary json.RawMessage
}

// parseReading reads the result of account/rateLimits/read, asked at the time at. The bucket of codex's own name counts; the first bucket
// completes it, if it is also codex's. Buckets of single models do not count. An impossible number is left out.
func parseReading(result []byte, at time.Time) (Reading, error) {
	var answer struct {
		RateLimits json.RawMessage
		ByLimitID  map[string]json.RawMessage `json:"rateLimitsByLimitId"`
	}
	if json.Unmarshal(result, &answer) != nil {
		return Reading{}, Unreadable
	}
	main, ok := parseSnapshot(answer.RateLimits)
	own, named := parseSnapshot(answer.ByLimitID[codexBucket])
	if !ok && !named {
		return Reading{}, Unreadable
	}
	r := Reading{Windows: []pool.Window{}}
	if named {
		r.add(own, at)
	}
	if ok && (!named || main.LimitID == "" || main.LimitID == codexBucket) {
		r.add(main, at)
	}
	if r.Plan == "" {
		r.Plan = printable(main.PlanType)
	}
	slices.SortFunc(r.Windows, func(a, b pool.Window) int { return a.Minutes - b.Minutes })
	return r, nil
}

// parseSnapshot reads a bucket. A field of another type than expected is as if it were missing.
func parseSnapshot(raw []byte) (s snapshot, ok bool) {
	err := json.Unmarshal(raw, &s)
	return s, bytes.HasPrefix(raw, []byte("{")) && (err == nil || errors.As(err, new(*json.UnmarshalTypeError)))
}

// add adds the fields of a bucket that the reading does not have yet.
func (r *Reading) add(s snapshot, at time.Time) {
	known := len(r.Windows) > 0
	for _, raw := range [][]byte{s.Primary, s.Secondary} {
		if w, ok := parseWindow(raw, at); ok && !known {
			r.Windows = append(r.Windows, w)
		}
	}
	if r.Plan == "" {
		r.Plan = printable(s.PlanType)
	}
	if r.Reached == "" {
		r.Reached = printable(s.Reached)
	}
}

// longest is the longest credible window: a year.
const longest = 366 * 24 * time.Hour

// parseWindow reads a window. It reports false for one without a percentage, or with neither a length nor an end.
func parseWindow(raw []byte, at time.Time) (pool.Window, bool) {
	var said struct {
		UsedPercent        *float64
		WindowDurationMins *float64
		ResetsAt           *float64
	}
	if json.Unmarshal(raw, &said) != nil || said.UsedPercent == nil || *said.UsedPercent < 0 {
		return pool.Window{}, false
	}
	w := pool.Window{Used: int(math.Min(*said.UsedPercent, 100))}
	length := longest
	if m := said.WindowDurationMins; m != nil && *m >= 1 && *m <= longest.Minutes() {
		w.Minutes = int(*m)
		length = time.Duration(w.Minutes) * time.Minute
	}
	// A window ends at most its length from now. For a later end, or none, that time counts.
	latest := at.Add(length + time.Minute)
	switch {
	case said.ResetsAt != nil && *said.ResetsAt > 0 && *said.ResetsAt <= float64(latest.Unix()):
		w.ResetsAt = time.Unix(int64(*said.ResetsAt), 0).UTC()
	case w.Minutes == 0:
		return pool.Window{}, false
	default:
		w.ResetsAt = at.Add(length)
	}
	return w, true
}

// maxWord bounds a word of the server's, in bytes.
const maxWord = 60

func printable(s string) string { return login.Printable(s, maxWord) }

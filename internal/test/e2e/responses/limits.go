package responses

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// A Refusal is how the server answers the turns of a token that it no longer serves.
type Refusal struct {
	After  int       // so many turns are answered first
	Resets time.Time // of the limit
	Body   string    // of another error than the account's limit
	Status int       // of that, 400 for 0
	Event  string    // "response.failed" or "error": the limit comes as such an event, in a stream that began with 200
}

// Refuse makes the server refuse turns with the bearer token, counted from now: by the error of OpenAI's for an account that is at its
// limit, or the one in r. The latest call for a token counts.
func (s *Server) Refuse(token string, r Refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refusals == nil {
		s.refusals = map[string]Refusal{}
	}
	s.refusals[token] = r
}

// Serve ends what [Server.Refuse] has begun.
func (s *Server) Serve(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.refusals, token)
}

// refuses returns the refusal for a turn with the token, nil if it is answered. The caller holds the lock.
func (s *Server) refuses(token string) *Refusal {
	r, ok := s.refusals[token]
	switch {
	case !ok:
		return nil
	case r.After > 0:
		r.After--
		s.refusals[token] = r
		return nil
	}
	return &r
}

// send answers the nth request with the refusal.
func (r *Refusal) send(w http.ResponseWriter, n int) {
	limit := object{
		"type": "usage_limit_reached", "message": "The usage limit has been reached", "plan_type": "plus",
		"resets_at": r.Resets.Unix(),
	}
	if r.Event != "" {
		w.Header().Set("Content-Type", "text/event-stream")
		limit["code"] = "usage_limit_reached"
		e := object{"type": r.Event, "error": limit}
		if r.Event == "response.failed" {
			e = object{"type": r.Event, "response": object{"id": fmt.Sprintf("resp_%d", n), "status": "failed", "error": limit}}
		}
		send(w, created(n), e)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if r.Body != "" {
		w.WriteHeader(max(r.Status, http.StatusBadRequest))
		fmt.Fprint(w, r.Body)
		return
	}
	for name, value := range map[string]any{
		"primary-used-percent": 100, "primary-window-minutes": 300, "primary-reset-at": r.Resets.Unix(),
		"secondary-used-percent": 40, "secondary-window-minutes": 10080, "secondary-reset-at": r.Resets.Unix(),
	} {
		w.Header().Set("x-codex-"+name, fmt.Sprint(value))
	}
	w.WriteHeader(http.StatusTooManyRequests)
	_ = json.NewEncoder(w).Encode(object{"error": limit}) // codex may have gone
}

package transcript

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"
)

// The most that is read of a transcript: its first line has codex's instructions in it, and the prompt follows soon.
const (
	maxLine = 1 << 20
	maxRead = 4 << 20
)

// line is one of a transcript. Until 0.32 the first had the fields of the payload itself.
type line struct {
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload"`
}

// meta is what the first line says of the session.
type meta struct {
	ID             string          `json:"id"`
	Timestamp      time.Time       `json:"timestamp"`
	Dir            string          `json:"cwd"`
	Release        string          `json:"cli_version"`
	Source         json.RawMessage `json:"source"`
	CreatorAccount string          `json:"creator_account_id"`
	CreatorUser    string          `json:"creator_user_id"`
}

// Parse reads the beginning of a transcript. It reports false for a text that is none, and for a session of codex's own helpers.
func Parse(r io.Reader) (Session, bool) {
	in := bufio.NewReader(io.LimitReader(r, maxRead))
	first, err := readLine(in)
	var l line
	if err != nil && !errors.Is(err, io.EOF) || json.Unmarshal(first, &l) != nil {
		return Session{}, false
	}
	if l.Type == "session_meta" {
		first = l.Payload
	}
	var m meta
	if json.Unmarshal(first, &m) != nil || !isID(m.ID) || m.isHelpers() {
		return Session{}, false
	}
	return Session{
		ID: m.ID, Dir: m.Dir, Prompt: prompt(in), Begun: m.Timestamp, Release: m.Release,
		CreatorAccount: m.CreatorAccount, CreatorUser: m.CreatorUser,
	}, true
}

// isHelpers reports whether codex began the session for another one.
func (m meta) isHelpers() bool { return strings.Contains(string(m.Source), "subagent") }

// isID reports whether id looks like codex's: it becomes an argument of codex.
func isID(id string) bool {
	for _, c := range id {
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '-' {
			return false
		}
	}
	return len(id) >= 8 && len(id) <= 64 && id[0] != '-'
}

// prompt returns the first line of the first message of the user's, "" for none in what is read.
func prompt(in *bufio.Reader) string {
	for {
		text, err := readLine(in)
		if p := promptIn(text); p != "" {
			return p
		}
		if err != nil {
			return ""
		}
	}
}

// promptIn returns the first line of what the user wrote, if a line of a transcript has it. What codex itself tells the model in the user's
// name is in lines of another type.
func promptIn(text []byte) string {
	var l line
	var event struct {
		Type    string
		Message string // of a user_message: until some release between 0.128 and 0.169
		Item    struct {
			Type    string
			Content []struct{ Text string }
		}
	}
	if json.Unmarshal(text, &l) != nil || l.Type != "event_msg" || json.Unmarshal(l.Payload, &event) != nil {
		return ""
	}
	switch {
	case event.Type == "user_message":
		return firstLine(event.Message)
	case event.Type == "item_completed" && event.Item.Type == "UserMessage":
		for _, part := range event.Item.Content {
			if first := firstLine(part.Text); first != "" {
				return first
			}
		}
	}
	return ""
}

// firstLine returns the first line that is not empty.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// readLine returns the next line; one that is longer than maxLine is skipped, and returned empty.
func readLine(in *bufio.Reader) ([]byte, error) {
	var text []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(text) <= maxLine {
			text = append(text, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if len(text) > maxLine {
			text = nil
		}
		return text, err
	}
}

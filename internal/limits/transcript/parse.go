package transcript

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"swop/internal/disk"
)

// The bounds of reading a transcript, in bytes: its first line has codex's instructions, and the prompt follows soon.
const (
	maxLine    = 1 << 20
	maxRead    = 4 << 20
	bufferSize = 32 << 10 // most beginnings fit
)

// line is the first line of a transcript. Until 0.32 it had the fields of the payload itself.
type line struct {
	Type    string `json:"type"`
	Payload *meta  `json:"payload"`
	meta
}

// meta is the session by the first line.
type meta struct {
	ID             string          `json:"id"`
	Timestamp      string          `json:"timestamp"`
	Dir            string          `json:"cwd"`
	Release        string          `json:"cli_version"`
	Source         json.RawMessage `json:"source"`
	CreatorAccount string          `json:"creator_account_id"`
	CreatorUser    string          `json:"creator_user_id"`
}

// Parse reads the beginning of a transcript. It reports false for a session that was begun in another directory than dir, unless dir is "",
// for one of codex's own helpers, and for a text that is no transcript.
func Parse(r io.Reader, dir string) (Session, bool) {
	in := bufio.NewReaderSize(io.LimitReader(r, maxRead), bufferSize)
	first, err := readLine(in, maxLine)
	if err != nil && !errors.Is(err, io.EOF) {
		return Session{}, false
	}
	s, ok := parseHead(first)
	if !ok || dir != "" && s.Dir != dir && !disk.SameFile(s.Dir, dir) { // a session's own path, before the directory was shared
		return Session{}, false
	}
	s.Prompt = prompt(in)
	return s, true
}

// parseHead reads the first line of a transcript. It reports false for one of a helper, and for any other text.
func parseHead(first []byte) (Session, bool) {
	var l line
	if err := json.Unmarshal(first, &l); err != nil && !errors.As(err, new(*json.UnmarshalTypeError)) {
		return Session{}, false // a field of another type than expected is as if it were missing
	}
	m := l.meta
	if l.Type == "session_meta" && l.Payload != nil {
		m = *l.Payload
	}
	begun, _ := time.Parse(time.RFC3339, m.Timestamp) // else the zero time
	return Session{
		ID: m.ID, Dir: m.Dir, Begun: begun, Release: m.Release,
		CreatorAccount: m.CreatorAccount, CreatorUser: m.CreatorUser,
	}, IsID(m.ID) && !strings.Contains(string(m.Source), "subagent")
}

// IsID reports whether id looks like an ID of a session. It becomes an argument of codex, a part of a file's name, and a word of a hint.
func IsID(id string) bool {
	known := strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == ""
	return known && len(id) >= 8 && len(id) <= 64 && id[0] != '-'
}

// prompt returns the first line of the user's first message, "" without a message within the bounds.
func prompt(in *bufio.Reader) string {
	for {
		text, err := readLine(in, maxLine)
		parts, _ := userMessage(text)
		for _, part := range parts {
			if first := firstLine(part); first != "" {
				return first
			}
		}
		if err != nil {
			return ""
		}
	}
}

// userMessage returns the parts of the user's message in a line of a transcript. It reports false for other lines, also for those in which
// codex itself speaks to the model in the user's name.
func userMessage(text []byte) (parts []string, ok bool) {
	if !bytes.Contains(text, []byte(`"event_msg"`)) {
		return nil, false // most lines, which are long, are not parsed
	}
	var l struct {
		Type    string
		Payload struct {
			Type    string
			Message string // of a user_message: until some release between 0.128 and 0.169
			Item    struct {
				Type    string
				Content []struct{ Text string }
			}
		}
	}
	if json.Unmarshal(text, &l) != nil || l.Type != "event_msg" {
		return nil, false
	}
	event := l.Payload
	switch {
	case event.Type == "user_message":
		return []string{event.Message}, true
	case event.Type == "item_completed" && event.Item.Type == "UserMessage":
		for _, part := range event.Item.Content {
			parts = append(parts, part.Text)
		}
		return parts, true
	}
	return nil, false
}

// firstLine returns the first line of text that is not blank.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// readLine returns the next line. One that is longer than so many bytes is returned empty.
func readLine(in *bufio.Reader, most int) ([]byte, error) {
	var text []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(text) <= most {
			text = append(text, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if len(text) > most {
			text = nil
		}
		return text, err
	}
}

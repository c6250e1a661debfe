package records

import (
	"bytes"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"swop/config"
	"swop/limits/transcript"
)

// A transcript has more in it than what was said. Codex 0.169 resumes a session with the permissions and the writable directories that its lines name, and since
// 0.158 starts the MCP servers that the first line leads to (docs/decisions/0146-what-comes-back-of-a-transcript.md). So only what is known to be said comes back, and is written
// again: what codex reads is what was understood here.

// line is one of a transcript.
type line struct {
	Timestamp string          `json:"timestamp"`
	Ordinal   *int64          `json:"ordinal,omitempty"`
	Type      string          `json:"type"`
	Payload   json.RawMessage `json:"payload"`
}

type object map[string]json.RawMessage

func (o object) text(name string) (s string) {
	if json.Unmarshal(o[name], &s) != nil {
		return ""
	}
	return s
}

const (
	metaType  = "session_meta"
	itemType  = "response_item" // what the model gets and says: all of it comes back
	eventType = "event_msg"
)

// fields are those of a payload that come back. The model in a turn's context is for counting tokens: codex does not take a context that has nothing else.
func fields(kind string) []string {
	switch kind {
	case metaType:
		return []string{
			"id", "session_id", "timestamp", "cwd", "originator", "cli_version", "source", "thread_source", "git", "account_scoped", provider, creatorAccount, creatorUser,
		}
	case "compacted":
		return []string{"message", "replacement_history", "window_number", "first_window_id", "previous_window_id", "window_id"}
	case "turn_context":
		return []string{"model"}
	}
	return nil
}

// events are those that come back: codex and swop show them, or count tokens by them.
func events() []string {
	return []string{
		"user_message", "agent_message", "agent_reasoning", "item_completed", "token_count", "task_started", "task_complete", "turn_aborted", "thread_rolled_back", "context_compacted",
	}
}

const (
	provider       = "model_provider"
	creatorAccount = "creator_account_id"
	creatorUser    = "creator_user_id"
)

// begin returns the first line of a transcript as it comes back, nil for none, and its payload.
func (p *pass) begin(text []byte) ([]byte, object) {
	l, payload := understand(text)
	if l.Type != metaType || payload == nil || !isWhole(text) {
		return nil, nil
	}
	if payload.text(creatorAccount) != p.session.Maker.Account || payload.text(creatorUser) != p.session.Maker.User {
		delete(payload, creatorAccount) // codex lists it to that account, and swop resumes it there
		delete(payload, creatorUser)
	}
	if payload.text(provider) != "openai" {
		delete(payload, provider) // where requests go is for the user's configuration to say
	}
	payload["memory_mode"] = json.RawMessage(`"disabled"`) // or codex makes memories of it that other sessions get, unasked
	return encode(l, payload), payload
}

// said returns what comes back of another line, nil for nothing.
func said(text []byte) []byte {
	l, payload := understand(text)
	switch {
	case l.Type == itemType:
		return encode(l, l.Payload)
	case l.Type == metaType, len(payload) == 0:
		return nil
	}
	return encode(l, payload)
}

// understand returns a line and what comes back of its payload.
func understand(text []byte) (l line, payload object) {
	if !utf8.Valid(text) || json.Unmarshal(text, &l) != nil || json.Unmarshal(l.Payload, &payload) != nil {
		return line{}, nil
	}
	if l.Type != eventType {
		known := fields(l.Type)
		maps.DeleteFunc(payload, func(name string, _ json.RawMessage) bool { return !slices.Contains(known, name) })
	} else if !slices.Contains(events(), payload.text("type")) {
		return line{}, nil
	}
	return l, payload
}

// encode returns the line with this payload, and its end.
func encode(l line, payload any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // as codex does not
	if e.Encode(struct {
		line
		Payload any `json:"payload"`
	}{l, payload}) != nil {
		return nil
	}
	return out.Bytes()
}

// isInRoots reports whether a directory is in the roots, wherever links lead. One that was removed is where its name says.
func (p *pass) isInRoots(dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		real = filepath.Clean(dir)
	}
	return slices.ContainsFunc(p.session.Roots, func(root string) bool { return config.Within(real, root) })
}

// mayBegin refuses a new transcript for a directory that is none of the session's, which the user would resume there; or of a session that has another transcript,
// which codex could take it for.
func (p *pass) mayBegin(payload object, dir, name string) error {
	id := payload.text("id")
	switch {
	case payload.text("cwd") == "":
		return refusal("its first line is none of a transcript")
	case !p.isInRoots(payload.text("cwd")):
		return errElsewhere
	case id == "" || !isOf(name, id):
		return refusal("its name is not that of the session in it")
	}
	shared, err := transcript.Files(p.to)
	own := "/" + filepath.Join(dir, name) // which a killed call may have left empty
	if slices.ContainsFunc(shared, func(file string) bool { return isOf(filepath.Base(file), id) && !strings.HasSuffix(file, own) }) {
		return refusal("another transcript is that of this session")
	}
	return err
}

const errElsewhere = refusal("it is for a directory that is not in the session's workspace")

// isOf reports whether a transcript's name is that of a session.
func isOf(name, id string) bool {
	return strings.HasSuffix(strings.ToLower(name), "-"+strings.ToLower(id)+".jsonl")
}

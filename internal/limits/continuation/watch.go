package continuation

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"regexp"

	"swop/internal/disk"
	"swop/internal/limits/transcript"
)

// Watch passes on the output of codex exec, and notes the session's ID and failures in it: in events, or in the text for people, which
// codex writes to standard error.
type Watch struct {
	Out    io.Writer
	Events bool // the output consists of events
	// Session is the id of the session, "" until codex has named it.
	Session string
	// Undecipherable says that OpenAI's server refused text that it had encrypted for another organization.
	Undecipherable bool

	held []byte // events of a failure, which are the caller's only if no other run follows
}

// most bounds a line that is looked at, and the events that are held back, in bytes: what runs in the session writes them, too.
const most = 64 << 10

// Copy passes on all of r.
func (w *Watch) Copy(r io.Reader) error {
	in := bufio.NewReaderSize(r, most)
	for goesOn := false; ; {
		line, err := in.ReadSlice('\n')
		isPart := goesOn
		if goesOn = errors.Is(err, bufio.ErrBufferFull); goesOn {
			isPart, err = true, nil
		}
		if len(line) > 0 {
			err = cmp.Or(w.line(line, isPart), err)
		}
		if err != nil {
			return disk.Ignore(err, io.EOF)
		}
	}
}

// Release passes on the events that were held back.
func (w *Watch) Release() error {
	_, err := w.Out.Write(w.held)
	w.held = nil
	return err
}

// line passes on a line, or a part of one that is too long to be looked at.
func (w *Watch) line(line []byte, isPart bool) error {
	switch {
	case isPart:
	case !w.Events:
		w.text(line)
	case w.event(line) && len(w.held) < most:
		w.held = append(w.held, line...)
		return nil
	}
	if err := w.Release(); err != nil {
		return err
	}
	_, err := w.Out.Write(line)
	return err
}

// refusal is the server's word for text that it cannot decipher.
const refusal = "invalid_encrypted_content"

// event notes the ID or the refusal in an event, and reports whether the event is a failure.
func (w *Watch) event(line []byte) bool {
	var e struct {
		Type   string
		Thread string `json:"thread_id"`
	}
	has := func(word string) bool { return bytes.Contains(line, []byte(word)) }
	if !has(`"thread.started"`) && !has(`"error"`) && !has(`"turn.failed"`) {
		return false // nearly all events
	}
	if json.Unmarshal(line, &e) != nil {
		return false
	}
	switch e.Type {
	case "thread.started":
		w.begins(e.Thread)
	case "error", "turn.failed":
		w.Undecipherable = w.Undecipherable || bytes.Contains(line, []byte(refusal))
		return true
	}
	return false
}

// begins notes the session's ID. The first one counts: whatever runs in the session can write later ones.
func (w *Watch) begins(id string) {
	if w.Session == "" && transcript.IsID(id) {
		w.Session = id
	}
}

// text notes the ID or the refusal in a line for people. Few lines come before the ID.
func (w *Watch) text(line []byte) {
	if w.Session != "" && !bytes.Contains(line, []byte(refusal)) {
		return
	}
	line = regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAll(line, nil) // colours
	if id, ok := bytes.CutPrefix(line, []byte("session id: ")); ok {
		w.begins(string(bytes.TrimSpace(id)))
	}
	if bytes.HasPrefix(line, []byte("ERROR:")) {
		w.Undecipherable = w.Undecipherable || bytes.Contains(line, []byte(refusal))
	}
}

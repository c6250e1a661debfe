//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"swop/internal/test/testhome"
)

func (tr trial) checkDelete() {
	gone, kept := tr.session("work", "<to be deleted>"), tr.session("work", "<to be kept>")
	tr.name("work", gone, "thread-gone")
	tr.name("work", kept, "thread-kept")
	tr.wantIndex("thread-gone", "thread-kept")

	tr.says(tr.codex("delete", "--force", threadID(gone)).as("personal"))
	if tr.linked("personal", "session_index.jsonl") {
		tr.t.Error("codex delete leaves session_index.jsonl a link; codex-home.md says otherwise")
	}
	tr.absent(gone)
	tr.present(kept)
	tr.says(tr.codex("login", "status").as("work"))
	tr.wantIndex("thread-kept")
	for label := range keys {
		tr.wantLink(filepath.Join(tr.sandbox(label), "session_index.jsonl"))
	}
}

// name names a session as a program does that uses codex: over the standard streams of an app-server.
func (tr trial) name(label, transcript, name string) {
	tr.t.Helper()
	c := tr.codex("app-server").as(label)
	stdin, err := c.StdinPipe()
	testhome.NoError(tr.t, err)
	tr.start(c)
	_, err = fmt.Fprintf(stdin, `{"id":0,"method":"initialize","params":{"clientInfo":{"name":"e2e","version":"0"}}}
{"method":"initialized"}
{"id":1,"method":"thread/name/set","params":{"threadId":%q,"name":%q}}
`, threadID(transcript), name)
	testhome.NoError(tr.t, err)
	eventually(tr.t, "the name of the thread", func() bool { return strings.Contains(tr.index(), name) })
	testhome.NoError(tr.t, stdin.Close())
	tr.wantSilence(c, tr.finish(c))
}

// index is the shared session_index.jsonl.
func (tr trial) index() string {
	text, err := os.ReadFile(filepath.Join(tr.shared(), "session_index.jsonl"))
	if err != nil && !os.IsNotExist(err) {
		tr.t.Error(err)
	}
	return string(text)
}

// wantIndex checks which of the named threads the index has.
func (tr trial) wantIndex(names ...string) {
	tr.t.Helper()
	index := tr.index()
	if got := strings.Count(index, "thread_name"); got != len(names) {
		tr.t.Errorf("session_index.jsonl is %q, want %q", index, names)
	}
	for _, name := range names {
		if !strings.Contains(index, name) {
			tr.t.Errorf("session_index.jsonl is %q, want %q in it", index, name)
		}
	}
}

package transcript

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"swop/internal/test/testhome"
)

const id = "01999f3e-0000-7000-8000-000000000001"

// begun is the first line of a transcript, with more in its payload.
func begun(more string) string {
	return `{"timestamp":"2026-07-01T10:00:00Z","type":"session_meta","payload":{"id":"` + id +
		`","timestamp":"2026-07-01T10:00:00Z","cwd":"/work","cli_version":"0.169.0","source":"cli"` + more + "}}\n"
}

func TestParse(t *testing.T) {
	plain := Session{ID: id, Dir: "/work", Begun: time.Date(2026, 7, 1, 10, 0, 0, 0, time.UTC), Release: "0.169.0"}
	with := func(change func(*Session)) Session {
		s := plain
		change(&s)
		return s
	}
	asked := with(func(s *Session) { s.Prompt = "fix it" })
	for _, tt := range []struct {
		name, text string
		want       Session
	}{
		{"no prompt yet", begun(""), plain},
		{"cut off", strings.TrimSuffix(begun(""), "\n"), plain},
		{"whose", begun(`,"creator_user_id":"u","creator_account_id":"a"`), with(func(s *Session) { s.CreatorUser, s.CreatorAccount = "u", "a" })},
		{"an API key's", begun(`,"creator_user_id":null,"creator_account_id":null`), plain},
		{"0.92", begun("") + `{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<x>"}]}}` + "\n" + `{"type":"event_msg","payload":{"type":"user_message","message":"\n  fix it \nplease"}}` + "\n", asked},
		{"0.169", begun("") + `{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"UserMessage","content":[{"type":"image"},{"type":"text","text":"fix it"}]}}}`, asked},
		{"the answer before", begun("") + `{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"AgentMessage","content":[{"text":"hi"}]}}}` + "\n" + `{"type":"event_msg","payload":{"type":"user_message","message":"fix it"}}`, asked},
		{"a line that is too long", begun("") + strings.Repeat("x", maxLine+1) + "\n" + `{"type":"event_msg","payload":{"type":"user_message","message":"fix it"}}`, asked},
		{"a torn line", begun("") + "{\"type\":\n" + `{"type":"event_msg","payload":{"type":"user_message","message":"fix it"}}`, asked},
		{"a field of another type", begun(`,"creator_account_id":7`), plain},
		{"no time", strings.ReplaceAll(begun(""), "2026-07-01T10:00:00Z", "yesterday"), with(func(s *Session) { s.Begun = time.Time{} })},
		{"the oldest", `{"id":"` + id + `","timestamp":"2026-07-01T10:00:00Z","instructions":null}` + "\n", Session{ID: id, Begun: plain.Begun}},
	} {
		if got, ok := Parse(strings.NewReader(tt.text), ""); !ok || got != tt.want {
			t.Errorf("%s: Parse = %+v, %t, want %+v", tt.name, got, ok, tt.want)
		}
	}
	if got, ok := Parse(strings.NewReader(begun("")), "/other"); ok {
		t.Errorf("of another directory Parse = %+v, want none", got)
	}
	for name, text := range map[string]string{
		"empty": "", "no payload": `{"type":"session_meta","payload":null}`, "no JSON": "hello\n", "another JSON": "{}\n", "a list": "[]\n", "an id that is an option": strings.Replace(begun(""), id, "--yolo-yolo", 1),
		"an id with a slash": strings.Replace(begun(""), id, "../../etc/passwd", 1), "a short id": strings.Replace(begun(""), id, "7", 1),
		"a helper's": strings.Replace(begun(""), `"cli"`, `{"subagent":"review"}`, 1), "endless": strings.Repeat("x", maxRead+1),
	} {
		if got, ok := Parse(strings.NewReader(text), ""); ok {
			t.Errorf("%s: Parse = %+v, want none", name, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(begun(`,"creator_account_id":"a"`) + `{"type":"event_msg","payload":{"type":"user_message","message":"fix it"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		s, ok := Parse(strings.NewReader(text), "")
		if ok && (!IsID(s.ID) || strings.ContainsRune(s.Prompt, '\n')) {
			t.Errorf("Parse(%q) = %+v", text, s)
		}
	})
}

func TestList(t *testing.T) {
	home := t.TempDir()
	if list, err := List(home, ""); len(list) != 0 || err != nil {
		t.Errorf("List of an empty home = %+v, %v", list, err)
	}
	day := filepath.Join(home, "sessions", "2026", "07", "01")
	testhome.NoError(t, os.MkdirAll(day, 0o700))
	put := func(name, text string, age time.Duration) {
		file := filepath.Join(day, name)
		when := time.Now().Add(-age)
		testhome.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		testhome.NoError(t, os.Chtimes(file, when, when))
	}
	for i := range 20 {
		text := strings.Replace(begun(""), id, fmt.Sprintf("01999f3e-%04d", i), 1)
		if i%2 == 1 {
			text = strings.Replace(text, "/work", "/other", 1)
		}
		put(fmt.Sprintf("rollout-%d.jsonl", i), text, time.Duration(i)*time.Minute)
	}
	put("rollout-torn.jsonl", "{", 0)
	put("notes.jsonl", begun(""), 0)
	put("rollout-endless.jsonl", "", 0)
	testhome.NoError(t, os.Truncate(filepath.Join(day, "rollout-endless.jsonl"), 1<<40))
	if _, err := HasPromptSince(t.Context(), home, "endless", time.Now()); err == nil {
		t.Error("a transcript of 1 TiB is read to its end")
	}
	testhome.NoError(t, os.Mkdir(filepath.Join(day, "rollout-dir.jsonl"), 0o700))
	testhome.NoError(t, os.Symlink("/dev/zero", filepath.Join(day, "rollout-link.jsonl")))
	list, err := List(home, "/work")
	if err != nil || len(list) != 10 || list[0].ID != "01999f3e-0000" || list[9].ID != "01999f3e-0018" {
		t.Errorf("List = %d sessions: %+v, %v, want ten, the newest first", len(list), list, err)
	}
	if list, err := List(home, ""); err != nil || len(list) != 20 {
		t.Errorf("List of all = %d sessions, %v, want 20", len(list), err)
	}
}

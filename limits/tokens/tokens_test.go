package tokens

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"swop/internal/testhome"
)

// place is a codex home with transcripts, and an index of them.
type place struct {
	t           *testing.T
	home, index string
}

func newPlace(t *testing.T) place {
	dir := t.TempDir()
	testhome.NoError(t, os.MkdirAll(filepath.Join(dir, "home/sessions/2026/07/01"), 0o700))
	testhome.NoError(t, os.MkdirAll(filepath.Join(dir, "home/archived_sessions"), 0o700))
	return place{t, filepath.Join(dir, "home"), filepath.Join(dir, "index")}
}

func (p place) file(name string) string {
	return filepath.Join(p.home, "sessions/2026/07/01/rollout-"+name+".jsonl")
}

// append appends to a transcript.
func (p place) append(file, text string) {
	p.t.Helper()
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	testhome.NoError(p.t, err)
	_, err = f.WriteString(text)
	testhome.NoError(p.t, err)
	testhome.NoError(p.t, f.Close())
}

// want counts, and compares the totals of each session's parts.
func (p place) want(want ...string) {
	p.t.Helper()
	list, err := Count(p.home, p.index)
	testhome.NoError(p.t, err)
	var got []string
	for _, s := range list {
		text := s.Dir + " " + s.CreatorAccount
		for _, part := range s.Parts {
			text += fmt.Sprintf(" %d/%s/%d", part.Hour-noon.Unix()/3600, part.Model, part.Total)
		}
		got = append(got, text)
	}
	if !slices.Equal(got, want) {
		p.t.Errorf("counted are %q, want %q", got, want)
	}
}

func textOf(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	testhome.NoError(t, err)
	return string(text)
}

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

func head(dir string) string {
	return fmt.Sprintf(`{"timestamp":"2026-07-01T12:00:00Z","type":"session_meta","payload":{"id":"01999f3e-0000-7000","cwd":%q,"creator_account_id":"a"}}`+"\n", dir)
}

func model(name string) string {
	return fmt.Sprintf(`{"timestamp":"2026-07-01T12:00:00Z","type":"turn_context","payload":{"model":%q}}`+"\n", name)
}

// used is a line with a sum, and what its last request used.
func used(after time.Duration, sum, last int) string {
	const form = `{"timestamp":%q,"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":%[2]d,"total_tokens":%[2]d},"last_token_usage":{"input_tokens":%[3]d,"total_tokens":%[3]d}},"rate_limits":null}}` + "\n"
	return fmt.Sprintf(form, noon.Add(after).Format(time.RFC3339), sum, last)
}

func TestCount(t *testing.T) {
	p := newPlace(t)
	p.append(p.file("a"), head("/a")+model("m1")+used(0, 10, 10)+used(time.Minute, 10, 10)+`{"type":"event_msg","payload":{"type":"token_count","info":null}}`+"\n"+
		used(2*time.Minute, 15, 5)+strings.Repeat("x", 100<<10)+"\n"+model("m2")+used(time.Hour, 18, 3)+used(time.Hour, 4, 4))
	p.append(p.file("b"), head("/b")+used(0, 1000, 7)) // a copy goes on with the sum of another
	p.append(filepath.Join(p.home, "archived_sessions/rollout-c.jsonl"), head("/c")+used(0, 1, 1))
	p.append(filepath.Join(p.home, "sessions/other.jsonl"), head("/d")+used(0, 1, 1))
	list := []string{"/a a 0/m1/15 1/m2/7", "/b a 0//7", "/c a 0//1"}
	p.want(list...)

	// What was read is not read again, as long as the file is as it was.
	text := textOf(t, p.file("b"))
	info, err := os.Stat(p.file("b"))
	testhome.NoError(t, err)
	testhome.NoError(t, os.WriteFile(p.file("b"), []byte(strings.Replace(text, `"total_tokens":7`, `"total_tokens":8`, 1)), 0o600))
	testhome.NoError(t, os.Chtimes(p.file("b"), info.ModTime(), info.ModTime()))
	p.want(list...)

	// What is appended is added; a line that is not complete yet is read with its end.
	whole := used(time.Hour, 10, 6)
	p.append(p.file("a"), whole[:40])
	p.want(list...)
	p.append(p.file("a"), whole[40:])
	list[0] = "/a a 0/m1/15 1/m2/13"
	p.want(list...)

	// Another file in its place is read from its beginning, also a longer one; a removed one is forgotten.
	testhome.NoError(t, os.WriteFile(p.file("a"), []byte(head("/new")+strings.Repeat(used(0, 5, 5), 800)), 0o600))
	list[0] = "/new a 0//5"
	p.want(list...)
	testhome.NoError(t, os.Remove(p.file("a")))
	list = list[1:]
	p.want(list...)

	// An index that is wrong is made again; one that cannot be written costs time only.
	list[0] = "/b a 0//8"
	for _, wrong := range []string{"", "{", "null", `{"schema_version":2,"transcripts":{}}`, `{"schema_version":1}`} {
		testhome.NoError(t, os.WriteFile(p.index, []byte(wrong), 0o600))
		p.want(list...)
		if text := textOf(t, p.index); !strings.Contains(text, `"/b"`) {
			t.Errorf("in the place of %q is %q", wrong, text)
		}
	}
	testhome.NoError(t, os.WriteFile(p.index, []byte(strings.Replace(textOf(t, p.index), `"offset":`, `"offset":9`, 1)), 0o600))
	p.want(list...)
	p.index = filepath.Join(p.home, "none", "index")
	p.want(list...)
}

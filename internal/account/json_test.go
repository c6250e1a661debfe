package account

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"swop/config"
	"swop/internal/say"
	"swop/internal/test/testfile"
)

const (
	plainMeta = `{"schema_version":1,"label":"Work Team","label_key":"work-team","created_at":"2026-07-01T10:00:00Z","state":"shared","real_home":"/home/me"}`
	plainRoot = `{"schema_version":1,"shared_home":"/home/me/.codex","shared_home_device":18446744073709551615,"shared_home_inode":7,"config":"/c"}`
)

func parseMeta(text string) (m Meta, err error) { return m, m.Parse(text) }

// textOf returns the text of m, which can be written.
func textOf(t *testing.T, m *Meta) string {
	t.Helper()
	text, err := m.Text()
	testfile.NoError(t, err)
	return string(text)
}

func parseRoot(text string) (r Root, err error) { return r, r.Parse(text) }

// The format of meta.json and root.json: every field.
func TestTexts(t *testing.T) {
	at := Seconds(time.Date(2026, 7, 1, 12, 0, 0, 5, time.FixedZone("x", 7200)))
	most := Meta{
		Label: "a", Key: "a", CreatedAt: at, LastUsedAt: at, State: StatePrivate, RealHome: "/é", Confine: config.ConfineReadOnly,
		Unfinished: true,
		MovedFrom:  "b", Bootstrap: "/<b>\"\\\n", document: document{text: `{"quota":[1e999,"\u003c"]}`},
	}
	moved := Root{SharedHome: SharedHome{Path: "/h", Device: 1<<64 - 1}, Former: []string{"/a", "/b"}, Config: "/c"}
	for _, tt := range []struct {
		text string
		want string
	}{
		{textOf(t, &most), `{"bootstrap":"/\u003cb\u003e\"\\\n","confine":"read-only","created_at":"2026-07-01T10:00:00Z","label":"a","label_key":"a","last_used_at":"2026-07-01T10:00:00Z",` +
			`"moved_from":"b","quota":[1e999,"\u003c"],"real_home":"/é","schema_version":1,"state":"private","unfinished":true}`},
		{string(moved.Text()), `{"config":"/c","former_shared_homes":["/a","/b"],"schema_version":1,"shared_home":"/h","shared_home_device":18446744073709551615,"shared_home_inode":0}`},
	} {
		if tt.text != tt.want+"\n" {
			t.Errorf("Text = %s\nwant   %s", tt.text, tt.want)
		}
	}
	again, err := parseMeta(textOf(t, &most))
	if again.document = most.document; err != nil || !reflect.DeepEqual(again, most) {
		t.Errorf("it is read as %+v, %v, want %+v", again, err, most)
	}
	if text, err := (&Meta{LastUsedAt: at.AddDate(8000, 0, 0)}).Text(); err == nil {
		t.Errorf("a time that JSON cannot have is written as %s", text)
	}
	root, err := parseRoot(string(moved.Text()))
	if root.document = moved.document; err != nil || !reflect.DeepEqual(root, moved) {
		t.Errorf("it is read as %+v, %v, want %+v", root, err, moved)
	}
}

func TestParseRefuses(t *testing.T) {
	change := func(from, to string) string { return strings.Replace(plainMeta, from, to, 1) }
	root := func(from, to string) string { return "root " + strings.Replace(plainRoot, from, to, 1) }
	for _, tt := range []struct{ text, want string }{
		{"", "unexpected end"},
		{"{}", "schema_version is missing"},
		{plainMeta + "{}", "after top-level value"},
		{"\ufeff" + plainMeta, "invalid character"},
		{strings.Repeat("[", 20000), "exceeded max depth"},
		{change("Work", "W\xff"), "is not UTF-8"},
		{change(`"schema_version":1`, `"schema_version":2,"label":[]`), "schema_version is 2, this swop knows 1"},
		{change(`"schema_version":1`, `"schema_version":"1"`), "schema_version of type int"},
		{change("Work Team", "Work Teams"), `label "Work Teams" does not belong to label_key "work-team"`},
		{change(`"label":"Work Team"`, `"label":"`+strings.Repeat("a", 5000)+`"`), "does not belong to label_key"},
		{change(`"label":"Work Team"`, `"label":7`), "Meta.label of type string"},
		{change(`"shared"`, `"other"`), `unknown state "other"`},
		{change("2026-07-01T10:00:00Z", "yesterday"), `parsing time "yesterday"`},
		{root("/home/me/.codex", "me/.codex"), `shared_home "me/.codex" is not an absolute path`},
		{root("18446744073709551615", "-1"), "shared_home_device of type uint64"},
	} {
		text, isRoot := strings.CutPrefix(tt.text, "root ")
		_, err := parseMeta(text)
		if isRoot {
			_, err = parseRoot(text)
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) || len(err.Error()) > 400 {
			t.Errorf("Parse(%.300s)\n = %.500v\nwant an error with %q", text, err, tt.want)
		}
		if newer := strings.Contains(tt.want, "this swop knows"); newer && !reflect.DeepEqual(say.Hints(err), []string{"upgrade swop"}) {
			t.Errorf("hints %q, want upgrade swop", say.Hints(err))
		}
	}
}

// What is read of a text is sound, and comes back after it was written.
func FuzzJSON(f *testing.F) {
	for _, text := range []string{
		plainMeta, strings.Replace(plainMeta, "{", `{"x":1e999,`, 1), strings.Replace(plainMeta, "2026", "0000", 1),
		strings.Replace(plainMeta, "{", `{"\ud800":1,"moved_from":"../x",`, 1),
		strings.Replace(plainMeta, "{", `{"last_used_at":"0001-01-01T00:00:00Z",`, 1),
		plainRoot, strings.Replace(plainRoot, "{", `{"former_shared_homes":["/a","\"\\x1b\""],"new":{"a":[1]},`, 1),
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if m, err := parseMeta(text); err == nil {
			key, err := config.Key(m.Label)
			written := textOf(t, &m)
			again, err2 := parseMeta(written)
			if key != m.Key || err != nil || err2 != nil || textOf(t, &again) != written {
				t.Errorf("%q is read as %+v, written %q, then as %+v, %v", text, m, written, again, err2)
			}
		}
		if r, err := parseRoot(text); err == nil {
			again, err := parseRoot(string(r.Text()))
			if err != nil || !filepath.IsAbs(r.SharedHome.Path) || string(again.Text()) != string(r.Text()) {
				t.Errorf("%q is read as %+v, written %q, then %q, %v", text, r, r.Text(), again.Text(), err)
			}
		}
	})
}

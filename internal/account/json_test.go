package account

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"swop/config"
	"swop/internal/say"
)

const (
	plainMeta = `{"schema_version":2,"label":"Work Team","label_key":"work-team","created_at":"2026-07-01T10:00:00Z","state":"shared","real_home":"/home/me"}`
	plainRoot = `{"schema_version":2,"shared_home":{"path":"/home/me/.codex","device":18446744073709551615,"inode":7},"config":"/c"}`
)

func parseMeta(text string) (m Meta, err error) { return m, m.Parse(text) }

func parseRoot(text string) (r Root, err error) { return r, r.Parse(text) }

// The format of meta.json and root.json: every field, in its place.
func TestTexts(t *testing.T) {
	at := At(time.Date(2026, 7, 1, 12, 0, 0, 5, time.FixedZone("x", 7200)))
	least := Meta{Label: "a", Key: "a", CreatedAt: at, State: StateShared, RealHome: "/h"}
	most := Meta{
		Label: "a", Key: "a", CreatedAt: at, LastUsedAt: at, State: StatePrivate, RealHome: "/\xff", Unfinished: true,
		MovedFrom: "b", Bootstrap: "/<b>\"\\\n",
	}
	newer := least
	newer.Unknown = []Member{{"quota", `[1e999, "<"]`}, {"a\n", "{}"}}
	root := Root{SharedHome: SharedHome{Path: "/h", Device: 1<<64 - 1}, Config: "/c"}
	moved := root
	moved.Former = []string{"/a", "/\xff"}
	for _, tt := range []struct {
		text []byte
		want string
	}{
		{least.Text(), `{"schema_version":2,"label":"a","label_key":"a","created_at":"2026-07-01T10:00:00Z","state":"shared","real_home":"/h"}`},
		{most.Text(), `{"schema_version":2,"label":"a","label_key":"a","created_at":"2026-07-01T10:00:00Z","last_used_at":"2026-07-01T10:00:00Z","state":"private",` +
			`"real_home":"\"/\\xff\"","unfinished":true,"moved_from":"b","bootstrap":"/<b>\"\\\u000a"}`},
		{newer.Text(), `{"schema_version":2,"label":"a","label_key":"a","created_at":"2026-07-01T10:00:00Z","state":"shared","real_home":"/h","quota":[1e999, "<"],"a\u000a":{}}`},
		{root.Text(), `{"schema_version":2,"shared_home":{"path":"/h","device":18446744073709551615,"inode":0},"config":"/c"}`},
		{moved.Text(), `{"schema_version":2,"shared_home":{"path":"/h","device":18446744073709551615,"inode":0},"former_shared_homes":["/a","\"/\\xff\""],"config":"/c"}`},
	} {
		if string(tt.text) != tt.want+"\n" || !json.Valid(tt.text) && !strings.Contains(tt.want, "1e999") {
			t.Errorf("the text is %s, want %s", tt.text, tt.want)
		}
	}
	if again, err := parseMeta(string(most.Text())); err != nil || !reflect.DeepEqual(again, most) {
		t.Errorf("read again, %+v is %+v, %v", most, again, err)
	}
	if again, err := parseRoot(string(moved.Text())); err != nil || !reflect.DeepEqual(again, moved) {
		t.Errorf("read again, %+v is %+v, %v", moved, again, err)
	}
}

func TestParseMeta(t *testing.T) {
	at := At(time.Date(2026, 7, 1, 10, 0, 0, 0, time.UTC))
	plain := Meta{Label: "Work Team", Key: "work-team", CreatedAt: at, State: StateShared, RealHome: "/home/me"}
	with := func(change func(*Meta)) Meta {
		m := plain
		change(&m)
		return m
	}
	for _, tt := range []struct {
		text string
		want Meta
	}{
		{plainMeta, plain},
		{strings.NewReplacer("{", " { ", ":\"", " : \"", ",", "\n,\t", "}", " }\r\n").Replace(plainMeta), plain},
		{strings.Replace(plainMeta, `"state":"shared",`, "", 1), plain},
		{strings.Replace(plainMeta, "shared", "private", 1), with(func(m *Meta) { m.State = StatePrivate })},
		{strings.Replace(plainMeta, "/home/me", `/\u003cb\u003e`, 1), with(func(m *Meta) { m.RealHome = "/<b>" })}, // as swop wrote it until now
		{strings.Replace(plainMeta, "{", `{"last_used_at":"2026-07-01T12:00:00+02:00",`, 1), with(func(m *Meta) { m.LastUsedAt = at })},
		{strings.Replace(plainMeta, "}", `,"unfinished":true,"moved_from":"x"}`, 1), with(func(m *Meta) { m.Unfinished, m.MovedFrom = true, "x" })},
		{strings.Replace(plainMeta, "{", `{"real_home":"/first",`, 1), plain},
		// A name that differs from ours in its case alone is another program's field: it neither decides nor is lost.
		{strings.Replace(plainMeta, "}", `,"Label":"other"}`, 1), with(func(m *Meta) { m.Unknown = []Member{{"Label", `"other"`}} })},
		{strings.Replace(plainMeta, "{", `{"x":1e999,`, 1), with(func(m *Meta) { m.Unknown = []Member{{"x", "1e999"}} })}, // to the digit
		{strings.Replace(plainMeta, "{", `{"x": [ {"a}":"]\""} , 1] ,`, 1), with(func(m *Meta) { m.Unknown = []Member{{"x", `[ {"a}":"]\""} , 1]`}} })},
	} {
		if got, err := parseMeta(tt.text); err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("Parse(%s)\n = %+v, %v\nwant %+v", tt.text, got, err, tt.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	change := func(from, to string) string { return strings.Replace(plainMeta, from, to, 1) }
	root := func(from, to string) string { return "root " + strings.Replace(plainRoot, from, to, 1) }
	for _, tt := range []struct{ text, want string }{
		{"", "unexpected end"},
		{"null", "unexpected text at byte 1"},
		{"{}", "schema_version is missing"},
		{"[]", "unexpected text at byte 1"},
		{plainMeta + "{}", "unexpected text at byte 141"},
		{plainMeta[:40], "unexpected"},
		{plainMeta[:len(plainMeta)-1], "unexpected end"},
		{change("{", "{,"), "unexpected text at byte 2"},
		{change("}", ",}"), "unexpected text"},
		{change("Work", "W\xff"), "unexpected text"},
		{change("Work", `W\xff`), "unexpected text"},
		{change("Work", "W\nork"), "unexpected text"},
		{change(`"label":`, `"label" `), "unexpected text"},
		{change("{", `{"x":},`), "unexpected text"},
		{change("{", `{"x":[1`), "unexpected"},
		{change(`"schema_version":2`, `"schema_version":3`), "schema_version is 3, this swop knows 2"},
		{change(`"schema_version":2`, `"schema_version":3,"label":[]`), "schema_version is 3, this swop knows 2"},
		{change(`"schema_version":2`, `"schema_version":-1`), "unexpected text at byte 19"},
		{change(`"schema_version":2`, `"schema_version":1`), "schema_version is 1, of an earlier swop"},
		{change(`"schema_version":2`, `"schema_version":0`), "schema_version is 0"},
		{change(`"schema_version":2`, `"schema_version":"1"`), "unexpected text at byte 19"},
		{change(`"schema_version":2`, `"schema_version":99999999999999999999`), "unexpected text at byte 19"},
		{change(`"schema_version"`, `"Schema_Version"`), "schema_version is missing"},
		{change("Work Team", "Work Teams"), `label "Work Teams" does not belong to label_key "work-team"`},
		{change("work-team", "../work-team"), "does not belong to label_key"},
		{change(`"label":"Work Team"`, `"label":"`+strings.Repeat("a", 5000)+`"`), "does not belong to label_key"},
		{change(`"label":"Work Team"`, `"label":7`), "unexpected text at byte 29"},
		{change(`"shared"`, `"other"`), `unknown state "other"`},
		{change("}", `,"unfinished":false}`), "unexpected text"},
		{change("2026-07-01T10:00:00Z", "yesterday"), "unexpected text"},
		{change("2026-07-01T10:00:00Z", "9999-12-31T23:59:59-23:00"), "created_at"},
		{root(`"schema_version":2`, `"schema_version":3`), "schema_version is 3, this swop knows 2"},
		{root(`"schema_version":2,`, ""), "schema_version is missing"},
		{root("/home/me/.codex", "me/.codex"), `shared_home.path "me/.codex" is not an absolute path`},
		{root("18446744073709551615", "-1"), "unexpected text"},
		{root(`"path"`, `"x"`), "unexpected text"},
		{root(`"config"`, `"former_shared_homes":["a",],"config"`), "unexpected text"},

		{strings.TrimSuffix(root("x", "x"), "}"), "unexpected end"},
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

// What is read of a text is sound, comes back after it was written, and is what encoding/json reads.
func FuzzJSON(f *testing.F) {
	for _, text := range []string{
		plainMeta, plainMeta + plainMeta, strings.Replace(plainMeta, "{", `{"x":1e999,`, 1), strings.Replace(plainMeta, "2026", "0000", 1),
		strings.Replace(plainMeta, "{", `{"\ud800":1,"moved_from":"../x",`, 1), strings.Replace(plainMeta, "{", `{"last_used_at":"0001-01-01T00:00:00Z",`, 1),
		plainRoot, strings.Replace(plainRoot, "/home/me/.codex", `\"/a\\xff\"`, 1), strings.Replace(plainRoot, "{", `{"former_shared_homes":["/a","\"\\x1b\""],"new":{"a":[1]},`, 1),
		`{"schema_version":2,"shared_home":[[[[`, "{\"a\":\"\xff\"}", strings.Replace(plainMeta, "{", `{"":{}, "a":[{"b":"\\]"}],`, 1),
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if m, err := parseMeta(text); err == nil {
			key, err := config.Key(m.Label)
			again, err2 := parseMeta(string(m.Text()))
			if key != m.Key || err != nil || err2 != nil || string(again.Text()) != string(m.Text()) {
				t.Errorf("%q is read as %+v, written %q, then %q, %v", text, m, m.Text(), again.Text(), err2)
			}
			var all map[string]any
			if json.Unmarshal([]byte(text), &all) == nil && (all["label"] != m.Label || !json.Valid(m.Text())) {
				t.Errorf("%q is read as %+v, encoding/json reads %v", text, m, all)
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

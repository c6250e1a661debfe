//go:build unix

package store

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"swop/account"
	"swop/internal/testhome"
	"swop/say"
)

const plainMeta = `{"schema_version":1,"label":"Work Team","label_key":"work-team","created_at":"2026-07-01T10:00:00Z","state":"shared","real_home":"/home/me"}`

func mustParseMeta(t *testing.T, text string) account.Meta {
	t.Helper()
	m, err := ParseMeta(text)
	if err != nil {
		t.Fatalf("ParseMeta(%s) failed: %v", text, err)
	}
	return m
}

// The format of meta.json: every field, in its place.
func TestMetaText(t *testing.T) {
	at := account.At(time.Date(2026, 7, 1, 12, 0, 0, 5, time.FixedZone("x", 7200)))
	least := account.Meta{Label: "a", Key: "a", CreatedAt: at, State: account.StateShared, RealHome: "/h"}
	most := account.Meta{Label: "a", Key: "a", CreatedAt: at, LastUsedAt: at, State: account.StatePrivate, RealHome: "/\xff", Unfinished: true, MovedFrom: "b", Bootstrap: "/<b>"}
	newer := least
	newer.Unknown = []account.Member{{Name: "quota", Value: []byte(`[1e999, "<"]`)}, {Name: "a\n", Value: []byte("{}")}}
	for _, tt := range []struct {
		meta account.Meta
		want string
	}{
		{least, `{"schema_version":1,"label":"a","label_key":"a","created_at":"2026-07-01T10:00:00Z","state":"shared","real_home":"/h"}`},
		{most, `{"schema_version":1,"label":"a","label_key":"a","created_at":"2026-07-01T10:00:00Z","last_used_at":"2026-07-01T10:00:00Z","state":"private",` +
			`"real_home":"\"/\\xff\"","unfinished":true,"moved_from":"b","bootstrap":"/\u003cb\u003e"}`},
		{newer, `{"schema_version":1,"label":"a","label_key":"a","created_at":"2026-07-01T10:00:00Z","state":"shared","real_home":"/h","quota":[1e999, "<"],"a\n":{}}`},
	} {
		if got, err := metaText(tt.meta); string(got) != tt.want+"\n" || err != nil {
			t.Errorf("the text is %s, %v, want %s", got, err, tt.want)
		}
	}
}

func TestRootText(t *testing.T) {
	least := account.Root{SharedHome: account.SharedHome{Path: "/h", Device: 1<<64 - 1}, Config: "/c"}
	most := account.Root{SharedHome: least.SharedHome, Former: []string{"/a", "/\xff"}, Config: "/c"}
	for _, tt := range []struct {
		root account.Root
		want string
	}{
		{least, `{"schema_version":1,"shared_home":{"path":"/h","device":18446744073709551615,"inode":0},"config":"/c"}`},
		{most, `{"schema_version":1,"shared_home":{"path":"/h","device":18446744073709551615,"inode":0},"former_shared_homes":["/a","\"/\\xff\""],"config":"/c"}`},
	} {
		if got, err := rootText(tt.root); string(got) != tt.want+"\n" || err != nil {
			t.Errorf("the text is %s, want %s", got, tt.want)
		}
	}
}

func TestParseMeta(t *testing.T) {
	at := account.At(time.Date(2026, 7, 1, 10, 0, 0, 0, time.UTC))
	plain := account.Meta{Label: "Work Team", Key: "work-team", CreatedAt: at, State: account.StateShared, RealHome: "/home/me"}
	with := func(change func(*account.Meta)) account.Meta {
		m := plain
		change(&m)
		return m
	}
	for _, tt := range []struct {
		text string
		want account.Meta
	}{
		{plainMeta, plain},
		{strings.Replace(plainMeta, `"state":"shared",`, "", 1), plain},
		{strings.Replace(plainMeta, "shared", "private", 1), with(func(m *account.Meta) { m.State = account.StatePrivate })},
		{strings.Replace(plainMeta, "{", `{"last_used_at":"2026-07-01T12:00:00+02:00",`, 1), with(func(m *account.Meta) { m.LastUsedAt = at })},
		{strings.Replace(plainMeta, "{", `{"last_used_at":null,"unfinished":true,"moved_from":"x",`, 1), with(func(m *account.Meta) { m.Unfinished, m.MovedFrom = true, "x" })},
	} {
		got := mustParseMeta(t, tt.text)
		got.Unknown = nil
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("ParseMeta(%s)\n = %+v\nwant %+v", tt.text, got, tt.want)
		}
	}
}

func TestParseMetaRefuses(t *testing.T) {
	change := func(from, to string) string { return strings.Replace(plainMeta, from, to, 1) }
	for _, tt := range []struct{ text, want string }{
		{"", "unexpected end"},
		{"null", "schema_version is missing"},
		{"{}", "schema_version is missing"},
		{"[]", "cannot unmarshal"},
		{"7", "cannot unmarshal"},
		{plainMeta + "{}", "invalid character"},
		{plainMeta[:40], "unexpected end"},
		{change(`"schema_version":1`, `"schema_version":2`), "schema_version is 2, this swop knows 1"},
		{change(`"schema_version":1`, `"schema_version":-1`), "schema_version is -1"},
		{change(`"schema_version":1`, `"schema_version":0`), "schema_version"},
		{change(`"schema_version":1`, `"schema_version":null`), "schema_version is missing"},
		{change(`"schema_version":1`, `"schema_version":"1"`), "cannot unmarshal"},
		{change(`"schema_version":1`, `"schema_version":1.5`), "cannot unmarshal"},
		{change(`"schema_version":1`, `"schema_version":1e999`), "cannot unmarshal"},
		{change(`"schema_version":1`, `"schema_version":99999999999999999999`), "cannot unmarshal"},
		{change(`"schema_version":1`, `"schema_version":2,"SCHEMA_VERSION":1`), "schema_version is 2"},
		{change(`"schema_version"`, `"Schema_Version"`), "schema_version is missing"},
		{change("Work Team", "Work Teams"), `label "Work Teams" does not belong to label_key "work-team"`},
		{change("work-team", "../work-team"), "does not belong to label_key"},
		{change("work-team", ""), "does not belong to label_key"},
		{change(`"label":"Work Team"`, `"label":null`), `label "" does not belong`},
		{change(`"label":"Work Team"`, `"label":"`+strings.Repeat("a", 5000)+`"`), "does not belong to label_key"},
		{change(`"label":"Work Team"`, `"label":7`), "cannot unmarshal"},
		{change(`"shared"`, `"other"`), `unknown state "other"`},
		{change(`"shared"`, `"Shared"`), `unknown state "Shared"`},
		{change("2026-07-01T10:00:00Z", "yesterday"), "cannot parse"},
		{change("2026-07-01T10:00:00Z", "9999-12-31T23:59:59-23:00"), "created_at"},
	} {
		got, err := ParseMeta(tt.text)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("ParseMeta(%.300s)\n = %+v, %v\nwant an error with %q", tt.text, got, err, tt.want)
		} else if len(err.Error()) > 400 {
			t.Errorf("ParseMeta fails with %d bytes", len(err.Error()))
		}
	}
	_, err := ParseMeta(change(`"schema_version":1`, `"schema_version":2`))
	if hints := say.Hints(err); len(hints) != 1 || hints[0] != "upgrade swop" {
		t.Errorf("hints %q, want upgrade swop", hints)
	}
}

// What a newer program wrote is there after this one wrote the file again, to the digit.
func TestMetaKeepsUnknown(t *testing.T) {
	const news = `"quota":123456789012345678901234567890,"ratio":1e999,"nothing":null,"note":"<a> & \u2028","deep":{"b":[1,2.50],"a":{}},`
	m := mustParseMeta(t, strings.Replace(plainMeta, "{", "{"+news, 1))
	m.Label, m.Key = "home", "home"
	m.LastUsedAt = account.At(time.Unix(1, 999))
	text, err := metaText(m)
	testhome.NoError(t, err)
	var got, want map[string]json.RawMessage
	testhome.NoError(t, errors.Join(json.Unmarshal(text, &got), json.Unmarshal([]byte("{"+strings.TrimSuffix(news, ",")+"}"), &want)))
	for name, value := range want {
		if !sameJSON(t, got[name], value) {
			t.Errorf("%s = %s, want %s", name, got[name], value)
		}
	}
	if string(got["label"]) != `"home"` || string(got["last_used_at"]) != `"1970-01-01T00:00:01Z"` || len(got) != len(want)+7 {
		t.Errorf("Text() = %s", text)
	}
}

// sameJSON compares two values as text, except for how characters are escaped.
func sameJSON(t *testing.T, a, b json.RawMessage) bool {
	t.Helper()
	var s1, s2 string
	if json.Unmarshal(a, &s1) == nil && json.Unmarshal(b, &s2) == nil {
		return s1 == s2
	}
	return string(a) == string(b)
}

// A name that differs from ours in its case alone is another program's field. It neither decides nor is lost.
func TestMetaMatchesNamesExactly(t *testing.T) {
	m := mustParseMeta(t, strings.Replace(plainMeta, "}", `,"Label":"other","LABEL_KEY":"other","ſtate":"private","Real_Home":"/x"}`, 1))
	if m.Label != "Work Team" || m.Key != "work-team" || m.State != account.StateShared || m.RealHome != "/home/me" {
		t.Errorf("ParseMeta takes %+v from fields of other names", m)
	}
}

// Of a name that stands twice the last counts, and once is what is written.
func TestMetaDuplicates(t *testing.T) {
	m := mustParseMeta(t, strings.Replace(plainMeta, "{", `{"real_home":"/first","x":1,"x":2,`, 1))
	text, err := metaText(m)
	if err != nil || m.RealHome != "/home/me" || strings.Count(string(text), "real_home") != 1 || !strings.Contains(string(text), `"x":2`) {
		t.Errorf("ParseMeta = %+v, Text = %s, %v", m, text, err)
	}
}

//go:build unix

package account

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

var plainMetas = []string{
	`{"schema_version":1,"label":"Work Team","label_key":"work-team","created_at":"2026-01-02T03:04:05Z","last_used_at":"2026-02-28T23:59:59Z","state":"shared","real_home":"/home/me","unfinished":true,"moving_to":"x","bootstrap":"/b"}` + "\n",
	"{ \"label\" : \"a\" ,\n\"state\":\"private\", \"schema_version\":1 }", " {\"schema_version\":1} ",
}

var otherMetas = []string{
	`{"schema_version":2}`, `{"schema_version":01}`, `{"schema_version":1.0}`, `{"schema_version":-1}`, `{"label":"a","label":"b"}`, `{"label":"\u0041"}`, `{"label":null}`,
	`{"Label":"a"}`, `{"unknown":1}`, `{"unfinished":false}`, `{"unfinished":truer}`, `{"created_at":"2026-02-30T00:00:00Z"}`, `{"created_at":"2026-01-01T24:00:00Z"}`,
	`{"created_at":"2026-01-01T00:00:00+00:00"}`, `{"created_at":"2026-01-01T00:00:60Z"}`, `{"label":"a",}`, `{"label":"a"}x`, `{"label":"a"`, `{,}`, `[]`, ``, `null`,
	"{\"label\":\"a\nb\"}", "{\"label\":\"\xff\"}", `{"label" "a"}`, `{"label":"a" "state":"b"}`, `{"created_at":"+026-01-01T00:00:00Z"}`,
}

var plainRoots = []string{
	`{"schema_version":1,"shared_home":{"path":"/home/me/.codex","device":2049,"inode":18446744073709551615},"former_shared_homes":["/a","/b"],"config":"/home/me/.config/swop"}`,
	`{"schema_version":1,"shared_home":{},"former_shared_homes":[]}`,
}

var otherRoots = []string{
	`{"shared_home":{"path":"/a","path":"/b"}}`, `{"shared_home":{"device":18446744073709551616}}`, `{"former_shared_homes":["a",]}`, `{"former_shared_homes":[1]}`,
	`{"shared_home":{"x":1}}`, `{"shared_home":null}`, `{"shared_home":{"device":1e3}}`, `{"former_shared_homes":[,]}`,
}

func TestPlainJSON(t *testing.T) {
	check := func(plain, other []string, read func([]byte) bool) {
		for _, text := range plain {
			if !read([]byte(text)) {
				t.Errorf("%q is left to encoding/json", text)
			}
			comparePlain(t, text)
		}
		for _, text := range other {
			for _, text := range []string{text, strings.Replace(text, "{", `{"schema_version":1,`, 1)} {
				if read([]byte(text)) {
					t.Errorf("%q is taken for plain", text)
				}
			}
		}
	}
	check(plainMetas, otherMetas, func(b []byte) bool { _, ok := fastMeta(string(b)); return ok })
	check(plainRoots, otherRoots, func(b []byte) bool { _, ok := fastRoot(string(b)); return ok })
}

func FuzzPlainJSON(f *testing.F) {
	for _, list := range [][]string{plainMetas, otherMetas, plainRoots, otherRoots} {
		for _, text := range list {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) { comparePlain(t, text) })
}

// comparePlain holds what is read as plain against encoding/json.
func comparePlain(t *testing.T, text string) {
	t.Helper()
	if got, ok := fastMeta(text); ok {
		var want metaJSON
		compareJSON(t, text, &got, &want)
	}
	if got, ok := fastRoot(text); ok {
		var want rootJSON
		compareJSON(t, text, &got, &want)
	}
}

func compareJSON(t *testing.T, text string, got, want any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), want); err != nil {
		t.Fatalf("%q is read as %+v, but it is no JSON: %v", text, got, err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%q is read as %+v, want %+v", text, got, want)
	}
}

// What is written plainly is what encoding/json writes.
func TestPlainText(t *testing.T) {
	now := time.Date(2026, 2, 3, 4, 5, 6, 7, time.FixedZone("", 3600))
	for _, m := range []Meta{
		{Label: "Work Team", Key: "work-team", CreatedAt: now, State: StateShared, RealHome: "/home/me"},
		{Label: "a", Key: "a", CreatedAt: now, LastUsedAt: now, State: StatePrivate, RealHome: "/", Unfinished: true, MovingTo: "b", Bootstrap: "/b"},
		{Label: "a", Key: "a", CreatedAt: now, State: StateShared, RealHome: "/<a&b>"},
		{Label: "a", Key: "a", CreatedAt: now, State: StateShared, RealHome: "/\"\\\u00e9\x01"},
		{Label: "a", Key: "a", CreatedAt: now, State: StateShared, RealHome: "/\xff"},
		{State: StateShared},
	} {
		text, ok := m.FastText()
		if !ok {
			text, _ = m.Text()
		}
		slow := m
		slow.Unknown = map[string]json.RawMessage{"x": json.RawMessage("1")}
		want, err := slow.Text()
		if err != nil {
			t.Fatal(err)
		}
		var got, expected map[string]any
		if err := errors.Join(json.Unmarshal(text, &got), json.Unmarshal(want, &expected)); err != nil {
			t.Fatal(err)
		}
		delete(expected, "x")
		if !reflect.DeepEqual(got, expected) {
			t.Errorf("%+v is written as %s, want %s", m, text, want)
		}
	}
}

//go:build unix

package store

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"swop/account"
	"swop/config"
	"swop/internal/testhome"
)

var plainMetas = []string{
	`{"schema_version":1,"label":"Work Team","label_key":"work-team","created_at":"2026-01-02T03:04:05Z","last_used_at":"2026-02-28T23:59:59Z","state":"shared","real_home":"/home/me","unfinished":true,"moving_to":"x","bootstrap":"/b"}` + "\n",
	"{ \"schema_version\":1, \"label\" : \"a\" ,\n\"label_key\":\"a\", \"state\":\"private\"} ",
}

var otherMetas = []string{
	`{"schema_version":2}`, `{"schema_version":01}`, `{"schema_version":1.0}`, `{"schema_version":-1}`, `{"label":"a","label":"b"}`, `{"label":"\u0041"}`, `{"label":null}`,
	`{"Label":"a"}`, `{"unknown":1}`, `{"unfinished":false}`, `{"unfinished":truer}`, `{"created_at":"2026-02-30T00:00:00Z"}`, `{"created_at":"2026-01-01T24:00:00Z"}`,
	`{"created_at":"2026-01-01T00:00:00+00:00"}`, `{"created_at":"2026-01-01T00:00:60Z"}`, `{"label":"a",}`, `{"label":"a"}x`, `{"label":"a"`, `{,}`, `[]`, ``, `null`,
	`{"label_key":"a","label":"a"}`, "{\"label\":\"a\nb\"}", "{\"label\":\"\xff\"}", `{"label" "a"}`, `{"label":"a" "state":"b"}`, `{"created_at":"+026-01-01T00:00:00Z"}`,
}

var plainRoots = []string{
	`{"schema_version":1,"shared_home":{"path":"/home/me/.codex","device":2049,"inode":18446744073709551615},"former_shared_homes":["/a","/b"],"config":"/home/me/.config/swop"}`,
	`{"schema_version":1,"shared_home":{"path":"/"},"former_shared_homes":[]}`,
}

var otherRoots = []string{
	`{"shared_home":{"path":"/a","path":"/b"}}`, `{"shared_home":{"device":18446744073709551616}}`, `{"former_shared_homes":["a",]}`, `{"former_shared_homes":[1]}`,
	`{"shared_home":{"x":1}}`, `{"shared_home":null}`, `{"shared_home":{}}`, `{"shared_home":{"device":1e3}}`, `{"former_shared_homes":[,]}`,
}

// What this program writes is left to the fast reader, and nothing that it reads otherwise than encoding/json.
func TestFastReader(t *testing.T) {
	check := func(fast, slow []string, read func(string) bool) {
		for _, text := range fast {
			if !read(text) {
				t.Errorf("%q is left to encoding/json", text)
			}
			compareReaders(t, text)
		}
		for _, text := range slow {
			for _, text := range []string{text, strings.Replace(text, "{", `{"schema_version":1,`, 1)} {
				if read(text) {
					t.Errorf("%q is read by the fast reader", text)
				}
			}
		}
	}
	check(plainMetas, otherMetas, func(text string) bool { return new(account.Meta).FastParse(text) })
	check(plainRoots, otherRoots, func(text string) bool { return new(account.Root).FastParse(text) })
}

func FuzzPlainJSON(f *testing.F) {
	hostile := []string{
		plainMeta, plainMeta + plainMeta, strings.Replace(plainMeta, "{", `{"x":1e999,`, 1), strings.Replace(plainMeta, "2026", "0000", 1),
		strings.Replace(plainMeta, "{", `{"\ud800":1,"moving_to":"../x",`, 1), strings.Replace(plainMeta, "{", `{"last_used_at":"0001-01-01T00:00:00Z",`, 1),
		plainRoot, strings.Replace(plainRoot, "/home/me/.codex", `\"/a\\xff\"`, 1), strings.Replace(plainRoot, "{", `{"former_shared_homes":["/a","\"\\x1b\""],"new":{"a":[1]},`, 1),
		`{"schema_version":1,"shared_home":[[[[`, "{\"a\":\"\xff\"}",
	}
	for _, text := range slices.Concat(plainMetas, otherMetas, plainRoots, otherRoots, hostile) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		compareReaders(t, text)
		wantLasting(t, text)
	})
}

// wantLasting checks that what is read of a text is sound, and comes back after it was written.
func wantLasting(t *testing.T, text string) {
	t.Helper()
	if m, err := ParseMeta(text); err == nil {
		if key, err := config.Key(m.Label); key != m.Key || err != nil {
			t.Errorf("ParseMeta(%q) has the key %q of the label %q", text, m.Key, m.Label)
		}
		first, err1 := m.Text()
		again, err2 := ParseMeta(string(first))
		second, err3 := again.Text()
		if err := errors.Join(err1, err2, err3); err != nil || string(second) != string(first) {
			t.Errorf("written %q, then %q, %v", first, second, err)
		}
	}
	if r, err := ParseRoot(text); err == nil {
		again, err := ParseRoot(string(r.Text()))
		if err != nil || !filepath.IsAbs(r.SharedHome.Path) || string(again.Text()) != string(r.Text()) {
			t.Errorf("written %q, then %q, %v", r.Text(), again.Text(), err)
		}
	}
}

// compareReaders holds what the fast reader reads against encoding/json.
func compareReaders(t *testing.T, text string) {
	t.Helper()
	if got := new(account.Meta); got.FastParse(text) {
		var want account.Meta
		_, err := parseDocument(text, &want, account.MetaFields)
		compareRead(t, text, *got, want, errors.Join(err, want.Check()))
	}
	if got := new(account.Root); got.FastParse(text) {
		var want account.Root
		_, err := parseDocument(text, &want, account.RootFields)
		compareRead(t, text, *got, want, errors.Join(err, want.CheckText()))
	}
}

func compareRead(t *testing.T, text string, got, want any, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%q is read as %+v, want the error %v", text, got, err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%q is read as %+v, want %+v", text, got, want)
	}
}

// What is written is JSON, escaped as encoding/json escapes it, and read again as it was.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"/home/me", "/\"\\\u00e9\x01\x7f", "/\xff", "/<a> & \u2028\u2029", "/\b\f\n\r\t\v\U0001f600\ufffd", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m := account.Meta{Label: "a", Key: "a", State: account.StateShared, RealHome: "/" + text, Unknown: []account.Member{{Name: text + "x", Value: []byte("1")}}}
		for range 2 { // with unknown fields and without
			written, err := m.Text()
			testhome.NoError(t, err)
			var all map[string]json.RawMessage
			if err := json.Unmarshal(written, &all); err != nil {
				t.Fatalf("%q is written as %s, which is no JSON: %v", text, written, err)
			}
			want, err := json.Marshal("/" + text)
			testhome.NoError(t, err)
			if got := string(all["real_home"]); utf8.ValidString(text) && got != string(want) {
				t.Errorf("%q is written as %s, want %s", text, got, want)
			}
			again, err := ParseMeta(string(written))
			if err != nil || again.RealHome != m.RealHome || len(again.Unknown) != len(m.Unknown) {
				t.Errorf("%+v is written as %s and read as %+v, %v", m, written, again, err)
			}
			m.Unknown = nil
		}
	})
}

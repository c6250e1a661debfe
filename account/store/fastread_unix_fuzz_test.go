//go:build unix

package store

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"swop/account"
	"swop/config"
	"swop/internal/testhome"
)

var plainMetas = []string{
	`{"schema_version":1,"label":"Work Team","label_key":"work-team","created_at":"2026-01-02T03:04:05Z","last_used_at":"2026-02-28T23:59:59Z","state":"shared","real_home":"/home/me","unfinished":true,"moved_from":"x","bootstrap":"/b"}` + "\n",
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
		strings.Replace(plainMeta, "{", `{"\ud800":1,"moved_from":"../x",`, 1), strings.Replace(plainMeta, "{", `{"last_used_at":"0001-01-01T00:00:00Z",`, 1),
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
		first, err1 := metaText(m)
		again, err2 := ParseMeta(string(first))
		second, err3 := metaText(again)
		if err := errors.Join(err1, err2, err3); err != nil || string(second) != string(first) {
			t.Errorf("written %q, then %q, %v", first, second, err)
		}
	}
	if r, err := ParseRoot(text); err == nil {
		first, err1 := rootText(r)
		again, err2 := ParseRoot(string(first))
		second, err3 := rootText(again)
		if err := errors.Join(err1, err2, err3); err != nil || !filepath.IsAbs(r.SharedHome.Path) || string(second) != string(first) {
			t.Errorf("written %q, then %q, %v", first, second, err)
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

// The fast path writes the time of a use as the slow path does, and leaves the first one to that.
func TestFastTouch(t *testing.T) {
	s := testStore(t)
	a := testAccountOf(t, s, "work")
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	touch := func(now time.Time) bool {
		var fast account.Account
		return s.FastAccount("work", &fast) && s.FastTouch(&fast, account.At(now))
	}
	if touch(now) {
		t.Error("the fast path writes the first use")
	}
	testhome.NoError(t, s.Touch(a, now))
	for _, later := range []time.Duration{time.Minute, time.Hour} {
		now = now.Add(later)
		if !touch(now) {
			t.Fatal("the fast path does not write")
		}
		a.Meta.LastUsedAt = account.At(now)
		want, err := metaText(a.Meta)
		testhome.NoError(t, err)
		if got, err := os.ReadFile(s.MetaFile(a.Dir)); string(got) != string(want) || err != nil {
			t.Errorf("touched, meta.json is %s, %v, want %s", got, err, want)
		}
	}
}

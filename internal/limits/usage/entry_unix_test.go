//go:build unix

package usage

import (
	"os"
	"strings"
	"testing"
	"time"

	"swop/internal/account"
	"swop/internal/limits/pool"
	"swop/internal/test/testhome"
)

func TestEntry(t *testing.T) {
	l := account.Layout{Places: testhome.Places(t)}
	testhome.NoError(t, os.Mkdir(l.Root, 0o700))
	want := Entry{Login: "me"}.Note(Reading{
		Plan:    "plus",
		Windows: []pool.Window{window(300, 42, after(time.Hour))},
	}, "", 0, asked)
	testhome.NoError(t, Store(l, "work", want))
	got := Load(l, "work", "me", 0, asked)
	if got.Reading == nil || got.Reading.Plan != "plus" || !got.ReadAt.Equal(asked) || len(got.Reading.Windows) != 1 {
		t.Fatalf("Load = %+v, want %+v", got, want)
	}
	text := testhome.TextOf(pool.EntryFile(l, "work"))
	for name, bad := range map[string]string{
		"torn":          text[:len(text)/2],
		"another login": strings.Replace(text, `"login":"me"`, `"login":"you"`, 1),
		"from tomorrow": strings.Replace(text, "1970-01-12T13:46:40Z", "1970-01-13T13:46:40Z", 1),
		"no reading":    strings.Replace(text, `"reading":`, `"reeding":`, 1),
		"too long":      text + strings.Repeat(" ", pool.MaxEntry),
	} {
		if bad == text {
			t.Errorf("%s: the test changes nothing", name)
		}
		testhome.PutText(t, pool.EntryFile(l, "work"), bad)
		if got := Load(l, "work", "me", 0, asked); got.Reading != nil || !got.ReadAt.IsZero() {
			t.Errorf("%s: Load = %+v, want nothing", name, got)
		}
	}
	testhome.NoError(t, os.Remove(pool.EntryFile(l, "work")))
	testhome.NoError(t, os.Symlink("/etc/passwd", pool.EntryFile(l, "work")))
	if got := Load(l, "work", "me", 0, asked); got.Reading != nil {
		t.Errorf("through a link Load = %+v", got)
	}
	testhome.NoError(t, Drop(l, "work"))
	testhome.NoError(t, Drop(l, "work"))
}

func TestFresh(t *testing.T) {
	read, failed := Entry{ReadAt: asked, Reading: &Reading{}}, Entry{ReadAt: asked, Problem: Offline, FailedAt: asked}
	for _, tt := range []struct {
		e     Entry
		since time.Duration
		want  bool
	}{
		{Entry{}, 0, false},
		{read, 9 * time.Minute, true},
		{read, 10 * time.Minute, false},
		{failed, 4 * time.Minute, true},
		{failed, 5 * time.Minute, false},
	} {
		if got := tt.e.Fresh(after(tt.since), 10*time.Minute); got != tt.want {
			t.Errorf("%+v: Fresh after %v = %t, want %t", tt.e, tt.since, got, tt.want)
		}
	}
}

// A time is told in the zone of who asks, with the day where it is not theirs.
func TestWhen(t *testing.T) {
	east := time.FixedZone("", 9*3600)
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC) // 21:00 in the east
	for _, tt := range []struct {
		at, now time.Time
		want    string
	}{
		{now.Add(time.Hour), now, "at 13:00"},
		{now.Add(time.Hour), now.In(east), "at 22:00"},
		{now.Add(4 * time.Hour), now.In(east), "on Thu 01:00"},
		{now.Add(5 * 24 * time.Hour), now, "on Mon 12:00"},
		{now.Add(7 * 24 * time.Hour), now, "on 8 Jul 12:00"},
	} {
		if got := When(tt.at, tt.now); got != tt.want {
			t.Errorf("When(%v, %v) = %q, want %q", tt.at, tt.now, got, tt.want)
		}
	}
}

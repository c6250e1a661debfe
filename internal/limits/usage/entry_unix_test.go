//go:build unix

package usage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"swop/internal/account"
	"swop/internal/limits/pool"
	"swop/internal/test/testhome"
)

func newLayout(t *testing.T) account.Layout {
	t.Helper()
	places := testhome.Places(t)
	testhome.NoError(t, os.Mkdir(places.Root, 0o700))
	return account.Layout{Places: places}
}

func TestEntry(t *testing.T) {
	l := newLayout(t)
	want := Entry{SchemaVersion: schemaVersion, Login: "me"}.Note(Reading{
		Plan:    "plus",
		Windows: []pool.Window{window(300, 42, after(time.Hour))},
	}, "", pool.File{}, asked)
	testhome.NoError(t, Store(l, "work", want))
	got := Load(l, "work", "me", pool.File{}, asked)
	if got.Reading == nil || got.Reading.Plan != "plus" || !got.ReadAt.Equal(asked) || len(got.Reading.Windows) != 1 {
		t.Fatalf("Load = %+v, want %+v", got, want)
	}
	text := testhome.TextOf(filepath.Join(Dir(l), "work.json"))
	for name, bad := range map[string]string{
		"torn":           text[:len(text)/2],
		"another schema": strings.Replace(text, `"schema_version":1`, `"schema_version":2`, 1),
		"another login":  strings.Replace(text, `"login":"me"`, `"login":"you"`, 1),
		"from tomorrow":  strings.Replace(text, "1970-01-12T13:46:40Z", "1970-01-13T13:46:40Z", 1),
		"no reading":     strings.Replace(text, `"reading":`, `"reeding":`, 1),
		"too long":       text + strings.Repeat(" ", maxEntry),
	} {
		if bad == text {
			t.Errorf("%s: the test changes nothing", name)
		}
		testhome.PutText(t, filepath.Join(Dir(l), "work.json"), bad)
		if got := Load(l, "work", "me", pool.File{}, asked); got.Reading != nil || !got.ReadAt.IsZero() {
			t.Errorf("%s: Load = %+v, want nothing", name, got)
		}
	}
	testhome.NoError(t, os.Remove(filepath.Join(Dir(l), "work.json")))
	testhome.NoError(t, os.Symlink("/etc/passwd", filepath.Join(Dir(l), "work.json")))
	if got := Load(l, "work", "me", pool.File{}, asked); got.Reading != nil {
		t.Errorf("through a link Load = %+v", got)
	}
	testhome.NoError(t, Drop(l, "work"))
	testhome.NoError(t, Drop(l, "work"))
}

func TestNote(t *testing.T) {
	// A reading replaces a mark: by its own word that the limit is reached, or by none.
	marked := Entry{BlockedUntil: after(5 * time.Hour)}
	reached := Reading{Reached: LimitReached, Windows: []pool.Window{window(300, 99, after(time.Hour))}}
	if e := marked.Note(reached, "", pool.File{}, asked); !e.BlockedUntil.Equal(after(time.Hour)) {
		t.Errorf("a newer reading, by which the limit is reset in an hour, leaves a mark until %v", e.BlockedUntil)
	}
	e := marked.Note(Reading{Windows: []pool.Window{window(300, 99, after(time.Hour))}}, "", pool.File{}, asked)
	if room, until := e.Room(95, asked); !e.BlockedUntil.IsZero() || room != pool.Full || !until.Equal(after(time.Hour)) {
		t.Errorf("a reading of 99 %% leaves a mark until %v, and room %q until %v", e.BlockedUntil, room, until)
	}
	e = e.Note(Reading{}, Offline, pool.File{}, after(time.Minute))
	if e.Reading == nil || !e.ReadAt.Equal(asked) || e.Problem != Offline {
		t.Errorf("a failure leaves %+v, want the last reading", e)
	}
	e = e.Note(Reading{Windows: []pool.Window{window(300, 10, after(time.Hour))}}, "", pool.File{}, after(2*time.Minute))
	if !e.BlockedUntil.IsZero() || e.Problem != "" || !e.FailedAt.IsZero() {
		t.Errorf("a reading with room leaves %+v, want no mark and no problem", e)
	}
}

// That the server refuses a login is known until the file changes, whatever is answered meanwhile but a reading.
func TestRefused(t *testing.T) {
	l, auth := newLayout(t), pool.File{Inode: 1, Mtime: 2}
	e := Entry{SchemaVersion: schemaVersion, Login: "me"}.Note(Reading{}, Refused, auth, asked).Note(Reading{}, Offline, auth, asked)
	testhome.NoError(t, Store(l, "work", e))
	if room, _ := Load(l, "work", "me", auth, asked).Room(95, asked); room != pool.Denied {
		t.Errorf("with the same file the room is %q, want %q", room, pool.Denied)
	}
	for _, changed := range []pool.File{{Inode: 1, Mtime: 3}, {Inode: 2, Mtime: 2}, {}} {
		got := Load(l, "work", "me", changed, asked)
		if room, _ := got.Room(95, asked); room != pool.Unknown || got.Problem != "" || got.Fresh(asked, time.Hour) {
			t.Errorf("with another file the room is %q, and the problem %q", room, got.Problem)
		}
	}
	e = e.Note(Reading{Windows: []pool.Window{window(300, 10, after(time.Hour))}}, "", auth, asked)
	if room, _ := e.Room(95, asked); room != pool.Free {
		t.Errorf("after a reading the room is %q, want %q", room, pool.Free)
	}
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

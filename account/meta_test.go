package account

import (
	"testing"
	"time"
)

// The format of meta.json: every field, in its place.
func TestMetaText(t *testing.T) {
	at := At(time.Date(2026, 7, 1, 12, 0, 0, 5, time.FixedZone("x", 7200)))
	least := Meta{Label: "a", Key: "a", CreatedAt: at, State: StateShared, RealHome: "/h"}
	most := Meta{Label: "a", Key: "a", CreatedAt: at, LastUsedAt: at, State: StatePrivate, RealHome: "/\xff", Unfinished: true, MovingTo: "b", Bootstrap: "/<b>"}
	renamed, newer := least, least
	renamed.MovedFrom, renamed.Label, renamed.Key = "a", "B", "b"
	newer.Unknown = []Member{{"quota", []byte(`[1e999, "<"]`)}, {"a\n", []byte("{}")}}
	for _, tt := range []struct {
		meta Meta
		want string
	}{
		{least, `{"schema_version":1,"label":"a","label_key":"a","created_at":"2026-07-01T10:00:00Z","state":"shared","real_home":"/h"}`},
		{most, `{"schema_version":1,"label":"a","label_key":"a","created_at":"2026-07-01T10:00:00Z","last_used_at":"2026-07-01T10:00:00Z","state":"private",` +
			`"real_home":"\"/\\xff\"","unfinished":true,"moving_to":"b","bootstrap":"/\u003cb\u003e"}`},
		{renamed, `{"schema_version":1,"label":"a","label_key":"a","created_at":"2026-07-01T10:00:00Z","state":"shared","real_home":"/h","moving_to":"B"}`},
		{newer, `{"a\n":{},"created_at":"2026-07-01T10:00:00Z","label":"a","label_key":"a","quota":[1e999, "<"],"real_home":"/h","schema_version":1,"state":"shared"}`},
	} {
		if got, err := tt.meta.Text(); string(got) != tt.want+"\n" || err != nil {
			t.Errorf("Text() = %s, %v, want %s", got, err, tt.want)
		}
	}
}

func TestRootText(t *testing.T) {
	least := Root{SharedHome: SharedHome{Path: "/h", Device: 1<<64 - 1}, Config: "/c"}
	most := Root{SharedHome: least.SharedHome, Former: []string{"/a", "/\xff"}, Config: "/c"}
	for _, tt := range []struct {
		root Root
		want string
	}{
		{least, `{"schema_version":1,"shared_home":{"path":"/h","device":18446744073709551615,"inode":0},"config":"/c"}`},
		{most, `{"schema_version":1,"shared_home":{"path":"/h","device":18446744073709551615,"inode":0},"former_shared_homes":["/a","\"/\\xff\""],"config":"/c"}`},
	} {
		if got := tt.root.Text(); string(got) != tt.want+"\n" {
			t.Errorf("Text() = %s, want %s", got, tt.want)
		}
	}
}

func TestMetaAt(t *testing.T) {
	for _, tt := range []struct{ movingTo, key, label, want string }{
		{"", "old", "Old", "old"},
		{"New", "old", "Old", "old"},
		{"New", "new", "New", "new"},
		{"../x", "old", "Old", "old"},
		{"New", "third", "Old", "old"},
	} {
		got := Meta{Label: "Old", Key: "old", MovingTo: tt.movingTo}.At(tt.key)
		if got.Label != tt.label || got.Key != tt.want || got.MovingTo != "" {
			t.Errorf("moving to %q, at(%q) = %+v, want %q, %q", tt.movingTo, tt.key, got, tt.label, tt.want)
		}
	}
}

package account

import "testing"

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

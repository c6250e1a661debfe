package account

import "testing"

func TestMetaAt(t *testing.T) {
	for _, tt := range []struct{ from, key, label, want, still string }{
		{"", "new", "New", "new", ""},
		{"Old", "old", "Old", "old", ""},
		{"Old", "new", "New", "new", "Old"},
		{"../x", "new", "New", "new", ""},
		{"NEW", "new", "New", "new", ""},
		{"Old", "third", "New", "new", "Old"},
	} {
		got := Meta{Label: "New", Key: "new", MovedFrom: tt.from}.At(tt.key)
		if got.Label != tt.label || got.Key != tt.want || got.MovedFrom != tt.still {
			t.Errorf("moved from %q, At(%q) = %+v, want %q, %q, moved from %q", tt.from, tt.key, got, tt.label, tt.want, tt.still)
		}
	}
}

package install

import (
	"bytes"
	"testing"
)

func TestWithoutLine(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"none", "a\nb", "a\nb"},
		{"alone", "L # swop\n", ""},
		{"at the end", "a\nL # swop\n", "a\n"},
		{"in the middle", "a\nL # swop\nb", "a\nb"},
		{"twice", "L # swop\na\nL # swop\n", "a\n"},
		{"without its final newline", "a\nL # swop", "a\n"},
		{"indented is not ours", " L # swop\n", " L # swop\n"},
		{"edited is not ours", "L # swop, mine\n", "L # swop, mine\n"},
		{"newline given back", "a\nL" + noNewline + "\n", "a"},
		{"newline needed by what follows", "a\nL" + noNewline + "\nb", "a\nb"},
	} {
		if got, _ := withoutLine([]byte(tt.text), "L"); string(got) != tt.want {
			t.Errorf("%s: withoutLine(%q) = %q, want %q", tt.name, tt.text, got, tt.want)
		}
	}
}

// Whatever a file holds, removing the line gives it back, and adding it again is the same.
func FuzzLine(f *testing.F) {
	for _, s := range []string{"", "\n", "a", "a\n", "a\\", "\r\n", "\x00\xff", "L" + noNewline, "L" + noFile} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before, end := withoutLine(text, "L")
		with := withLine(before, "L", end, true)
		after, found := withoutLine(with, "L")
		if found == "" || !bytes.Equal(after, before) && end != noFile {
			t.Fatalf("withoutLine(%q) = %q, want %q", with, after, before)
		}
		if again := withLine(after, "L", found, true); !bytes.Equal(again, with) {
			t.Fatalf("the second time %q, the first %q", again, with)
		}
	})
}

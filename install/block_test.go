//go:build unix

package install

import (
	"bytes"
	"errors"
	"testing"
)

func TestStrip(t *testing.T) {
	one := blockStart + "\nx\n" + blockEnd + "\n"
	for _, tt := range []struct{ name, text, want string }{
		{"none", "a\nb", "a\nb"},
		{"alone", one, ""},
		{"at the end", "a\n" + one, "a\n"},
		{"in the middle", "a\n" + one + "b", "a\nb"},
		{"twice", one + "a\n" + one, "a\n"},
		{"without its final newline", "a\n" + one[:len(one)-1], "a\n"},
		{"indented is not ours", " " + one, " " + one},
		{"newline given back", "a\n" + blockStart + "\n" + noNewline + "\n" + blockEnd + "\n", "a"},
		{"newline needed by what follows", "a\n" + blockStart + "\n" + noNewline + "\n" + blockEnd + "\nb", "a\nb"},
	} {
		got, err := strip([]byte(tt.text), anyBlock)
		if err != nil || string(got.text) != tt.want {
			t.Errorf("%s: strip(%q) = %q, %v, want %q", tt.name, tt.text, got.text, err, tt.want)
		}
	}
}

func TestStripHalfBlock(t *testing.T) {
	for _, text := range []string{blockStart, "a\n" + blockStart + "\nb\n", blockStart + "\n" + blockStart + "\n" + blockEnd} {
		if got, err := strip([]byte(text), anyBlock); !errors.Is(err, errHalfBlock) {
			t.Errorf("strip(%q) = %q, %v, want errHalfBlock", text, got.text, err)
		}
	}
}

// Whatever a file holds, taking the block out gives it back, and putting it in again is the same.
func FuzzBlock(f *testing.F) {
	for _, s := range []string{"", "\n", "a", "a\n", "a\\", "\r\n", "\x00\xff", "# >>> swop >>", blockEnd, noNewline + "\n", noFile} {
		f.Add([]byte(s))
	}
	lines := posix.lines("/bin dir", "")
	f.Fuzz(func(t *testing.T, text []byte) {
		before, err := strip(text, anyBlock)
		if err != nil {
			return // half a block: refused
		}
		with := withBlock(before, lines)
		after, err := strip(with, blockOf("/bin dir"))
		if err != nil || !after.found || !bytes.Equal(after.text, before.text) {
			t.Fatalf("strip(%q) = %q, %v, want %q", with, after.text, err, before.text)
		}
		if again := withBlock(after, lines); !bytes.Equal(again, with) {
			t.Fatalf("the second time %q, the first %q", again, with)
		}
	})
}

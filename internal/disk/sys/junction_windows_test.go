package sys

import (
	"bytes"
	"io/fs"
	"syscall"
	"testing"
)

// The REPARSE_DATA_BUFFER of a junction to C:\a, as mklink /J makes it, without the zeros that end the names of some tools.
var toCA = []byte{
	0x03, 0x00, 0x00, 0xa0, 0x20, 0x00, 0x00, 0x00, // tag, length, reserved
	0x00, 0x00, 0x10, 0x00, 0x12, 0x00, 0x08, 0x00, // where the two names are
	'\\', 0, '?', 0, '?', 0, '\\', 0, 'C', 0, ':', 0, '\\', 0, 'a', 0, 0, 0,
	'C', 0, ':', 0, '\\', 0, 'a', 0, 0, 0,
}

func TestJunctionData(t *testing.T) {
	want := bytes.Clone(toCA)
	want[4] = byte(len(want) - 8)
	for _, target := range []string{`C:\a`, `\\?\C:\a`} {
		if got := junctionTo(target); !bytes.Equal(got, want) {
			t.Errorf("junctionTo(%q) = % x\nwant               % x", target, got, want)
		}
	}
	const target = `D:\Zoë\𝄞` // 9 code units of UTF-16: neither bytes nor runes
	for at, want := range map[int]byte{4: 8 + 2*(13+1+9+1), 10: 2 * 13, 12: 2 * 14, 14: 2 * 9} {
		if got := junctionTo(target); got[at] != want {
			t.Errorf("junctionTo(%q)[%d] = %d, want %d", target, at, got[at], want)
		}
	}
}

// Only what package os reads as a junction is one: neither a symbolic link nor what OneDrive keeps elsewhere.
func TestJunctionOf(t *testing.T) {
	for _, tt := range []struct {
		what string
		mode fs.FileMode
		err  error // of os.Readlink
		want bool
	}{
		{"file", 0, syscall.ENOENT, false},
		{"directory", fs.ModeDir, syscall.ENOENT, false},
		{"symbolic link", fs.ModeSymlink, nil, false},
		{"junction", fs.ModeIrregular, nil, true},
		{"OneDrive's directory", fs.ModeDir | fs.ModeIrregular, syscall.ENOENT, false},
		{"OneDrive's file", fs.ModeIrregular, syscall.ENOENT, false},
	} {
		if _, got := junctionOf(tt.mode|0o666, func() (string, error) { return `C:\a`, tt.err }); got != tt.want {
			t.Errorf("junctionOf a %s = %t", tt.what, got)
		}
	}
}

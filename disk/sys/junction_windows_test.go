//go:build !wine

package sys

import (
	"bytes"
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
		got := encodeJunction(target)
		if target[0] == 'C' && !bytes.Equal(got, want) {
			t.Errorf("encodeJunction(%q) = % x\nwant                  % x", target, got, want)
		}
		if back, ok := decodeJunction(got); !ok || back != `C:\a` {
			t.Errorf("decodeJunction of %q = %q, %t", target, back, ok)
		}
	}
	for _, target := range []string{`D:\Users\Zoë Müller\.codex\sessions`, `C:\𝄞`} {
		if back, ok := decodeJunction(encodeJunction(target)); !ok || back != target {
			t.Errorf("%q is read back as %q, %t", target, back, ok)
		}
	}
	symlink := bytes.Clone(want)
	symlink[0] = 0x0c
	odd, long := bytes.Clone(want), bytes.Clone(want)
	odd[10], long[10] = 0x0f, 0xf0
	for _, b := range [][]byte{nil, want[:15], symlink, odd, long} {
		if target, ok := decodeJunction(b); ok {
			t.Errorf("decodeJunction(% x) = %q", b, target)
		}
	}
}

func TestIsLocalPrefix(t *testing.T) {
	for volume, want := range map[string]bool{`\\?\C:`: true, `\\server\share`: false, `\\?\UNC\server\share`: false, `\\.\C:`: false} {
		if got := isLocalPrefix(volume); got != want {
			t.Errorf("isLocalPrefix(%q) = %t", volume, got)
		}
	}
}

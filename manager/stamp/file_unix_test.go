//go:build unix

package stamp

import (
	"testing"

	"golang.org/x/sys/unix"
)

func TestMarkSettled(t *testing.T) {
	now := unix.Timespec{Sec: 1000, Nsec: 500}
	for _, tt := range []struct {
		sec, nsec int64
		want      bool
	}{
		{999, 900, true},
		{1000, 499, true},
		{1000, 500, false}, // the tick of the look itself
		{1000, 501, false},
		{2000, 1, false}, // a clock was set back
		{1000, 0, false}, // a file system of whole seconds
		{998, 0, false},
		{997, 0, true},
		{2000, 0, false},
	} {
		m := Fingerprint{Ctime: unix.Timespec{Sec: tt.sec, Nsec: tt.nsec}}
		if got := m.Settled(now); got != tt.want {
			t.Errorf("a change at %d.%09d is settled at 1000.000000500: %t, want %t", tt.sec, tt.nsec, got, tt.want)
		}
	}
}

// A head that is cut short, or of which any bit is another, is none.
func TestParseHead(t *testing.T) {
	h := Header{At: unix.Timespec{Sec: 5, Nsec: 6}, Dev: 7, Inputs: 8, Watched: 4, Paired: SeenFile{Dev: 1, Ino: 2, Size: 3, Sec: 4, Ns: 5}}
	for i := range h.Dirs {
		h.Dirs[i] = Fingerprint{Dev: uint64(i), ino: 10, Mtime: unix.Timespec{Sec: 11}, Ctime: unix.Timespec{Nsec: 12}, Sum: 13}
	}
	h.Pinned = h.Dirs[1]
	var b [headerSize]byte
	h.put(&b)
	if got, ok := parseHeader(b[:]); !ok || got != h {
		t.Fatalf("parseHead of what put wrote = %+v, %t, want %+v", got, ok, h)
	}
	for n := range b {
		if _, ok := parseHeader(b[:n]); ok {
			t.Errorf("%d bytes of %d are taken for a head", n, len(b))
		}
	}
	for i := range b {
		for bit := range 8 {
			b[i] ^= 1 << bit
			if _, ok := parseHeader(b[:]); ok {
				t.Errorf("a head is believed with bit %d of byte %d flipped", bit, i)
			}
			b[i] ^= 1 << bit
		}
	}
}

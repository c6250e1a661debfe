//go:build unix

package stamp

import (
	"bytes"
	"testing"

	"swop/manager/disk"
)

// FuzzHead reads the first part of a stamp: what is taken for one is written as it was read.
func FuzzHead(f *testing.F) {
	var b [headerSize]byte
	(&Header{}).put(&b)
	f.Add(b[:])
	(&Header{At: disk.Timespec(1, 2), Dev: 3, Inputs: 4, Pinned: Fingerprint{Dev: 5}, Paired: SeenFile{Ino: 6}, Watched: MaxDirs}).put(&b)
	f.Add(b[:])
	f.Add(b[:headerSize-1])
	f.Add(bytes.Repeat([]byte{0xff}, headerSize))
	f.Add([]byte(stampMagic))
	f.Fuzz(func(t *testing.T, text []byte) {
		if h, ok := parseHeader(text); ok {
			var again [headerSize]byte
			if h.put(&again); !bytes.Equal(again[:], text[:headerSize]) {
				t.Errorf("%x is written %x", text[:headerSize], again)
			}
		}
		// a sum that is right lets anything behind it be read
		whole := make([]byte, headerSize)
		copy(whole[copy(whole, stampMagic)+8:], text)
		rest := whole[len(stampMagic)+8:]
		putSum(whole, sumOf(rest))
		if h, ok := parseHeader(whole); ok && (h.Watched < 0 || h.Watched > MaxDirs) {
			t.Errorf("%x watches %d directories", whole, h.Watched)
		}
	})
}

func putSum(b []byte, sum uint64) {
	for i := range 8 {
		b[len(stampMagic)+i] = byte(sum >> (8 * i))
	}
}

//go:build unix

package rules

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// FuzzHeader reads the first part of a stamp: what is taken for one is written as it was read.
func FuzzHeader(f *testing.F) {
	full, empty := fullHeader(), Header{}
	size := len(empty.appendTo(nil))
	f.Add(empty.appendTo(nil))
	f.Add(full.appendTo(nil))
	f.Add(full.appendTo(nil)[:size-1])
	f.Add(bytes.Repeat([]byte{0xff}, size))
	f.Add([]byte(stampMagic))
	f.Fuzz(func(t *testing.T, text []byte) {
		var h Header
		if n, ok := h.parse(text); ok {
			if again := h.appendTo(nil); !bytes.Equal(again, text[:n]) {
				t.Errorf("%x is written %x", text[:n], again)
			}
		}
		// a sum that is right lets anything behind it be read
		b := make([]byte, size)
		copy(b[copy(b, stampMagic)+8:], text)
		binary.LittleEndian.PutUint64(b[len(stampMagic):], sumOf(b[wordsAt:]))
		if _, ok := h.parse(b); ok && (h.Watched < 0 || h.Watched > MaxDirs) {
			t.Errorf("%x watches %d directories", b, h.Watched)
		}
	})
}

package shim

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"testing"
)

func checkSum(t *testing.T, data []byte) {
	t.Helper()
	want := sha256.Sum256(data)
	if got := sum256(data); got != hex.EncodeToString(want[:]) {
		t.Errorf("sum256 of %d bytes %.40q = %s, want %x", len(data), data, got, want)
	}
}

// TestSum256 takes every length up to three blocks: the padding differs with it.
func TestSum256(t *testing.T) {
	for n := range 3*64 + 1 {
		checkSum(t, bytes.Repeat([]byte{0xa5, 0, 0xff}, 64)[:n])
	}
	checkSum(t, bytes.Repeat([]byte("codex"), 5000))
}

func FuzzSum256(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte("abc"))
	f.Add(bytes.Repeat([]byte{0x80}, 119))
	f.Fuzz(checkSum)
}

func BenchmarkSum256(b *testing.B) {
	data := bytes.Repeat([]byte("x"), 9154)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		sum256(data)
	}
}

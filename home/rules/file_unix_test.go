//go:build unix

package rules

import (
	"reflect"
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

// fullHeader is a header in which every word is another one.
func fullHeader() (h Header) {
	n := uint64(10)
	h.words(func(uint64) uint64 {
		n++
		return n
	})
	h.Watched = MaxDirs
	return h
}

// A header that is cut short, or of which any bit is another, is not read.
func TestParseHeader(t *testing.T) {
	h := fullHeader()
	b := h.appendTo(nil)
	var got Header
	if size, ok := got.parse(append(b[:len(b):len(b)], "body"...)); !ok || got != h || size != len(b) {
		t.Fatalf("parse of what appendTo wrote = %+v, %d, %t, want %+v, %d", got, size, ok, h, len(b))
	}
	if room := len(File{}.buf); len(b) > room {
		t.Errorf("a header has %d bytes, but a file reads %d", len(b), room)
	}
	for n := range b {
		if _, ok := got.parse(b[:n]); ok {
			t.Errorf("%d bytes of %d are taken for a header", n, len(b))
		}
	}
	for i := range b {
		for bit := range 8 {
			b[i] ^= 1 << bit
			if _, ok := got.parse(b); ok {
				t.Errorf("a header is believed with bit %d of byte %d flipped", bit, i)
			}
			b[i] ^= 1 << bit
		}
	}
}

// Every field is written, and what is on disk stays as it is.
func TestHeaderWords(t *testing.T) {
	h, empty := fullHeader(), Header{}
	eachField("", reflect.ValueOf(&h).Elem(), func(path string, field reflect.Value) {
		if field.Kind() != reflect.Array && field.IsZero() {
			t.Errorf("%s is no word of the header", path)
		}
	})
	if size := len(empty.appendTo(nil)); size != 368 {
		t.Errorf("a header has %d bytes, want 368: the stamps of earlier releases are read no more", size)
	}
}

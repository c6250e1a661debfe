package appserver

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
)

// received returns the first message in the bytes that a server sent.
func received(bytes string) (string, error) {
	c := controlConn{r: bufio.NewReader(strings.NewReader(bytes))}
	text, err := c.receive()
	return string(text), err
}

func TestReceive(t *testing.T) {
	long := strings.Repeat("x", 70_000)
	for bytes, want := range map[string]string{
		"\x81\x02hi":                  "hi",
		"\x81\x00":                    "",
		"\x89\x01p\x8a\x00\x81\x02hi": "hi", // a ping and a pong before it
		"\x01\x01h\x89\x00\x80\x01i":  "hi", // in two frames, a ping between them
		"\x81\x7e\x00\x02hi":          "hi",
		"\x81\x7f\x00\x00\x00\x00\x00\x01\x11\x70" + long: long,
	} {
		if got, err := received(bytes); got != want || err != nil {
			t.Errorf("receive of %.20q = %.20q, %v, want %.20q", bytes, got, err, want)
		}
	}
	for bytes, want := range map[string]error{
		"":                 io.EOF,
		"\x81":             io.ErrUnexpectedEOF,
		"\x81\x7e\x00":     io.ErrUnexpectedEOF,
		"\x81\x05hi":       io.ErrUnexpectedEOF,
		"\x88\x00\x81\x00": io.EOF, // the server closes
		"\x81\x7f\xff\xff\xff\xff\xff\xff\xff\xff": errTooLong,
	} {
		if got, err := received(bytes); !errors.Is(err, want) {
			t.Errorf("receive of %q = %q, %v, want %v", bytes, got, err, want)
		}
	}
}

// Whatever a server sends, receive returns, with no more bytes than were sent.
func FuzzReceive(f *testing.F) {
	f.Add("\x01\x01h\x89\x00\x80\x01i")
	f.Fuzz(func(t *testing.T, bytes string) {
		if got, err := received(bytes); len(got) > len(bytes) {
			t.Errorf("receive of %q = %q, %v", bytes, got, err)
		}
	})
}

//go:build unix

package bridge

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
)

// cover overwrites the secrets in text with stars, so that its length stays. It finds a secret only in its plain form.
func cover(text []byte, secrets []string) {
	for _, secret := range secrets {
		copy(text, bytes.ReplaceAll(text, []byte(secret), bytes.Repeat([]byte("*"), len(secret))))
	}
}

// coverHeaders overwrites the secrets in all names and values.
func coverHeaders(h http.Header, secrets []string) {
	for name, values := range h {
		if slices.ContainsFunc(secrets, func(s string) bool { return strings.Contains(strings.ToLower(name), strings.ToLower(s)) }) {
			delete(h, name)
			continue
		}
		for i, v := range values {
			b := []byte(v)
			cover(b, secrets)
			values[i] = string(b)
		}
	}
}

// scrubber is the body of an answer, with the secrets covered. It holds back only bytes that may be the beginning of a secret.
type scrubber struct {
	io.Closer
	body    *bufio.Reader // not embedded: its other methods cover nothing
	secrets []string
	length  int // of the longest secret
}

// scrubBlock is the size of a read, in bytes.
const scrubBlock = 32 << 10

func scrub(body io.ReadCloser, secrets []string) io.ReadCloser {
	s := &scrubber{Closer: body, secrets: secrets}
	for _, secret := range secrets {
		s.length = max(s.length, len(secret))
	}
	s.body = bufio.NewReaderSize(body, scrubBlock+s.length)
	return s
}

func (s *scrubber) Read(p []byte) (int, error) {
	for need := 1; ; {
		_, err := s.body.Peek(need)
		text, _ := s.body.Peek(s.body.Buffered()) // the buffer itself: covered bytes stay covered
		cover(text, s.secrets)
		ready := len(text)
		if err == nil {
			ready -= s.beginning(text)
		}
		if ready > 0 || err != nil {
			n, _ := s.body.Discard(copy(p, text[:ready])) // as many are buffered
			if n > 0 || len(p) == 0 {
				return n, nil
			}
			return 0, err
		}
		need = len(text) + 1
	}
}

// beginning returns how many of the last bytes of text may be the beginning of a secret.
func (s *scrubber) beginning(text []byte) int {
	for from := max(0, len(text)-s.length+1); from < len(text); from++ {
		for _, secret := range s.secrets {
			if strings.HasPrefix(secret, string(text[from:])) {
				return len(text) - from
			}
		}
	}
	return 0
}

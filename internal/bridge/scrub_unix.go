//go:build unix

package bridge

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
)

// forms returns what secrets look like in an answer: as they are, in an address, and in base64, also inside of something longer.
func forms(tokens ...string) (list [][]byte) {
	for _, token := range tokens {
		texts := []string{token, url.QueryEscape(token)}
		for before := range 3 {
			texts = append(texts, inBase64(base64.RawStdEncoding, token, before), inBase64(base64.RawURLEncoding, token, before))
		}
		for _, text := range texts {
			list = append(list, []byte(text))
		}
	}
	return list
}

// inBase64 returns the characters that depend on the token alone in the code of a text which has that many bytes, modulo 3, before it.
func inBase64(encoding *base64.Encoding, token string, before int) string {
	code := encoding.EncodeToString(append(make([]byte, before), token...))
	first := (before*8 + 5) / 6
	last := (before + len(token)) * 8 / 6
	return code[first:last]
}

// cover overwrites all of the forms in text with stars, so that its length stays.
func cover(text []byte, forms [][]byte) {
	for _, form := range forms {
		if bytes.Contains(text, form) {
			copy(text, bytes.ReplaceAll(text, form, bytes.Repeat([]byte("*"), len(form))))
		}
	}
}

// coverHeaders overwrites the forms in all names and values.
func coverHeaders(h http.Header, forms [][]byte) {
	for name, values := range h {
		clean := []byte(name)
		if cover(clean, forms); string(clean) != name {
			delete(h, name)
			continue
		}
		for i, v := range values {
			b := []byte(v)
			cover(b, forms)
			values[i] = string(b)
		}
	}
}

// scrubber is the body of an answer without the secret. It holds back only what may be the beginning of it.
type scrubber struct {
	io.Closer
	body   *bufio.Reader // not embedded: what it has beside Read covers nothing
	forms  [][]byte
	length int // of the longest form
}

// scrubBlock is how much is read at a time.
const scrubBlock = 32 << 10

func scrub(body io.ReadCloser, forms [][]byte) io.ReadCloser {
	s := &scrubber{Closer: body, forms: forms}
	for _, form := range forms {
		s.length = max(s.length, len(form))
	}
	s.body = bufio.NewReaderSize(body, scrubBlock+s.length)
	return s
}

func (s *scrubber) Read(p []byte) (int, error) {
	for need := 1; ; {
		_, err := s.body.Peek(need)
		text, _ := s.body.Peek(s.body.Buffered()) // the buffer itself, so that what is covered stays so
		cover(text, s.forms)
		ready := len(text)
		if err == nil {
			ready -= s.beginning(text)
		}
		if ready > 0 || err != nil {
			n, _ := s.body.Discard(copy(p, text[:ready])) // they are there
			if n > 0 || len(p) == 0 {
				return n, nil
			}
			return 0, err
		}
		need = len(text) + 1
	}
}

// beginning returns how many of the last bytes of text may be the beginning of a form.
func (s *scrubber) beginning(text []byte) int {
	for from := max(0, len(text)-s.length+1); from < len(text); from++ {
		for _, form := range s.forms {
			if bytes.HasPrefix(form, text[from:]) {
				return len(text) - from
			}
		}
	}
	return 0
}

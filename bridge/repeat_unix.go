//go:build unix

package bridge

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"swop/bridge/request"
)

// presented is the secret of a request, and where another one comes from if the service refuses it.
type presented struct {
	tokens
	now  string
	seen []string // all that the service got: none is in what it answers
}

// repeater sends a request again, once, if the service refuses its secret and a newer one is known.
type repeater struct {
	roundTripper
	destination *destination
	secret      *presented
}

// maxRepeated bounds the body of a request that is sent again, in bytes: it is kept in memory. A larger one is sent as it comes, and once.
const maxRepeated = 4 << 20

// RoundTrip returns the answer, that to the second request where there were two.
func (t *repeater) RoundTrip(r *http.Request) (*http.Response, error) {
	body, whole, err := t.keep(r)
	if err != nil {
		return nil, err
	}
	answer, err := t.roundTripper.RoundTrip(r)
	if err != nil || answer.StatusCode != http.StatusUnauthorized {
		return answer, err
	}
	newer, err := t.secret.Token(r.Context(), t.secret.now)
	if no, ok := errors.AsType[*request.Refusal](err); ok {
		_ = answer.Body.Close() // as below
		return nil, no
	}
	if err != nil || newer == t.secret.now || !whole {
		return answer, nil // the next request gets it
	}
	_ = answer.Body.Close() // nobody reads it
	t.secret.now, t.secret.seen = newer, append(t.secret.seen, newer)
	again := r.Clone(r.Context())
	name, value := t.destination.credential(newer)
	again.Header.Set(name, value)
	if body != nil {
		again.Body = io.NopCloser(bytes.NewReader(body))
	}
	return t.roundTripper.RoundTrip(again)
}

// keep reads the body of a request that says that it is short enough. whole is false for any other with a body.
func (t *repeater) keep(r *http.Request) (body []byte, whole bool, err error) {
	if r.Body == nil || r.ContentLength == 0 {
		return nil, true, nil
	}
	if r.ContentLength < 0 || r.ContentLength > maxRepeated {
		return nil, false, nil
	}
	body, err = io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return body, true, err
}

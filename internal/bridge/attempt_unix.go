//go:build unix

package bridge

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"swop/internal/bridge/request"
)

// attempt sends a request with the secret, and once more if the service refuses the secret and a newer one is known.
type attempt struct {
	*destination
	tokens
	now  string   // the secret to send
	seen []string // all secrets that the service got: they are covered in its answer
}

// maxRepeated bounds the body of a request that can be sent again, in bytes: the body is read into memory. A larger body, or one of unknown
// length, is sent as it comes, and once.
const maxRepeated = 4 << 20

// RoundTrip returns the answer to the last request that was sent.
func (a *attempt) RoundTrip(r *http.Request) (*http.Response, error) {
	again := r.Clone(r.Context())
	short := r.ContentLength >= 0 && r.ContentLength <= maxRepeated
	if short && r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r.Body, again.Body = io.NopCloser(bytes.NewReader(body)), io.NopCloser(bytes.NewReader(body))
	}
	answer, err := a.once(r)
	if err != nil || answer.StatusCode != http.StatusUnauthorized {
		return answer, err
	}
	newer, err := a.Token(r.Context(), a.now)
	if no, ok := errors.AsType[*request.Refusal](err); ok {
		_ = answer.Body.Close() // as below
		return nil, no
	}
	if err != nil || newer == a.now || !short {
		return answer, nil // the next request gets the newer secret
	}
	_ = answer.Body.Close() // nobody reads it
	a.now, a.seen = newer, append(a.seen, newer)
	name, value := a.credential(newer)
	again.Header.Set(name, value)
	return a.once(again)
}

// once sends a request without the hooks of the proxy in its context: an answer in advance (1xx) and trailers would not be searched.
func (a *attempt) once(r *http.Request) (*http.Response, error) {
	answer, err := a.transport.RoundTrip(r.WithContext(bare{r.Context()}))
	if err != nil {
		return nil, err
	}
	last := *answer // the reader of the body puts trailers into the other one
	last.Trailer = nil
	return &last, nil
}

// bare is a context without values.
type bare struct{ context.Context }

func (bare) Value(any) any { return nil }

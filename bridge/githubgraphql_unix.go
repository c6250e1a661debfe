//go:build unix

package bridge

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
)

// notReadable is the error of a query that asks for a repository that it may not read.
type notReadable struct{ *refusal }

// judgeGraphQL returns why a query is refused. One that is not is replaced by what was understood of it.
func (b *bridge) judgeGraphQL(r *http.Request, t target) *refusal {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if t.method != http.MethodPost || t.query != "" || err != nil || kind != "application/json" || r.Header.Get("Content-Encoding") != "" {
		return refuse(http.StatusBadRequest, "a query must be sent with POST, as application/json, and not compressed")
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxQuery+1))
	switch {
	case err != nil:
		return refuse(http.StatusBadRequest, "the query breaks off")
	case len(body) > maxQuery:
		return refuse(http.StatusRequestEntityTooLarge, "the query is larger than %d bytes", maxQuery)
	}
	again, err := readGraphQL(body, b.readable)
	var asks notReadable
	switch {
	case errors.As(err, &asks):
		return asks.refusal
	case err != nil:
		return refuse(http.StatusForbidden, "%v", err)
	}
	r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(bytes.NewReader(again)), int64(len(again)), nil
	r.Header.Set("Content-Length", strconv.Itoa(len(again)))
	return nil
}

// readable returns an error where the rules do not let the repository be read.
func (b *bridge) readable(owner, name string) error {
	if accessTo(b.rules(), owner, name) < read {
		return notReadable{b.notInRepo(owner, name, true)}
	}
	return nil
}

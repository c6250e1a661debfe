//go:build unix

package bridge

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

// TestStreamAtOnce: what a service sends is there before it sends more.
func TestStreamAtOnce(t *testing.T) {
	more := make(chan struct{})
	up := newService(t, func(w http.ResponseWriter, r *http.Request) {
		for _, part := range []string{"data: one\n\n", "data: two\n\n"} {
			_, _ = io.WriteString(w, part)
			w.(http.Flusher).Flush()
			<-more
		}
	})
	r, err := open(t, nil, tracker(t, up.URL, "GET /**")).client("tracker").Get("http://tracker/a")
	testhome.NoError(t, err)
	defer r.Body.Close()
	buf := make([]byte, 11)
	for _, want := range []string{"data: one\n\n", "data: two\n\n"} {
		if _, err := io.ReadFull(r.Body, buf); err != nil || string(buf) != want {
			t.Errorf("it reads %q, %v", buf, err)
		}
		more <- struct{}{}
	}
}

// TestGone: a request whose client goes away in the middle of the answer is in the log as others are.
func TestGone(t *testing.T) {
	gone := make(chan struct{})
	up := newService(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "data\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(gone)
	})
	s := open(t, nil, tracker(t, up.URL, "GET /**"))
	r, err := s.client("tracker").Get("http://tracker/a")
	testhome.NoError(t, err)
	_, err = io.ReadFull(r.Body, make([]byte, 5))
	testhome.NoError(t, err)
	testhome.NoError(t, r.Body.Close())
	<-gone
	testhome.NoError(t, s.Close())
	const want = `"bridge":"tracker","method":"GET","path":"/a","verdict":"allowed","status":200}`
	if log := testhome.TextOf(filepath.Join(s.options.Root, logDir, s.options.Account+".jsonl")); !strings.Contains(log, want) {
		t.Errorf("the log has %q, want %s", log, want)
	}
}

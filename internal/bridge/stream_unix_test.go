//go:build unix

package bridge

import (
	"io"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

// TestStream: bodies pass in both directions while they are sent, and do not stay in memory.
func TestStream(t *testing.T) {
	size := int64(1 << 30)
	if testing.Short() {
		size = 64 << 20
	}
	up := newService(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			_, _ = io.Copy(io.Discard, r.Body) // what is missing is seen by who sent it
			return
		}
		_, _ = io.CopyN(w, zeros{}, size) // likewise
	})
	s := open(t, nil, tracker(t, up.URL, "GET /**", "POST /**"))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	most := uint64(0)
	watch := func(r io.Reader) (n int64) {
		buf := make([]byte, 1<<20)
		for {
			m, err := r.Read(buf)
			n += int64(m)
			runtime.ReadMemStats(&after)
			most = max(most, after.HeapInuse)
			if err != nil {
				return n
			}
		}
	}
	r, err := s.client("tracker").Get("http://tracker/a")
	testhome.NoError(t, err)
	if n := watch(r.Body); n != size {
		t.Errorf("%d bytes come down, want %d", n, size)
	}
	r, err = s.client("tracker").Post("http://tracker/a", "text/plain", io.LimitReader(zeros{}, size))
	if got := read1(t, r, err); got.status != 200 {
		t.Errorf("going up: %+v", got)
	}
	runtime.ReadMemStats(&after)
	most = max(most, after.HeapInuse)
	if grown := int64(most) - int64(before.HeapInuse); grown > 24<<20 {
		t.Errorf("the memory in use grows by %d MB", grown>>20)
	}
	t.Logf("%d MB down and up; the memory in use grows from %d kB to %d kB at most", size>>20, before.HeapInuse>>10, most>>10)
}

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
	for name, ask := range map[string]func() (*http.Response, error){
		"a service": func() (*http.Response, error) {
			return open(t, nil, tracker(t, up.URL, "GET /**")).client("tracker").Get("http://tracker/a")
		},
		"codex with a ChatGPT login": func() (*http.Response, error) {
			s := openChatGPT(t, up.URL, nil)
			return http.DefaultTransport.RoundTrip(s.request(t, 0, "POST", "/backend-api/codex/responses", "{}", nil))
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := ask()
			testhome.NoError(t, err)
			defer r.Body.Close()
			buf := make([]byte, 11)
			for _, want := range []string{"data: one\n\n", "data: two\n\n"} {
				if _, err := io.ReadFull(r.Body, buf); err != nil || string(buf) != want {
					t.Errorf("it reads %q, %v", buf, err)
				}
				more <- struct{}{}
			}
		})
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

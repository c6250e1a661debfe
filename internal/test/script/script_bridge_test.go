//go:build unix

package swop_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"swop/internal/test/testgithub"
)

// service starts a service on loopback, and sets SERVICE to its address. It appends to the file service a line for each request: method,
// path and Authorization. It answers with the same line, so that it gives away what it was told.
func service(ts *testscript.TestScript, _ []string) error {
	file := filepath.Join(ts.Getenv("WORK"), "service")
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		line := fmt.Sprintf("%s %s %s\n", r.Method, r.URL, r.Header.Get("Authorization"))
		log, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		defer log.Close()
		_, _ = io.WriteString(io.MultiWriter(log, w), line) // the script looks at both
	}))
	ts.Defer(server.Close)
	ts.Setenv("SERVICE", server.URL)
	return os.WriteFile(file, nil, 0o600)
}

// fetchMain is fetch SOCKET METHOD PATH [KEY]: it sends a request to a Unix socket, or to an address that begins with http:, and prints
// status and body. It fails where the status is an error's.
func fetchMain() {
	base, transport := os.Args[1], &http.Transport{}
	if !strings.HasPrefix(base, "http:") {
		base = "http://localhost"
		transport.DialContext = func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", os.Args[1]) }
	}
	if proxy, err := url.Parse(os.Getenv("http_proxy")); err == nil && proxy.Host != "" && transport.DialContext == nil {
		transport.Proxy = http.ProxyURL(proxy)
	}
	client := http.Client{Transport: transport}
	request, err := http.NewRequest(os.Args[2], base+os.Args[3], nil)
	if err != nil {
		fail(err)
	}
	if len(os.Args) > 4 {
		request.Header.Set("Authorization", "Bearer "+os.Args[4])
	}
	answer, err := client.Do(request)
	if err != nil {
		fail(err)
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		fail(err)
	}
	fmt.Println(answer.StatusCode, strings.TrimSpace(string(body)))
	if answer.StatusCode >= 400 {
		os.Exit(1)
	}
}

// github is github TOKEN: it starts a service like GitHub whose repositories need the token, and sets GITHUB to its address.
func github(ts *testscript.TestScript, args []string) error {
	dir := filepath.Join(ts.Getenv("WORK"), ".tmp", "github")
	server, err := testgithub.Start(dir, args[0])
	if err != nil {
		return err
	}
	ts.Defer(server.Close)
	ts.Setenv("GITHUB", server.URL)
	return nil
}

// seen is seen TXET: it reports in which of the places that a session can look at the text TEXT is: the environment and the arguments of
// all processes that it may read, the files that they have open, and the files of the directories in LOOK. The text is given backwards, so
// that who looks for it does not have it; this process does not count.
func seenMain() {
	text := []byte(os.Args[1])
	slices.Reverse(text)
	holds := func(file string) {
		f, err := os.Open(file)
		if err != nil {
			return
		}
		defer f.Close()
		// other scripts have files of 300 GB open
		if content, err := io.ReadAll(io.LimitReader(f, 64<<20)); err == nil && bytes.Contains(content, text) {
			fmt.Println("found in", file)
		}
	}
	processes, _ := filepath.Glob("/proc/[0-9]*") // a good pattern
	for _, dir := range processes {
		if filepath.Base(dir) == fmt.Sprint(os.Getpid()) {
			continue
		}
		holds(dir + "/environ")
		holds(dir + "/cmdline")
		open, _ := filepath.Glob(dir + "/fd/*") // likewise
		for _, file := range open {
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
				holds(file)
			}
		}
	}
	for _, dir := range filepath.SplitList(os.Getenv("LOOK")) {
		_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error { // what cannot be read is not seen
			if err == nil && entry.Type().IsRegular() {
				holds(path)
			}
			return nil
		})
	}
	fmt.Println("looked")
}

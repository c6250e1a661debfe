//go:build unix

package swop_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
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
	tools := filepath.Join(ts.Getenv("WORK"), "home", ".local", "bin") // which confined sessions see
	ts.Setenv("PATH", ts.Getenv("PATH")+":"+tools)
	err := os.MkdirAll(tools, 0o700)
	err = errors.Join(err, os.Link(filepath.Join(programs, "tools", "fetch"), filepath.Join(tools, "fetch")))
	return errors.Join(err, writeFake(filepath.Join(tools, "seen")), os.WriteFile(file, nil, 0o600))
}

// fetch is the program fetch SOCKET METHOD PATH [KEY]: it sends a request to a Unix socket, or to an address that begins with http:, and
// prints status and body. It fails where the status is an error's.
func fetch() error {
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
		return err
	}
	if len(os.Args) > 4 {
		request.Header.Set("Authorization", "Bearer "+os.Args[4])
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	fmt.Println(answer.StatusCode, strings.TrimSpace(string(body)))
	if answer.StatusCode >= 400 {
		os.Exit(1)
	}
	return nil
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

//go:build unix

package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"os"
	"path/filepath"
	"time"

	"swop/account/login"
	"swop/disk"
	"swop/say"
	"swop/session/socket"
)

// The other side of a login that is served.

// errAway says that a connection which broke has not come back in time.
var errAway = errors.New("the machine that has the login cannot be reached")

// pingTime is after how long a silent connection is asked whether it still works, and how long the answer may take.
const pingTime = 15 * time.Second

// openServed leads codex to the socket in dir. All requests share one connection, for over ssh each one takes 44 ms to open.
func (s *Session) openServed(dir string) error {
	patience := time.Duration(0) // at the start there is a socket, or nobody serves
	transport := &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) { return dialServed(s.life, dir, patience) },
		Protocols:   http2Only(), HTTP2: &http.HTTP2Config{SendPingTimeout: pingTime, PingTimeout: pingTime},
		DisableCompression: true, // codex asks for what it can read
	}
	auth, err := askServed(transport, dir)
	if err != nil {
		return err
	}
	patience = s.limits.wait
	relay := &httputil.ReverseProxy{
		Rewrite:   func(p *httputil.ProxyRequest) { p.Out.URL.Scheme, p.Out.URL.Host = "http", "login" },
		Transport: transport, ErrorLog: s.errors,
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			switch {
			case r.Header.Get("Upgrade") != "": // HTTP/2 has no place for it, and codex goes on without
				http.Error(w, ours+"another protocol is not bridged", http.StatusUpgradeRequired)
			case errors.Is(err, errAway): // codex stops, and prints it
				http.Error(w, ours+errAway.Error(), http.StatusBadRequest)
			default: // codex asks again
				http.Error(w, ours+"the connection to the login broke", http.StatusServiceUnavailable)
			}
		},
	}
	w := &way{file: auth, prefix: openAIPath}
	if login.ParseLogin(auth).Mode == "chatgpt" {
		w.prefix = chatGPTPath
	}
	return s.leadLogin(w, relay)
}

// http2Only are the protocols of what is served: HTTP/2, without TLS.
func http2Only() *http.Protocols {
	var p http.Protocols
	p.SetUnencryptedHTTP2(true)
	return &p
}

// dialServed connects to the socket in dir, and waits for it.
func dialServed(life context.Context, dir string, patience time.Duration) (net.Conn, error) {
	life, end := context.WithTimeout(life, patience)
	defer end()
	for {
		conn, err := socket.Dial(dir, ServedSocket)
		if err == nil {
			return conn, nil
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-life.Done():
			return nil, errAway
		}
	}
}

// askServed returns the auth.json that is served in dir.
func askServed(transport http.RoundTripper, dir string) ([]byte, error) {
	answer, err := (&http.Client{Transport: transport}).Get("http://login" + authPath)
	if err != nil {
		return nil, say.WithHint(fmt.Errorf("no login is served in %s", dir), "start, on the side that has the login: codex swop bridge serve LABEL --dir DIR")
	}
	defer answer.Body.Close()
	auth, err := io.ReadAll(io.LimitReader(answer.Body, login.MaxAuth))
	if err == nil && !login.IsStandIn(auth) {
		err = fmt.Errorf("the login in %s is served by another release of swop: install the same on both sides", dir)
	}
	return auth, err
}

// Carry makes dir with a socket, and passes the one connection that it takes on: from in, and to out. It says that it is ready, by a line, and ends when
// either side does.
func Carry(dir, ready string, in io.Reader, out io.Writer) error {
	l, err := listenServed(dir)
	if err != nil {
		return err
	}
	defer l.Close()
	made, err := os.Lstat(filepath.Join(dir, ServedSocket))
	if err != nil {
		return err
	}
	defer func() {
		if there, err := os.Lstat(filepath.Join(dir, ServedSocket)); err == nil && os.SameFile(made, there) { // else a later call has taken it
			_ = os.RemoveAll(dir) // it holds no secret
		}
	}()
	if _, err := fmt.Fprintln(out, ready); err != nil {
		return err
	}
	fromIn, toConn := io.Pipe() // nothing comes before the session has asked, except for the end
	go func() {
		_, _ = io.Copy(toConn, in) // either side may go away
		_ = toConn.Close()
		_ = l.Close()
	}()
	conn, err := (&ownListener{l}).Accept()
	if err != nil {
		return disk.Ignore(err, net.ErrClosed)
	}
	go func() {
		_, _ = io.Copy(conn, fromIn) // as above
		_ = conn.Close()
	}()
	_, err = io.Copy(out, conn)
	return disk.Ignore(err, net.ErrClosed)
}

// PutServed puts the stand-in of a login that is served into the account's auth.json, for a session that has no directory of its own in its place.
// A login that is there is left alone, and an error.
func PutServed(file string, standIn []byte) error {
	text, err := ownStandIn(file)
	if err != nil || text == string(standIn) {
		return err
	}
	return disk.WriteFile(file, standIn)
}

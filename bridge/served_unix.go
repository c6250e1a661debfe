//go:build unix

package bridge

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"swop/account"
	"swop/bridge/request"
	"swop/disk"
	"swop/session/socket"
)

// A login can be served to another swop: by a socket in a directory that a container has, or by a connection of OpenSSH. codex there has a
// stand-in, as in a session, and nothing else of the login. One connection, of HTTP/2, carries all requests of the other side.

// ServedSocket is the socket of a login, in its directory.
const ServedSocket = "login.sock"

// authPath is where the other side asks for the auth.json with the stand-in. Another number says that the releases do not understand each other.
const authPath = "/swop-2/auth.json"

// Most bounds what the other side may do: zero values bound nothing.
type Most struct {
	PerHour int       // requests
	Until   time.Time // when it ends
}

// ServeIn lets others use the account's login by a socket in dir, until the session is closed. dir is made if it is missing, and has to be this user's
// alone.
func (s *Session) ServeIn(dir string, most Most) error {
	if s.login == nil || s.login.bridge == nil {
		return errors.New("the account has no login of its own that could be served")
	}
	if conn, err := socket.Dial(dir, ServedSocket); err == nil {
		_ = conn.Close() // nothing was asked
		return fmt.Errorf("another codex swop serves a login in %s", dir)
	}
	l, err := listenServed(dir)
	if err != nil {
		return err
	}
	s.servedAt = filepath.Join(dir, ServedSocket)
	s.serve(l, &limited{way: s.login, most: most, now: s.options.Now})
	return nil
}

// listenServed listens on the socket in dir, which nobody else may enter, in the place of one that a killed run left.
func listenServed(dir string) (net.Listener, error) {
	err := disk.MakeDirs(dir)
	if err == nil {
		err = account.Layout{}.CheckDir(dir)
	}
	if err == nil {
		err = disk.RemoveIfExists(filepath.Join(dir, ServedSocket))
	}
	if err != nil {
		return nil, err
	}
	return socket.Listen(dir, ServedSocket)
}

// limited is the way of requests from the other side.
type limited struct {
	*way
	most Most
	now  func() time.Time

	mu    sync.Mutex
	hour  time.Time // when the hour began
	count int       // of requests since then
}

// ServeHTTP sends a request on: codex named a port of the other machine.
func (l *limited) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.RequestURI == authPath {
		_, _ = w.Write(l.file) // the other side may be gone
		return
	}
	no := l.admits(r) // before it counts
	if no == nil {
		no = l.refuses()
	}
	if no != nil {
		l.write(w, r, l.refuse(r, no))
		return
	}
	if host, _, err := net.SplitHostPort(r.Host); err == nil && host == "127.0.0.1" {
		r.Host = fmt.Sprintf("127.0.0.1:%d", l.ports[0])
	}
	l.handler.ServeHTTP(w, r)
}

func (l *limited) refuses() *request.Refusal {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if since := now.Sub(l.hour); since < 0 || since >= time.Hour {
		l.hour, l.count = now, 0
	}
	l.count++
	switch {
	case !l.most.Until.IsZero() && !now.Before(l.most.Until):
		return request.Refuse(http.StatusBadRequest, "the time is over for which the login is served here")
	case l.most.PerHour > 0 && l.count > l.most.PerHour:
		return request.Refuse(http.StatusBadRequest, "%d requests in an hour are all that is allowed here", l.most.PerHour)
	}
	return nil
}

//go:build unix

package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"swop/account"
	"swop/bridge/chatgpt"
	"swop/bridge/request"
	"swop/disk"
	"swop/say"
	"swop/session/socket"
)

// A login can be served by sockets in a directory: to a container that has the directory, or to another machine by OpenSSH. There another swop
// leads codex to the sockets. It has a stand-in, as a session has, and nothing else of the login.

// servedSockets are the sockets of a login, in the order of codex's ports: the model, and the backend of a ChatGPT login.
var servedSockets = []string{"model.sock", "backend.sock"}

// servedFile describes the login that is served, beside the sockets.
const servedFile = "login.json"

// Served is what the other side knows of the login.
type Served struct {
	Version int    `json:"version"` // servedVersion
	Path    string `json:"path"`    // what the paths of codex's requests begin with
	Ports   int    `json:"ports"`   // how many codex needs
	Auth    []byte `json:"auth"`    // the auth.json with the stand-in
}

// servedVersion is raised with each change that another release cannot follow.
const servedVersion = 1

// Most bounds what the other side may do: zero values bound nothing.
type Most struct {
	PerHour int       // requests
	Until   time.Time // when it ends
}

// ServeLogin lets others use the account's login by sockets in dir until the session is closed. dir is made if it is missing, and has to be this user's
// alone.
func (s *Session) ServeLogin(dir string, most Most) error {
	if s.login == nil || s.login.handlers == nil {
		return errors.New("the account has no login of its own that could be served")
	}
	if err := s.takeServed(dir); err != nil {
		return err
	}
	for i, h := range s.login.handlers {
		l, err := net.Listen("unix", filepath.Join(dir, servedSockets[i]))
		if err != nil {
			return err
		}
		s.serve(l, &limited{Handler: h, login: s.login, most: most, now: s.options.Now})
	}
	about, err := json.Marshal(s.Served())
	if err != nil {
		return err
	}
	return disk.WriteFile(filepath.Join(dir, servedFile), about)
}

// Served describes the login for the other side.
func (s *Session) Served() Served {
	auth := s.login.file
	if auth == nil {
		auth = authFile(s.login.standIn)
	}
	return Served{servedVersion, s.login.path, len(s.login.handlers), auth}
}

// takeServed makes the directory, and takes it from a run that was killed.
func (s *Session) takeServed(dir string) error {
	if err := disk.MakeDirs(dir); err != nil {
		return err
	}
	var st unix.Stat_t
	switch err := unix.Lstat(dir, &st); {
	case err != nil:
		return &fs.PathError{Op: "lstat", Path: dir, Err: err}
	case st.Mode&unix.S_IFMT != unix.S_IFDIR || int(st.Uid) != os.Geteuid() || st.Mode&0o077 != 0:
		return say.WithHint(disk.Unsafe("%s: must be a directory that you alone can enter", dir), "chmod 700 "+say.ShellQuote(dir))
	case len(filepath.Join(dir, servedSockets[1])) > maxSocketPath:
		return fmt.Errorf("%s: is too long a path for a socket", dir)
	}
	var err error
	if s.served, err = account.Flock(filepath.Join(dir, "lock"), unix.LOCK_EX|unix.LOCK_NB, unix.O_CLOEXEC|unix.O_CREAT); err != nil {
		if errors.Is(err, account.ErrInUse) {
			err = fmt.Errorf("another codex swop serves a login in %s", dir)
		}
		return err
	}
	s.servedIn = dir
	return s.clearServed()
}

// clearServed removes what is in the directory in which the login is served, if there is one.
func (s *Session) clearServed() error {
	if s.servedIn == "" {
		return nil
	}
	failed := []error{disk.RemoveIfExists(filepath.Join(s.servedIn, servedFile))}
	for _, name := range servedSockets {
		failed = append(failed, disk.RemoveIfExists(filepath.Join(s.servedIn, name)))
	}
	return errors.Join(failed...)
}

// limited is the way of requests from the other side.
type limited struct {
	http.Handler
	login *codexLogin
	most  Most
	now   func() time.Time

	mu    sync.Mutex
	hour  time.Time // when the hour began
	count int       // of requests since then
}

// ServeHTTP sends a request on: codex named a port of the other machine.
func (l *limited) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !l.login.admits(w, r) { // before it counts
		return
	}
	if no := l.refuses(); no != nil {
		l.login.refuse(w, r, no)
		return
	}
	if host, _, err := net.SplitHostPort(r.Host); err == nil && host == "127.0.0.1" {
		r.Host = fmt.Sprintf("127.0.0.1:%d", l.login.ports[0])
	}
	l.Handler.ServeHTTP(w, r)
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

// openServed leads codex to the sockets in dir.
func (s *Session) openServed(dir string) error {
	about, err := readServed(dir)
	if err != nil {
		return err
	}
	if s.login != nil {
		return errors.New("an account can have one login: remove the table of its other bridge, or login")
	}
	login := &codexLogin{file: about.Auth, path: about.Path}
	for _, name := range servedSockets[:about.Ports] {
		l, inside, port, err := s.listenPort()
		if err != nil {
			return err
		}
		login.ports = append(login.ports, port)
		for _, from := range []net.Listener{l, inside} {
			s.relays = append(s.relays, from)
			go socket.Forward(from, filepath.Join(dir, name))
		}
	}
	s.login = login
	return nil
}

// Receive makes dir with the description of a login, for sockets that are put beside it. dir must not exist yet.
func Receive(dir string, description io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(description, maxServed))
	if err != nil {
		return err
	}
	if _, err := parseServed(dir, text); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	return disk.CreateFile(filepath.Join(dir, servedFile), text)
}

// receiveTime is how long a directory may wait for its sockets.
const receiveTime = time.Minute

// SweepReceived removes the directories, of this user and with names that begin with start, in which nobody serves a login any more.
func SweepReceived(start string, now time.Time) {
	dirs, _ := filepath.Glob(start + "*") // a good pattern
	for _, dir := range dirs {
		var st unix.Stat_t
		if unix.Lstat(dir, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFDIR || int(st.Uid) != os.Geteuid() || now.Unix()-int64(st.Mtim.Sec) < int64(receiveTime.Seconds()) {
			continue
		}
		if !wasServed(dir) {
			continue // it is something else, or still served
		}
		for _, name := range append(slices.Clone(servedSockets), servedFile) {
			_ = disk.RemoveIfExists(filepath.Join(dir, name)) // the next one tries again
		}
		_ = os.Remove(dir) // as above
	}
}

// wasServed reports whether dir has the description of a login that nobody serves any more.
func wasServed(dir string) bool {
	text, err := disk.ReadOwn(filepath.Join(dir, servedFile), maxServed)
	if err != nil {
		return false
	}
	if _, err := parseServed(dir, []byte(text)); err != nil {
		return false
	}
	_, err = readServed(dir)
	return err != nil
}

// HoldsStandIn reports whether an auth.json holds a stand-in, and no login.
func HoldsStandIn(file string) bool {
	text, err := disk.ReadOwn(file, 1<<20)
	return err == nil && isStandIn(text)
}

func isStandIn(text string) bool {
	key, _ := strings.CutSuffix(string(authFile(standInStart)), `"}`)
	return chatgpt.IsStandIn([]byte(text)) || strings.HasPrefix(text, key)
}

// Sockets returns the paths of the sockets of a login in a directory.
func (s Served) Sockets(dir string) (paths []string) {
	for _, name := range servedSockets[:s.Ports] {
		paths = append(paths, filepath.Join(dir, name))
	}
	return paths
}

// maxServed bounds what is read of the other side's description, in bytes.
const maxServed = 64 << 10

// readServed returns what is served in dir.
func readServed(dir string) (about Served, err error) {
	text, err := disk.ReadOwn(filepath.Join(dir, servedFile), maxServed)
	conn, gone := net.Dial("unix", filepath.Join(dir, servedSockets[0]))
	if gone == nil {
		_ = conn.Close() // nothing was asked
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && gone != nil: // the second where serving was killed
		return about, say.WithHint(fmt.Errorf("no login is served in %s", dir), "start, on the side that has the login: codex swop bridge serve LABEL --dir DIR")
	case err != nil:
		return about, err
	}
	return parseServed(dir, []byte(text))
}

func parseServed(dir string, text []byte) (about Served, err error) {
	switch {
	case json.Unmarshal(text, &about) != nil || about.Version != servedVersion:
		return about, fmt.Errorf("the login in %s is served by another release of swop: install the same on both sides", dir)
	case about.Ports < 1 || about.Ports > len(servedSockets) || !strings.HasPrefix(about.Path, "/"):
		return about, fmt.Errorf("%s: the description of the login is damaged", dir)
	}
	return about, nil
}

// PutServed puts the stand-in of a login that is served into the account's auth.json, for a session that has no directory of its own in its place.
// A login that is there is left alone, and an error.
func PutServed(file string, standIn []byte) error {
	text, err := disk.ReadOwn(file, 1<<20)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && text == "":
	case err != nil:
		return err
	case text == string(standIn):
		return nil
	case !isStandIn(text):
		err := errors.New("the account has a login of its own, and one that is served by a socket")
		return say.WithHint(err, "log out first: codex swop logout LABEL")
	}
	return disk.WriteFile(file, standIn)
}

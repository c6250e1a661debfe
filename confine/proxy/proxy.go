// Package proxy lets the programs of a confined session reach the hosts of a list, and no others.
package proxy

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"swop/confine/desk"
)

// Proxy lets confined sessions reach the hosts of a list, and no others: it listens on a Unix socket outside, to which the helper passes on what
// programs inside send to [Address]. It takes CONNECT and plain HTTP; names are resolved here.
type Proxy struct {
	mu       sync.Mutex
	hosts    []string
	listener net.Listener
	dial     func(network, address string) (net.Conn, error)
	wait     sync.WaitGroup
}

// Address is where the proxy is found inside, in the session's own network.
const Address = "127.0.0.1:3128"

// Socket is the name of the proxy's socket in [desk.RuntimeDir].
const Socket = "proxy.sock"

// headTime bounds how long a program takes to say what it wants, and dialTime how long a host takes to answer.
const (
	headTime = 30 * time.Second
	dialTime = 30 * time.Second
)

// maxHead bounds the head of a request.
const maxHead = 1 << 20

// New serves on the listener until it is closed.
func New(l net.Listener, hosts []string) *Proxy {
	p := &Proxy{hosts: slices.Clone(hosts), listener: l, dial: (&net.Dialer{Timeout: dialTime}).Dial}
	p.wait.Go(p.serve)
	return p
}

// Add adds a host to the list, until undo is called. Connections that are open then stay open.
func (p *Proxy) Add(host string) (undo func() error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hosts = append(p.hosts, host)
	return func() error {
		p.mu.Lock()
		defer p.mu.Unlock()
		if i := slices.Index(p.hosts, host); i >= 0 {
			p.hosts = slices.Delete(p.hosts, i, i+1)
		}
		return nil
	}
}

// Has reports whether the list has what a host, or host:port, names.
func (p *Proxy) Has(target string) bool {
	host, port, err := net.SplitHostPort(target)
	if err != nil {
		host, port = strings.Trim(target, "[]"), ""
	}
	allowed, _ := p.allows(host, port)
	return allowed
}

// Close ends it. Connections that are open end by themselves, with the session.
func (p *Proxy) Close() error {
	err := p.listener.Close()
	p.wait.Wait()
	return err
}

// Forward passes connections to [Address] on to the proxy, inside, for as long as the process runs.
func Forward() error {
	l, err := net.Listen("tcp", Address)
	if err != nil {
		return err
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go forward(conn)
		}
	}()
	return nil
}

func forward(conn net.Conn) {
	defer conn.Close()
	proxy, err := net.Dial("unix", desk.RuntimeDir+"/"+Socket)
	if err != nil {
		return // the session ends
	}
	defer proxy.Close()
	relay(conn, conn, proxy)
}

func (p *Proxy) serve() {
	for {
		conn, err := p.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil {
			go p.handle(conn)
		}
	}
}

// handle serves one request of a program: a connection has no second one.
func (p *Proxy) handle(conn net.Conn) {
	defer conn.Close()
	late := time.AfterFunc(headTime, func() { _ = conn.Close() }) // it may be closed already
	defer late.Stop()
	head := &io.LimitedReader{R: conn, N: maxHead}
	reader := bufio.NewReader(head)
	request, err := http.ReadRequest(reader)
	if err != nil {
		refuse(conn, http.StatusBadRequest, "this is no request that the proxy understands")
		return
	}
	late.Stop()
	head.N = math.MaxInt64
	address, err := target(request)
	if err != nil {
		refuse(conn, http.StatusBadRequest, err.Error())
		return
	}
	upstream, err := p.connect(address)
	if err != nil {
		refuse(conn, http.StatusForbidden, err.Error())
		return
	}
	defer upstream.Close()
	if request.Method == http.MethodConnect {
		if _, err := io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n"); err == nil {
			early, _ := reader.Peek(reader.Buffered())
			relay(conn, io.MultiReader(strings.NewReader(string(early)), conn), upstream)
		}
		return
	}
	request.Header.Del("Proxy-Connection")
	request.Header.Del("Proxy-Authorization")
	request.Header.Set("Connection", "close")
	request.Close = true
	if request.Write(upstream) == nil {
		_, _ = io.Copy(conn, upstream) // either end may go away
	}
}

// target returns the host and the port that a request is for.
func target(r *http.Request) (string, error) {
	host, port := r.URL.Hostname(), r.URL.Port()
	switch {
	case r.Method == http.MethodConnect:
		var err error
		if host, port, err = net.SplitHostPort(r.RequestURI); err != nil || port == "" {
			return "", errors.New("CONNECT needs a host and a port")
		}
	case r.URL.Scheme != "http" || host == "":
		return "", errors.New("only CONNECT and http:// are passed on")
	case port == "":
		port = "80"
	}
	return net.JoinHostPort(strings.ToLower(strings.TrimSuffix(host, ".")), port), nil
}

// connect dials an address that the list has.
func (p *Proxy) connect(address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	allowed, named := p.allows(host, port)
	if !allowed {
		return nil, fmt.Errorf("%s is not in the list of hosts that this session may reach: network in config.toml", address)
	}
	conn, err := p.dial("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be reached", address)
	}
	// A name that is allowed must not lead to what only this machine serves.
	if !named && isOwn(conn) {
		return nil, errors.Join(fmt.Errorf("%s leads to this machine, which the list does not name", address), conn.Close())
	}
	return conn, nil
}

// allows reports whether the list has the host, with this port or any, and whether it names the machine itself by that.
func (p *Proxy) allows(host, port string) (allowed, named bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, entry := range p.hosts {
		name, only := entry, ""
		if h, n, err := net.SplitHostPort(entry); err == nil {
			name, only = h, n
		}
		name = strings.Trim(name, "[]")
		suffix, wild := strings.CutPrefix(name, "*")
		if (only == "" || only == port) && (name == host || wild && strings.HasSuffix(host, suffix)) {
			_, err := netip.ParseAddr(name)
			return true, err == nil || name == "localhost"
		}
	}
	return false, false
}

// isOwn reports whether a connection leads to this machine, or to its own link. To an address of this machine the kernel connects from that address.
func isOwn(conn net.Conn) bool {
	remote, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	local, localErr := netip.ParseAddrPort(conn.LocalAddr().String())
	to := remote.Addr().Unmap()
	return err != nil || localErr != nil || to == local.Addr().Unmap() || to.IsLoopback() || to.IsUnspecified() || to.IsLinkLocalUnicast() || to.IsMulticast()
}

// relay passes on what each end sends until both have ended.
func relay(conn net.Conn, from io.Reader, upstream net.Conn) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(upstream, from) // either end may go away
		closeWrite(upstream)
	}()
	_, _ = io.Copy(conn, upstream) // either end may go away
	closeWrite(conn)
	<-done
}

func closeWrite(conn net.Conn) {
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // the other end may be gone
	}
}

func refuse(conn net.Conn, status int, reason string) {
	text := "swop: " + reason + "\n"
	_, _ = fmt.Fprintf(conn, "HTTP/1.1 %d %s\r\nContent-Type: text/plain\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
		status, http.StatusText(status), len(text), text) // the program may be gone
}

// Package proxy lets the programs of a confined session reach hosts: any but this machine, or those of a list.
package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/net/netutil"

	"swop/config"
	"swop/internal/session/socket"
)

// Proxy lets a confined session reach hosts: it serves a listener in the session's network, and connects outside of it. It takes CONNECT
// and plain HTTP; names are resolved here.
type Proxy struct {
	mu      sync.Mutex
	all     bool // every host, but this machine
	hosts   []string
	server  http.Server
	plain   httputil.ReverseProxy
	dialer  net.Dialer
	blocked func(address, why string)
}

// Address is where the proxy is found inside, in the session's own network.
const Address = "127.0.0.1:3128"

// maxClients bounds the connections that are served at once.
const maxClients = 512

// patience bounds how long a program takes to say what it wants, and a host to answer.
const patience = 30 * time.Second

// New serves on the listener until it is closed. It calls blocked, at the same time for several requests, with what it refuses.
func New(l net.Listener, all bool, hosts []string, blocked func(address, why string)) *Proxy {
	l = netutil.LimitListener(l, maxClients)
	p := &Proxy{all: all, hosts: slices.Clone(hosts), dialer: net.Dialer{Timeout: patience}, blocked: blocked}
	silent := log.New(io.Discard, "", 0) // the terminal is codex's
	p.server = http.Server{Handler: p, ReadHeaderTimeout: patience, ErrorLog: silent}
	p.plain = httputil.ReverseProxy{
		Rewrite: func(*httputil.ProxyRequest) {}, FlushInterval: -1, ErrorHandler: refuse, ErrorLog: silent,
		Transport: &http.Transport{DialContext: p.dial, DisableKeepAlives: true, DisableCompression: true},
	}
	p.server.SetKeepAlivesEnabled(false)
	go func() { _ = p.server.Serve(l) }() // it ends when it is closed
	return p
}

// Add adds a host to the list, until undo is called. Connections that are open then stay open.
func (p *Proxy) Add(host string) (undo func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hosts = append(p.hosts, host)
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if i := slices.Index(p.hosts, host); i >= 0 {
			p.hosts = slices.Delete(p.hosts, i, i+1)
		}
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

// Close ends it. Tunnels that are open end by themselves, with the session.
func (p *Proxy) Close() error { return p.server.Close() }

// ServeHTTP implements [http.Handler].
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodConnect:
		upstream, err := p.dial(context.WithoutCancel(r.Context()), "tcp", r.RequestURI) // it may have sent all that it will
		if err != nil {
			refuse(w, r, err)
			return
		}
		defer upstream.Close()
		if conn, buffered := hijack(w, "200 Connection established"); conn != nil {
			defer conn.Close()
			socket.Relay(conn, buffered, upstream)
		}
	case r.URL.Scheme != "http" || r.URL.Host == "":
		refuse(w, r, &refusal{http.StatusBadRequest, "only CONNECT and http:// are passed on"})
	default:
		ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context())) // as above: it reads the answer to its end
		defer cancel()
		p.plain.ServeHTTP(w, r.WithContext(ctx))
	}
}

// refusal is an answer of the proxy's own.
type refusal struct {
	status int
	reason string
}

func (r *refusal) Error() string { return r.reason }

// dial connects to a host and a port that the list has.
func (p *Proxy) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(strings.ToLower(address))
	host = strings.TrimSuffix(host, ".")
	address = net.JoinHostPort(host, port)
	if err != nil || port == "" || !config.IsHost(address) {
		return nil, &refusal{http.StatusBadRequest, "invalid host and port"}
	}
	allowed, named := p.allows(host, port)
	if !allowed {
		return nil, p.block(address, address, "is not in the list of hosts that this session may reach")
	}
	dialer := p.dialer
	if !named { // a name that is allowed must not lead to what only this machine serves
		dialer.Control = refuseOwn
	}
	conn, err := dialer.DialContext(ctx, network, address)
	if own, ok := errors.AsType[*ownAddress](err); ok {
		return nil, p.block(address, own.address, "leads to this machine, which the list does not name")
	}
	if err != nil {
		return nil, &refusal{http.StatusBadGateway, address + " cannot be reached"}
	}
	return conn, nil
}

// block notes that the session does not reach address, and says what to ask the user for.
func (p *Proxy) block(address, ask, why string) error {
	p.blocked(address, why)
	return &refusal{http.StatusForbidden, fmt.Sprintf("%s %s; to ask the user for it: codex swop ask --connect %s", address, why, ask)}
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
		if (only == "" || only == port) && (name == "*" || name == host || wild && strings.HasSuffix(host, suffix)) {
			_, err := netip.ParseAddr(name)
			return true, err == nil || name == "localhost"
		}
	}
	return p.all && !IsLocal(host), false
}

// IsLocal reports whether a host is this machine by its very name.
func IsLocal(host string) bool {
	of, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && of.Unmap().IsLoopback()
}

// ownAddress says that an address is this machine's.
type ownAddress struct{ address string }

func (o *ownAddress) Error() string { return o.address + " is this machine's own" }

// refuseOwn fails for an address of this machine, or of its own link, before anything is sent to it. It is called with the address that is
// connected to, after the name was resolved.
func refuseOwn(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	of := to.Addr().Unmap()
	if of.IsLoopback() || of.IsUnspecified() || of.IsLinkLocalUnicast() || of.IsMulticast() {
		return &ownAddress{address}
	}
	probe, err := net.Dial("udp", address) // which sends nothing, but asks the kernel for the way there
	if err != nil {
		return err
	}
	defer probe.Close()
	from, err := netip.ParseAddrPort(probe.LocalAddr().String())
	if err == nil && of == from.Addr().Unmap() { // to an address of this machine it connects from that address
		return &ownAddress{address}
	}
	return err
}

// refuse answers with the reason. A program that asks for a tunnel gets it in the status line as well, since most programs show nothing
// else of such an answer.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	of, ok := errors.AsType[*refusal](err)
	if !ok {
		of = &refusal{http.StatusBadGateway, "the host ended the connection"}
	}
	if r.Method != http.MethodConnect {
		http.Error(w, "swop: "+of.reason, of.status)
		return
	}
	text := "swop: " + of.reason + "\n"
	status := fmt.Sprintf("%d %s\r\nContent-Type: text/plain\r\nContent-Length: %d\r\nConnection: close", of.status, of.reason, len(text))
	if conn, _ := hijack(w, status); conn != nil {
		_, _ = io.WriteString(conn, text) // the program may be gone
		_ = conn.Close()
	}
}

// hijack takes the connection over, and answers with a status; nil if the program is gone. What it has sent is read from the reader.
func hijack(w http.ResponseWriter, status string) (net.Conn, io.Reader) {
	conn, buffer, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_, err = io.WriteString(conn, "HTTP/1.1 "+status+"\r\n\r\n")
	}
	if err != nil {
		return nil, nil
	}
	return conn, buffer.Reader
}

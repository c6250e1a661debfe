//go:build unix

package bridge

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"time"

	"swop/internal/bridge/request"
)

// limits bound what one session can make its bridges do.
type limits struct {
	connections int           // open at once; more wait to be accepted
	requests    int           // sent on at once; more wait
	header      int           // bytes of a request's header
	body        int64         // bytes of a request's body
	wait        time.Duration // for a place among requests
	head        time.Duration // for the header of a request, from a client that is slow
	idle        time.Duration // without a byte from the client, or to it
	answer      time.Duration // for the header of an answer
	stall       time.Duration // without a byte from upstream
}

var usual = limits{
	connections: 256, requests: 32, header: 64 << 10, body: 4 << 30,
	wait: time.Minute, head: 10 * time.Second, idle: time.Minute, answer: 2 * time.Minute, stall: 5 * time.Minute,
}

// destination is where requests are sent on, and how the secret is added.
type destination struct {
	base       *url.URL
	credential func(token string) (header, value string)
	amend      func(http.Header)          // sets what else is the bridge's own; nil for nothing
	rewrite    func(*http.Response) error // changes an answer; nil for none
	ended      int                        // the status where the secret is refused, 0 for 502
	log        *log.Logger
	transport  http.RoundTripper
	limits     *limits
}

// newTransport returns what connects to upstreams: HTTP/1.1, with the system's certificates, and by the proxy that the environment names.
func newTransport(l *limits) *http.Transport {
	dialer := net.Dialer{Timeout: 15 * time.Second}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, TLSHandshakeTimeout: 15 * time.Second,
		ResponseHeaderTimeout: l.answer, MaxResponseHeaderBytes: 1 << 20, MaxIdleConnsPerHost: l.requests, IdleConnTimeout: time.Minute,
		DisableCompression: true, // what is compressed cannot be searched
	}
}

// dropped are headers of a request that are not sent on: other credentials, what names another method or path, what says something about
// the client, and what would let an answer come in a form, or in parts, in which the secret is not found.
var dropped = []string{
	"Accept-Encoding", "Authorization", "Cookie", "Forwarded", "If-Range", "Private-Token", "Proxy-Authorization", "Range", "Te", "X-Api-Key",
	"X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Method", "X-Forwarded-Path", "X-Forwarded-Proto", "X-Forwarded-Uri", "X-Http-Method",
	"X-Http-Method-Override", "X-Method-Override", "X-Original-Url", "X-Rewrite-Url", sessionHeader,
}

// plainName reports whether a header's name consists of letters, digits and hyphens. Many servers take X_Http_Method_Override for the
// header with hyphens: of what is written in another way nothing is sent on.
func plainName(name string) bool {
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == ""
}

// sessionHeader is by what git's requests are known to be the session's.
const sessionHeader = "X-Swop-Session"

// send sends a request on, with the secret or a newer one of source, and its answer back. It sets the status of the answer, or returns why
// there is none. If the client goes away in the middle of the answer, it panics with [http.ErrAbortHandler], as net/http wants it.
func (d *destination) send(w http.ResponseWriter, r *http.Request, t request.Target, source tokens, secret string,
	status *int,
) (failed *request.Refusal) {
	r.Body = &requestBody{http.MaxBytesReader(w, r.Body, d.limits.body), http.NewResponseController(w), d.limits, false}
	a := &attempt{roundTripper{d.transport, d.limits.stall}, d, source, secret, []string{secret}}
	proxy := httputil.ReverseProxy{
		Rewrite:   func(p *httputil.ProxyRequest) { d.prepare(p, t, secret) },
		Transport: a,
		ModifyResponse: func(answer *http.Response) error {
			*status = answer.StatusCode
			return d.clean(answer, t.Prefix, a.seen)
		},
		ErrorHandler:  func(_ http.ResponseWriter, _ *http.Request, err error) { failed = badAnswer(err) },
		ErrorLog:      d.log,
		FlushInterval: -1,
	}
	proxy.ServeHTTP(w, r)
	return failed
}

func (d *destination) prepare(p *httputil.ProxyRequest, t request.Target, token string) {
	for name := range p.Out.Header {
		if slices.Contains(dropped, name) || !plainName(name) {
			delete(p.Out.Header, name)
		}
	}
	u, cut := *d.base, ""
	if t.GraphQL {
		cut = "/v3" // a server of one's own answers it at /api/graphql
	}
	u.Path = strings.TrimSuffix(d.base.Path, cut) + t.Path()
	u.RawPath, u.RawQuery = strings.TrimSuffix(d.base.EscapedPath(), cut)+t.Escaped(), t.Query
	p.Out.URL, p.Out.Host = &u, ""
	name, value := d.credential(token)
	p.Out.Header.Set(name, value)
	if d.amend != nil {
		d.amend(p.Out.Header)
	}
}

// badAnswer says why there is no answer from upstream, without a word that came from there.
func badAnswer(err error) *request.Refusal {
	var no *request.Refusal
	var large *http.MaxBytesError
	var timeout net.Error
	switch {
	case errors.As(err, &no):
		return no
	case errors.As(err, &large):
		return request.Refuse(http.StatusRequestEntityTooLarge, "the request is larger than %d bytes", large.Limit)
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return request.Refuse(http.StatusGatewayTimeout, "the service behind the bridge does not answer in time")
	}
	return request.Refuse(http.StatusBadGateway, "the service behind the bridge cannot be reached, or breaks off")
}

// clean removes from an answer what the session must not see, or refuses the answer.
func (d *destination) clean(answer *http.Response, prefix string, tokens []string) error {
	switch {
	case answer.StatusCode == http.StatusUnauthorized:
		return request.Refuse(cmp.Or(d.ended, http.StatusBadGateway), "the service behind the bridge does not accept the bridge's token: it may have expired")
	case answer.StatusCode == http.StatusSwitchingProtocols:
		return request.Refuse(http.StatusBadGateway, "the service behind the bridge answers with another protocol")
	case answer.Header.Get("Location") != "" && !d.keepsRedirect(answer, prefix):
		return request.Refuse(http.StatusBadGateway, "the service behind the bridge redirects to another address, which is not followed")
	case !strings.EqualFold(answer.Header.Get("Content-Encoding"), "identity") && answer.Header.Get("Content-Encoding") != "":
		return request.Refuse(http.StatusBadGateway, "the answer is compressed, though it was not asked to be: it cannot be searched for the token")
	}
	for _, name := range []string{"Set-Cookie", "Www-Authenticate", "Authorization", "Alt-Svc", "Trailer"} {
		answer.Header.Del(name)
	}
	hidden := forms(tokens...)
	coverHeaders(answer.Header, hidden)
	answer.Body = scrub(answer.Body, hidden)
	if d.rewrite != nil {
		return d.rewrite(answer)
	}
	return nil
}

// keepsRedirect reports whether an answer that names another address leads to the same service, and makes that a path of the bridge: if the
// client goes there, it asks the bridge.
func (d *destination) keepsRedirect(answer *http.Response, prefix string) bool {
	to, err := answer.Location()
	if err != nil || to.Scheme != d.base.Scheme || to.Host != d.base.Host || to.User != nil {
		return false
	}
	path, below := strings.CutPrefix(to.EscapedPath(), d.base.EscapedPath())
	if !below || !strings.HasPrefix(path, "/") {
		return false
	}
	if to.RawQuery != "" {
		path += "?" + to.RawQuery
	}
	answer.Header.Set("Location", prefix+path)
	return !strings.HasPrefix(path, "//")
}

// roundTripper sends a request without what the proxy wants to know of it: an answer in advance (1xx) and trailers would not be searched.
type roundTripper struct {
	http.RoundTripper
	stall time.Duration
}

func (t roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(bare{r.Context()})
	answer, err := t.RoundTripper.RoundTrip(r.WithContext(ctx))
	if err != nil {
		cancel(nil)
		return nil, err
	}
	last := *answer // the reader of the body puts trailers into the other one
	last.Trailer = nil
	timer := time.AfterFunc(t.stall, func() { cancel(context.DeadlineExceeded) })
	last.Body = &upstreamBody{answer.Body, timer, t.stall, cancel}
	return &last, nil
}

// bare is a context without values.
type bare struct{ context.Context }

func (bare) Value(any) any { return nil }

// upstreamBody is the body of an answer. It ends with an error if nothing comes for too long.
type upstreamBody struct {
	io.ReadCloser
	timer *time.Timer
	stall time.Duration
	done  context.CancelCauseFunc
}

func (b *upstreamBody) Read(p []byte) (int, error) {
	b.timer.Reset(b.stall)
	return b.ReadCloser.Read(p)
}

func (b *upstreamBody) Close() error {
	b.timer.Stop()
	defer b.done(nil)
	return b.ReadCloser.Close()
}

// requestBody is the body of a request. It ends with an error if the client sends nothing for too long.
type requestBody struct {
	io.ReadCloser
	control *http.ResponseController
	limits  *limits
	ended   bool
}

func (b *requestBody) Read(p []byte) (n int, err error) {
	if b.ended { // net/http waits now for the client to close the connection: with a deadline that would seem to have come
		return 0, io.EOF
	}
	_ = b.control.SetReadDeadline(time.Now().Add(b.limits.idle)) // a connection that is closed says so when it is read
	n, err = b.ReadCloser.Read(p)
	b.ended = errors.Is(err, io.EOF)
	return n, err
}

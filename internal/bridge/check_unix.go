//go:build unix

package bridge

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"swop/config"
	"swop/internal/bridge/request"
)

// Tried is a request that was tried, and what came back.
type Tried struct {
	Method  string `json:"method"`
	Path    string `json:"path"`
	Status  int    `json:"status"`
	Message string `json:"message,omitempty"` // of swop itself
}

// checkTime is how long a bridge may take to answer.
const checkTime = 30 * time.Second

// Check tries a request that the bridge allows, and one that it refuses. The first one only reads; ok is false where none that is allowed
// does, and nothing was tried then.
func (b BridgeState) Check() (good, bad Tried, ok bool, err error) {
	rules := b.rules()
	path, ok := readPath(b.Kind, rules)
	if ok {
		good, err = b.try(http.MethodGet, path)
	}
	if err == nil {
		bad, err = b.try(refusedRequest(rules))
	}
	return good, bad, ok, err
}

func (b BridgeState) rules() (list []config.Rule) {
	for _, text := range b.Allow {
		if r, defect := config.ParseRule(b.Kind, text); defect == "" {
			list = append(list, r)
		}
	}
	return list
}

// readPath returns a path that may be read: the one with the fewest stars, in whose place there is something.
func readPath(kind string, rules []config.Rule) (string, bool) {
	if kind == config.BridgeGitHub {
		return "/", true
	}
	rules = slices.DeleteFunc(slices.Clone(rules), func(r config.Rule) bool { return r.Method != http.MethodGet })
	if len(rules) == 0 {
		return "", false
	}
	stars := func(r config.Rule) int { return strings.Count(r.Text, "*") }
	fewest := slices.MinFunc(rules, func(a, b config.Rule) int { return cmp.Compare(stars(a), stars(b)) })
	path := "/" + strings.Join(fewest.Pattern, "/")
	return strings.ReplaceAll(strings.ReplaceAll(path, "**", ""), "*", "1"), true
}

// refusedRequest returns a request that no rule admits.
func refusedRequest(rules []config.Rule) (method, path string) {
	const nowhere = "swop-check"
	for _, method := range []string{http.MethodDelete, http.MethodPut, http.MethodPost} {
		if !(request.Rules{List: rules}).Allow(request.Target{Method: method, Segments: []string{nowhere}}) {
			return method, "/" + nowhere
		}
	}
	return http.MethodTrace, "/" + nowhere
}

func (b BridgeState) try(method, path string) (Tried, error) {
	tried := Tried{Method: method, Path: path}
	dial := func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", b.Socket) }
	client := http.Client{
		Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}, Timeout: checkTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	request, err := http.NewRequest(method, "http://"+b.Name+path, nil)
	if err != nil {
		return tried, err
	}
	answer, err := client.Do(request)
	if err != nil {
		return tried, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	var said struct{ Message string }
	if json.Unmarshal(body, &said) == nil && strings.HasPrefix(said.Message, ours) {
		tried.Message = strings.TrimPrefix(said.Message, ours)
	}
	tried.Status = answer.StatusCode
	return tried, err
}

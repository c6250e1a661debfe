// Package github judges the requests of gh and git to GitHub through a bridge: of the REST interface and git's smart protocol. GraphQL
// passes unread, or not at all: with a fine-grained token GitHub itself is the judge.
package github

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"swop/config"
	"swop/internal/bridge/request"
)

// access is the access to a repository that the rules allow.
type access uint8

const (
	none access = iota
	read
	write
)

// accessTo returns the access to the repository that the rules allow. GitHub does not tell upper from lower case in names.
func accessTo(rules request.Rules, owner, name string) (a access) {
	for _, r := range rules.List {
		if !r.Repo || !request.MatchPath(r.Pattern, []string{strings.ToLower(owner), strings.ToLower(name)}) {
			continue
		}
		if a = max(a, read); r.Write {
			return write
		}
	}
	return a
}

// writable is what "write" may change behind the name of a repository: people's work, but no settings.
var writable = []string{
	"actions/runs/*/cancel", "actions/runs/*/rerun", "actions/runs/*/rerun-failed-jobs", "actions/workflows/*/dispatches",
	"check-runs/**", "comments/**", "commits/*/comments", "contents/**", "dispatches", "git/**", "issues/**", "labels/**", "merges",
	"milestones/**", "pulls", "pulls/*", "pulls/*/comments/**", "pulls/*/merge", "pulls/*/requested_reviewers", "pulls/*/reviews/**",
	"pulls/comments/**", "releases/**", "statuses/*",
}

// mayWrite reports whether "write" admits a change behind the name of a repository.
func mayWrite(area []string) bool {
	return slices.ContainsFunc(writable, func(p string) bool { return request.MatchPath(strings.Split(p, "/"), area) })
}

// Judge returns the target of a request to the API, or why the request is refused. host is the service's name in gh and git.
func Judge(rules request.Rules, host string, r *http.Request) (request.Target, *request.Refusal) {
	uri, no := inside(host, r)
	if no != nil {
		return request.Target{}, no
	}
	t, no := request.Read(r.Method, uri)
	switch {
	case no != nil:
		return t, no
	case t.Path() == "/graphql":
		t.GraphQL = true
		if !slices.ContainsFunc(rules.List, func(r config.Rule) bool { return r.GraphQL }) {
			no = rules.Ask("graphql")
		}
		return t, no
	case strings.Contains(strings.ToLower(t.Segments[0]), "graphql"): // a server may take it for the path above
		return t, request.Refuse(http.StatusBadRequest, "queries must be sent to /graphql")
	}
	return t, judgeREST(rules, t)
}

// inside returns the path of a request, without the prefix of GitHub Enterprise's paths.
func inside(host string, r *http.Request) (uri string, no *request.Refusal) {
	const prefix = config.EnterpriseAPI
	if host == config.GitHubHost || !strings.EqualFold(r.Host, host) {
		return r.RequestURI, nil
	}
	if r.RequestURI == enterpriseQuery {
		return "/graphql", nil
	}
	uri, ok := strings.CutPrefix(r.RequestURI, prefix)
	if !ok {
		return "", request.Refuse(http.StatusForbidden, "only paths below %s are passed on here; git uses another port", prefix)
	}
	return cmp.Or(uri, "/"), nil
}

// enterpriseQuery is the path of GraphQL on a server of GitHub Enterprise: beside the REST interface, not below it.
const enterpriseQuery = "/api/graphql"

// judgeREST returns why a request to GitHub's REST interface is refused, nil if it is allowed.
func judgeREST(rules request.Rules, t request.Target) *request.Refusal {
	switch {
	case (t.Path() == "/" || t.Path() == "/meta") && t.Reads():
		return nil
	case rules.Allow(t) || len(t.Segments) < 3 || t.Segments[0] != "repos":
		return rules.Judge(t)
	}
	ofFork := len(t.Segments) > 4 && strings.EqualFold(t.Segments[3], "compare") && strings.Contains(t.Path(), ":") // owner:repo:branch
	switch a := accessTo(rules, t.Segments[1], t.Segments[2]); {
	case a >= read && t.Reads() && !ofFork, a == write && mayWrite(t.Segments[3:]):
		return nil
	case a == write && !t.Reads():
		return rules.Judge(t)
	}
	return notInRepo(rules, t.Segments[1], t.Segments[2], t.Reads())
}

// JudgeGit returns the target of a request for uri if it is one of the four of git's smart protocol (gitprotocol-http(5)), and the rules
// allow its access, or else why the request is refused.
func JudgeGit(rules request.Rules, r *http.Request, uri string) (t request.Target, no *request.Refusal) {
	if t, no = request.Read(r.Method, uri); no != nil {
		return t, no
	}
	service := ""
	switch s := t.Segments; {
	case t.Method == http.MethodGet && len(s) == 4 && s[2] == "info" && s[3] == "refs":
		service = strings.TrimPrefix(t.Query, "service=")
	case t.Method == http.MethodPost && len(s) == 3 && t.Query == "":
		service = s[2]
	}
	reads := service == "git-upload-pack"
	if !reads && service != "git-receive-pack" {
		return t, request.Refuse(http.StatusForbidden, "only git's own requests are sent on here; use gh for others")
	}
	owner, name := t.Segments[0], strings.TrimSuffix(t.Segments[1], ".git")
	if a := accessTo(rules, owner, name); a == write || a == read && reads {
		return t, nil
	}
	return t, notInRepo(rules, owner, name, reads)
}

// notInRepo refuses a request, with the rule that would let it read or write the repository.
func notInRepo(rules request.Rules, owner, name string, reads bool) *request.Refusal {
	rule := "repo:" + owner + "/" + name
	if !reads {
		rule += " write"
	}
	return rules.Ask(rule)
}

//go:build unix

package bridge

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"swop/config"
)

// access is what the rules allow in a repository.
type access uint8

const (
	none access = iota
	read
	write
)

// accessTo returns what the rules allow in the repository. GitHub does not tell upper from lower case in its name.
func accessTo(rules []config.Rule, owner, name string) (a access) {
	for _, r := range rules {
		if !r.Repo || !matchPath(r.Pattern, []string{strings.ToLower(owner), strings.ToLower(name)}) {
			continue
		}
		if a = max(a, read); r.Write {
			return write
		}
	}
	return a
}

// outliving are areas of a repository, of an organization or of a user that are never admitted, not to be read either: what is made there
// gives rights that outlive the bridge.
var outliving = []string{
	"access_tokens", "collaborators", "credential-authorizations", "gpg_keys", "hooks", "installations", "invitations", "keys",
	"memberships", "organization-secrets", "outside_collaborators", "repository_invitations", "runner-groups", "runners", "secrets",
	"ssh_signing_keys", "transfer",
}

// never reports whether a request is refused whatever the rules say.
func never(t target) bool {
	var s []string
	for _, segment := range t.segments {
		s = append(s, strings.ToLower(strings.TrimRight(segment, " ")))
	}
	if s[len(s)-1] == "" {
		s = s[:len(s)-1]
	}
	deletes := t.method == http.MethodDelete
	switch {
	case len(s) == 0:
		return false
	case s[0] == "repos":
		return neverInRepo(s[min(3, len(s)):], deletes)
	case s[0] == "repositories":
		return neverInRepo(s[min(2, len(s)):], deletes)
	case s[0] == "app" || s[0] == "applications" || s[0] == "authorizations" || s[0] == "installation":
		return true
	}
	return deletes && len(s) <= 2 || slices.ContainsFunc(s[1:], isOutliving)
}

// neverInRepo is never for what stands behind the name of a repository.
func neverInRepo(area []string, deletes bool) bool {
	switch {
	case len(area) == 0:
		return deletes
	case slices.Contains([]string{"actions", "codespaces", "dependabot", "environments"}, area[0]):
		return slices.ContainsFunc(area[1:], isOutliving)
	}
	return isOutliving(area[0])
}

func isOutliving(segment string) bool { return slices.Contains(outliving, segment) }

// writable are areas of a repository that "write" may change: what people write there. Settings are not among them.
var writable = []string{
	"check-runs", "check-suites", "comments", "commits", "contents", "dispatches", "git", "issues", "labels", "merges", "milestones", "pulls",
	"releases", "statuses",
}

// mayWrite reports whether "write" admits a change behind the name of a repository.
func mayWrite(area []string) bool {
	switch {
	case len(area) == 0:
		return false
	case area[0] == "actions" && len(area) == 4:
		return area[1] == "workflows" && area[3] == "dispatches" || area[1] == "runs" && slices.Contains([]string{"cancel", "rerun", "rerun-failed-jobs"}, area[3])
	}
	return slices.Contains(writable, area[0])
}

// leadsElsewhere reports whether what stands behind the name of a repository may lead to another one: compare/main...OTHER:main does. In the
// names of files and labels a colon leads nowhere.
func leadsElsewhere(area []string) bool {
	label := area[0] == "labels" || area[0] == "issues" && len(area) > 2 && area[2] == "labels"
	return !label && area[0] != "contents" && slices.ContainsFunc(area, func(segment string) bool { return strings.Contains(segment, ":") })
}

// inside returns the path that a request asks for, without the prefix that the paths of a server of one's own have for gh.
func (b *bridge) inside(r *http.Request) (uri, cut string, no *refusal) {
	const prefix = config.EnterpriseAPI
	if b.Kind != config.BridgeGitHub || b.Host == config.GitHubHost || !strings.EqualFold(r.Host, b.Host) {
		return r.RequestURI, "", nil
	}
	if r.RequestURI == enterpriseQuery {
		return "/graphql", "", nil
	}
	uri, ok := strings.CutPrefix(r.RequestURI, prefix)
	if !ok {
		return "", "", refuse(http.StatusForbidden, "only what is below %s is sent on here; git has a way of its own", prefix)
	}
	return cmp.Or(uri, "/"), prefix, nil
}

// enterpriseQuery is where GraphQL is asked on a server of one's own: beside the REST interface, not below it.
const enterpriseQuery = "/api/graphql"

// judgeREST returns why a request to GitHub's REST interface is refused, nil if it is not.
func (b *bridge) judgeREST(t target) *refusal {
	reads := t.method == http.MethodGet || t.method == http.MethodHead
	switch {
	case never(t):
		return refuse(http.StatusForbidden, "%s %s is never sent on by a bridge: what it leads to outlives the bridge", t.method, t.path())
	case t.segments[0] == "repos" && len(t.segments) > 3 && leadsElsewhere(t.segments[3:]):
		return refuse(http.StatusForbidden, "%s may name another repository by its colon, and is not sent on", t.path())
	case (t.path() == "/" || t.path() == "/meta") && reads || allows(b.rules(), t):
		return nil
	case len(t.segments) < 3 || t.segments[0] != "repos":
		return b.notAllowed(t)
	}
	switch a := accessTo(b.rules(), t.segments[1], t.segments[2]); {
	case a >= read && reads, a == write && mayWrite(t.segments[3:]):
		return nil
	case a == write && !reads:
		return b.notAllowed(t)
	}
	return b.notInRepo(t.segments[1], t.segments[2], reads)
}

// notInRepo says what to ask for to read or to write a repository.
func (b *bridge) notInRepo(owner, name string, reads bool) *refusal {
	rule := "repo:" + owner + "/" + name
	if !reads {
		rule += " write"
	}
	return b.ask(rule)
}

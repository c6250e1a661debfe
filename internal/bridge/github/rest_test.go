//go:build unix

package github

import (
	"net/http/httptest"
	"testing"

	"swop/config"
	"swop/internal/bridge/request"
	"swop/internal/test/testhome"
)

func rulesOf(t *testing.T, texts ...string) request.Rules {
	return request.Rules{Bridge: "github", List: testhome.Rules(t, config.BridgeGitHub, texts...)}
}

func TestJudgeREST(t *testing.T) {
	rules := rulesOf(t, "repo:acme/* write", "repo:beta/docs", "GET /user", "PATCH /repos/acme/app", "GET /orgs/**", "DELETE /repos/**", "POST /repos/**")
	for _, tt := range []struct {
		method, path string
		want         bool
	}{
		{"GET", "/", true},
		{"POST", "/", false},
		{"GET", "/user", true},
		{"GET", "/user/", false},
		{"GET", "/user/repos", false},
		{"GET", "/repos/acme/app", true},
		{"GET", "/repos/ACME/App/issues/1", true},
		{"HEAD", "/repos/acme/app/contents/a/b", true},
		{"POST", "/repos/acme/app/issues", true},
		{"PUT", "/repos/acme/app/contents/a", true},
		{"DELETE", "/repos/acme/app/issues/1/labels/x", true},
		{"POST", "/repos/acme/app/actions/workflows/1/dispatches", true},
		{"PUT", "/repos/acme/app/actions/permissions", false},
		{"PATCH", "/repos/acme/app", true}, // by its rule
		{"PATCH", "/repos/acme/other", false},
		{"PUT", "/repos/acme/app/branches/main/protection", false},
		{"GET", "/repos/beta/docs/issues", true},
		{"PUT", "/repos/beta/docs/contents/a", false},
		{"GET", "/repos/beta/other", false},
		{"GET", "/repos/acmeevil/app", false},
		{"GET", "/repos/acme", false},
		{"GET", "/orgs/acme", true}, // by its rule
		{"GET", "/gists", false},
		{"GET", "/repos/acme/app/compare/main...topic", true},
		{"GET", "/repos/acme/app/contents/a:b/c:d", true},
		{"DELETE", "/repos/acme/app/issues/1/labels/type:%20bug", true},
		{"GET", "/repos/acme/app/labels/type:bug", true},
		// Another repository, named by a colon.
		{"GET", "/repos/acme/app/compare/main...evil:main", false},
		{"GET", "/repos/acme/app/compare/main...evil%3Aother%3Amain", false},
		{"GET", "/repos/acme/app/compare/labels/x...evil:main", false},
		{"POST", "/repos/acme/app/commits/evil:main", false},
		// Never, whatever the rules say.
		{"DELETE", "/repos/acme/app", false},
		{"DELETE", "/repos/acme/app/", false},
		{"DELETE", "/repositories/1", false},
		{"POST", "/repos/acme/app/keys", false},
		{"POST", "/repos/acme/app/KEYS", false},
		{"GET", "/repos/acme/app/hooks", false},
		{"POST", "/repos/acme/app/hooks/1/tests", false},
		{"PUT", "/repos/acme/app/collaborators/x", false},
		{"POST", "/repos/acme/app/transfer", false},
		{"PUT", "/repos/acme/app/actions/secrets/X", false},
		{"PUT", "/repos/acme/app/environments/e/secrets/X", false},
		{"PUT", "/repos/acme/app/dependabot/secrets/X", false},
		{"POST", "/repos/acme/app/actions/runners/registration-token", false},
		{"GET", "/orgs/acme/actions/secrets", false},
		{"GET", "/orgs/acme/hooks", false},
		{"POST", "/app/installations/1/access_tokens", false},
		{"POST", "/repositories/1/hooks", false},
	} {
		target, no := request.Read(tt.method, tt.path)
		if no == nil {
			no = judgeREST(rules, target)
		}
		if (no == nil) != tt.want {
			t.Errorf("%s %s: %v, want allowed: %t", tt.method, tt.path, no, tt.want)
		}
	}
}

// TestJudgePath: what a server may take for the address of GraphQL is read as a query, or refused, also under a rule for all paths.
func TestJudgePath(t *testing.T) {
	rules := rulesOf(t, "POST /**")
	for _, tt := range []struct {
		path string
		want bool
	}{
		{"/anything", true},
		{"/repos/acme/graphql-tools", true},
		{"/graphql", false}, // it has no query
		{"/graphql/", false},
		{"/GraphQL", false},
		{"/graphql%20", false},
		{"/%20graphql", false},
		{"/graphql;x", false},
		{"/graphql/x", false},
	} {
		r := httptest.NewRequest("POST", tt.path, nil)
		if _, no := Judge(rules, config.GitHubHost, r); (no == nil) != tt.want {
			t.Errorf("POST %s: %v, want allowed: %t", tt.path, no, tt.want)
		}
	}
}

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
	rules := rulesOf(t, "repo:acme/* write", "repo:beta/docs", "GET /user", "PATCH /repos/acme/app", "GET /orgs/**", "DELETE /repos/**",
		"POST /repos/**")
	for _, tt := range []struct {
		method, path string
		want         bool
	}{
		{"GET", "/", true},
		{"GET", "/user", true},
		{"GET", "/user/repos", false},
		{"GET", "/repos/acme/app", true},
		{"GET", "/repos/ACME/App/issues/1", true},
		{"POST", "/repos/acme/app/issues", true},
		{"POST", "/repos/acme/app/actions/workflows/1/dispatches", true},
		{"PUT", "/repos/acme/app/actions/permissions", false},
		{"PUT", "/repos/acme/app/pulls/1/update-branch", false}, // of a fork, it may be
		{"PUT", "/repos/acme/app/pulls/1/reviews/2", true},
		{"PATCH", "/repos/acme/app", true}, // by its rule
		{"PUT", "/repos/acme/app/branches/main/protection", false},
		{"GET", "/repos/beta/docs/issues", true},
		{"PUT", "/repos/beta/docs/contents/a", false},
		{"GET", "/repos/beta/other", false},
		{"GET", "/repos/acme/app/compare/main...topic", true},
		{"GET", "/repos/acme/app/compare/main...other%3Aapp%3Amain", false},
		{"PATCH", "/repos/acme/app/check-suites/preferences", false},
		{"GET", "/repos/acme", false},
		{"GET", "/orgs/acme", true},          // by its rule
		{"DELETE", "/repos/beta/docs", true}, // by its rule
		{"PUT", "/repos/acme/app/collaborators/x", false},
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

// TestJudgePath: what a server may take for the address of GraphQL is refused without the rule for it, also under one for all paths.
func TestJudgePath(t *testing.T) {
	rules := rulesOf(t, "POST /**")
	for _, tt := range []struct {
		path string
		want bool
	}{
		{"/anything", true},
		{"/repos/acme/graphql-tools", true},
		{"/graphql", false},
		{"/graphql/", false},
		{"/GraphQL", false},
		{"/%20graphql", false},
		{"/graphql/x", false},
	} {
		r := httptest.NewRequest("POST", tt.path, nil)
		if _, no := Judge(rules, config.GitHubHost, r); (no == nil) != tt.want {
			t.Errorf("POST %s: %v, want allowed: %t", tt.path, no, tt.want)
		}
	}
	r := httptest.NewRequest("POST", "/graphql", nil)
	if _, no := Judge(rulesOf(t, "graphql"), config.GitHubHost, r); no != nil {
		t.Errorf("with its rule GraphQL is refused: %v", no)
	}
}

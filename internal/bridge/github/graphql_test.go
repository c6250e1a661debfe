package github

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

// ofAcme lets the repositories of acme be read.
func ofAcme(owner, _ string) error {
	if !strings.EqualFold(owner, "acme") {
		return errors.New("not acme's")
	}
	return nil
}

func bodyOf(query, variables string) string {
	text, _ := json.Marshal(query)
	return `{"query":` + string(text) + `,"variables":` + variables + `}`
}

const acme = `{"owner":"acme","name":"app"}`

// What gh 2.23 asks, shortened in its fields.
var goodQueries = []string{
	bodyOf(`query UserCurrent{viewer{login}}`, `null`),
	bodyOf(`query RepositoryInfo($owner: String!, $name: String!) { repository(owner: $owner, name: $name) {id,name,owner{id,login},defaultBranchRef{name},parent{id,name,owner{id,login}}} }`, acme),
	bodyOf("fragment repo on Repository { id name owner { login } hasIssuesEnabled defaultBranchRef { name } }\nquery RepositoryInfo($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { ...repo parent { ...repo } mergeCommitAllowed } }", acme),
	bodyOf(`fragment issue on Issue {number,title,author{login,...on User{id,name}},labels(first:100){nodes{id,name},totalCount}} query IssueList($owner: String!, $repo: String!, $limit: Int, $endCursor: String, $states: [IssueState!] = OPEN) { repository(owner: $owner, name: $repo) { hasIssuesEnabled issues(first: $limit, after: $endCursor, orderBy: {field: CREATED_AT, direction: DESC}, states: $states, filterBy: {assignee: $a}) { totalCount nodes { ...issue } pageInfo { hasNextPage endCursor } } } }`, `{"owner":"Acme","repo":"app","limit":30,"states":["OPEN"]}`),
	bodyOf(`query IssueByNumber($owner: String!, $repo: String!, $number: Int!) { repository(owner: $owner, name: $repo) { issue: issueOrPullRequest(number: $number) { __typename ...on Issue{title,comments(last: 1){nodes{author{login},body,reactionGroups{content,users{totalCount}}},totalCount},projectCards(first:100){nodes{project{name}column{name}},totalCount}} ...on PullRequest{title,headRepository{id,name}} } } }`, `{"owner":"acme","repo":"app","number":1}`),
	bodyOf(`{repository(owner:"acme",name:"app"){pullRequest(number:1){statusCheckRollup: commits(last: 1) {nodes {commit {statusCheckRollup {contexts(first:100) {nodes {__typename ...on StatusContext {context,state} ...on CheckRun {name,checkSuite{workflowRun{workflow{name}}},status}},pageInfo{hasNextPage,endCursor}}}}}},reviewRequests(first: 100) {nodes {requestedReviewer {__typename,...on User{login},...on Team{organization{login} name,slug}}}}}}}`, `{}`),
	bodyOf(`query RepositoryNetwork { viewer { login } repo_000: repository(owner: "acme", name: "app") { id name viewerPermission isPrivate parent { name } } repo_001: repository(owner: "ACME", name: "other") { id } }`, `{}`),
	bodyOf(`query($o: String = "acme"){repository(owner:$o,name:"app") @include(if: true) {languages(first:1){edges{size,node{name}}}}}`, `{}`),
	bodyOf("{viewer{login} # }\n}", `{}`),
	bodyOf(`{repository(owner:"""acme""",name:"\u0061pp"){ref(qualifiedName:"refs/heads/\"\\\\\u2028\u0007"){id}}}`, `{}`),
}

// Each with the words that must be in the refusal.
var badQueries = []struct{ body, want string }{
	{bodyOf(`mutation{createIssue(input:{repositoryId:"x",title:"y"}){issue{id}}}`, `{}`), "mutation"},
	{bodyOf(`subscription{x}`, `{}`), "subscription"},
	{bodyOf(`{viewer{login}} mutation{x}`, `{}`), "mutation"},
	{bodyOf(`query A{viewer{login}} query B{viewer{id}}`, `{}`), "one query"},
	{bodyOf(`{repository(owner:"other",name:"app"){id}}`, `{}`), "not acme's"},
	{bodyOf(`{a: repository(owner:"acme",name:"app"){id} b: repository(owner:"other",name:"app"){id}}`, `{}`), "not acme's"},
	{bodyOf(`query($owner:String!){repository(owner:$owner,name:"app"){id}}`, `{"owner":"other"}`), "not acme's"},
	{bodyOf(`query($owner:String="acme"){repository(owner:$owner,name:"app"){id}}`, `{"owner":"other"}`), "not acme's"},
	{bodyOf(`query($owner:String="acme"){repository(owner:$owner,name:"app"){id}}`, `{"owner":null}`), "which repository"},
	{bodyOf(`query($owner:String!){repository(owner:$owner,name:"app"){id}}`, `{"owner":["acme"]}`), "which repository"},
	{bodyOf(`{repository(owner:"acme",owner:"other",name:"app"){id}}`, `{}`), "twice"},
	{bodyOf(`{repository(name:"app"){id}}`, `{}`), "which repository"},
	{bodyOf(`{viewer{repositories(first:9){nodes{name}}}}`, `{}`), "repositories of Viewer"},
	{bodyOf(`{viewer{login,email:organizations{nodes{id}}}}`, `{}`), "organizations of Viewer"},
	{bodyOf(`{repository(owner:"acme",name:"app"){owner{... on User{repositories(first:1){nodes{name}}}}}}`, `{}`), "repositories of Actor"},
	{bodyOf(`{repository(owner:"acme",name:"app"){parent{issues(first:1){nodes{title}}}}}`, `{}`), "issues of OtherRepository"},
	{bodyOf(`fragment f on Repository{issues(first:1){nodes{title}}} {repository(owner:"acme",name:"app"){...f parent{...f}}}`, `{}`), "issues of OtherRepository"},
	{bodyOf(`fragment f on User{organizations(first:1){nodes{id}}} {viewer{...f}}`, `{}`), "organizations of Viewer"},
	{bodyOf(`fragment q on Query{organization(login:"x"){id}} {...q}`, `{}`), "organization of Query"},
	{bodyOf(`fragment f on Organization{id} {viewer{...f}}`, `{}`), "fragment on Organization"},
	{bodyOf(`fragment a on Repository{...b} fragment b on Repository{...a} {repository(owner:"acme",name:"app"){...a}}`, `{}`), "too deep"},
	{bodyOf(`fragment a on User{login} {viewer{login}}`, `{}`), "does not use"},
	{bodyOf(`fragment a on User{login} fragment a on User{id} {viewer{...a}}`, `{}`), "twice"},
	{bodyOf(`{viewer{...nowhere}}`, `{}`), "no fragment"},
	{bodyOf(`{node(id:"x"){id}}`, `{}`), "node of Query"},
	{bodyOf(`{login: search(query:"x",type:ISSUE){issueCount}}`, `{}`), "search of Query"},
	{bodyOf(`{__schema{types{name}}}`, `{}`), "__schema of Query"},
	{bodyOf(`{viewer{login{x}}}`, `{}`), "fields where none"},
	{bodyOf(`{viewer}`, `{}`), "none where some"},
	{bodyOf(`{repository(owner:"""other""",name:"app"){id}}`, `{}`), "not acme's"},
	{bodyOf("{viewer{login} # }\n repository(owner:\"other\",name:\"app\"){id}}", `{}`), "not acme's"},
	{bodyOf(`query Q @evil {viewer{login}}`, `{}`), "@evil"},
	{bodyOf(`{viewer @evil {login}}`, `{}`), "@evil"},
	{bodyOf(`{... @evil {viewer{login}}}`, `{}`), "@evil"},
	{bodyOf(`fragment a on User{login} {viewer{...a @evil}}`, `{}`), "@evil"},
	{bodyOf(`fragment a on User @evil {login} {viewer{...a}}`, `{}`), "@evil"},
	{bodyOf(`query($o: Int @evil){viewer{login}}`, `{}`), "@evil"},
	{bodyOf(`query($o: Int, $o: Int){viewer{login}}`, `{}`), "twice"},
	{bodyOf(`{viewer{login @evil}}`, `{}`), "@evil"},
	{bodyOf("{viewer{login\u2028}}", `{}`), "cannot be read"},
	{bodyOf(`{viewer{login}`, `{}`), "<EOF>"},
	{bodyOf(`{viewer{login}}}`, `{}`), "Unexpected }"},
	{bodyOf(`{repository(owner:"ac\ud800me",name:"app"){id}}`, `{}`), "not acme's"},
	{bodyOf(``, `{}`), "one query"},
	{bodyOf(`fragment f on Repository{...f} {repository(owner:"acme",name:"app"){...f}}`, `{}`), "too deep"},
	{bodyOf(strings.Repeat("{a", 2000), `{}`), "nesting depth"},
	{bodyOf("{viewer{login"+strings.Repeat(" login", 60_000)+"}}", `{}`), "cannot be read"},
	{`[` + bodyOf(`{viewer{login}}`, `{}`) + `]`, "one JSON object"},
	{bodyOf(`{viewer{login}}`, `{}`) + `{}`, "one JSON object"},
	{`{"query":"{viewer{login}}","query":"mutation{x}"}`, "mutation"},
	{`{"query":"{viewer{login}}","Query":"mutation{x}"}`, `key "Query"`},
	{`{"query":"{viewer{login}}","extensions":{"persistedQuery":1}}`, "extensions"},
	{`{"query":"query($owner:String!){repository(owner:$owner,name:\"a\"){id}}","variables":{"owner":"acme","owner":"other"}}`, "not acme's"},
	{`{"query":["{viewer{login}}"]}`, "wrong kind"},
	{`{"query":"{viewer{login}}"`, "one JSON object"},
	{``, "one JSON object"},
}

func TestReadGraphQL(t *testing.T) {
	for _, body := range goodQueries {
		again, err := readGraphQL([]byte(body), ofAcme)
		if err != nil {
			t.Errorf("%s\n%v", body, err)
			continue
		}
		if third, err := readGraphQL(again, ofAcme); err != nil || string(third) != string(again) {
			t.Errorf("%s\nis sent on as\n%s\nwhich is %s, %v", body, again, third, err)
		}
	}
	for _, tt := range badQueries {
		if again, err := readGraphQL([]byte(tt.body), ofAcme); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s\nis sent on as %s, %v\nwant an error with %q", tt.body, again, err, tt.want)
		}
	}
}

// Of a key that is there twice the value that was judged is sent on, and no other.
func TestKeysTwice(t *testing.T) {
	body := `{"query":"mutation{x}","query":"query($o:String!){repository(owner:$o,name:\"app\"){id}}","variables":{"o":"other","o":"acme"}}`
	again, err := readGraphQL([]byte(body), ofAcme)
	if err != nil || strings.Contains(string(again), "mutation") || strings.Contains(string(again), "other") {
		t.Errorf("%s\nis sent on as %s, %v", body, again, err)
	}
}

func TestFragmentsThatMultiply(t *testing.T) {
	var b strings.Builder
	for i := range 30 {
		b.WriteString(strings.ReplaceAll("fragment fX on Repository{...fY ...fY} ", "X", string(rune('A'+i))))
		text := strings.ReplaceAll(b.String(), "fY", "f"+string(rune('B'+i)))
		b.Reset()
		b.WriteString(text)
	}
	b.WriteString("fragment f" + string(rune('A'+30)) + ` on Repository{id} {repository(owner:"acme",name:"app"){...fA}}`)
	if _, err := readGraphQL([]byte(bodyOf(b.String(), "{}")), ofAcme); err == nil {
		t.Error("a query of 2^30 fields is sent on")
	}
}

// FuzzGraphQL: what is sent on reads the same once more, changes nothing, and asks for no repository that was not judged.
func FuzzGraphQL(f *testing.F) {
	for _, body := range goodQueries {
		f.Add(body)
	}
	for _, tt := range badQueries {
		f.Add(tt.body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		judged := 0
		count := func(owner, name string) error {
			judged++
			return ofAcme(owner, name)
		}
		again, err := readGraphQL([]byte(body), count)
		if err != nil {
			return
		}
		first := judged
		if third, err := readGraphQL(again, count); err != nil || string(third) != string(again) || judged != 2*first {
			t.Errorf("%q is sent on as %q, which is %q, %v", body, again, third, err)
		}
		var sent struct{ Query string }
		testhome.NoError(t, json.Unmarshal(again, &sent))
		bare := strings.Join(strings.FieldsFunc(sent.Query, func(r rune) bool { return r == ' ' }), " ")
		if strings.HasPrefix(bare, "mutation") || strings.Contains(bare, "} mutation") {
			t.Errorf("%q is sent on as %q", body, again)
		}
	})
}

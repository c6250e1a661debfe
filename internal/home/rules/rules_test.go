package rules

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"swop/internal/account"
	"swop/internal/disk"
)

// The table of the shared codex home, as docs/codex-home.md has it: what each name needs.
var codexHomeClasses = map[Class]string{
	Private: "auth.json auth.lock auth.json.lock .auth-x .auth-AbC123 secrets app-server-control app-server-daemon " +
		"cloud-requirements-cache.json cloud-config-bundle-cache.json models_cache.json cache tmp .sandbox .sandbox_migration .personality_migration .git .gitignore",
	HardLink: ".credentials.json",
	Ignored:  "state_5.sqlite-wal state_5.sqlite-shm logs_2.sqlite-journal x.sqlite-wal",
	LinkAhead: "config.toml session_index.jsonl session_index.jsonl.lock history.jsonl version.json installation_id " +
		"state_5.sqlite logs_2.sqlite goals_1.sqlite memories_9.sqlite new.config.toml",
	LinkedDir: "mcp-oauth-locks sessions archived_sessions thread-writer-locks memories skills log shell_snapshots plugins .tmp rules " +
		"prompts agents " +
		"tui-thread-reference-capabilities packages",
	Link: ".sandbox-secrets .sandbox-bin AGENTS.md notes hooks.json .swop " +
		"Sessions config.toml.bak internal_storage.json",
}

// Names that no table knows and that look like a login or an endpoint are private.
const canaries = "auth.v2.json auth.json.bak Auth.json AUTH.JSON auth oauth2.db my.token tokens.json token.json refresh_token " +
	"credentials.json creds .CRED " +
	"secret.txt Secrets client_secret keyring keyring.db login.age x.AGE daemon.pid app.sock Control.SOCK .auth"

func TestCodexHomeRules(t *testing.T) {
	rules := CodexHomeRules(nil, account.StateShared)
	for want, names := range codexHomeClasses {
		for _, name := range strings.Fields(names) {
			if got, _ := rules.Row(name); got.Class != want {
				t.Errorf("Class(%q) = %v, want %v", name, got, want)
			}
		}
	}
	for _, name := range strings.Fields(canaries) {
		if got, _ := rules.Row(name); got.Class != Private {
			t.Errorf("Class(%q) = %v, want private", name, got)
		}
	}
}

func TestUserPatterns(t *testing.T) {
	rules := CodexHomeRules([]string{"*.local.toml", "config.toml", "sess*", "[xy]", `\*`}, account.StateShared)
	for name, want := range map[string]Class{
		"a.local.toml": Private, "config.toml": Private, "sessions": Private, "session_index.jsonl": Private, "x": Private, "[xy]": Private, "*": Private,
		"xx": Link, "z": Link, "b.config.toml": LinkAhead, "Config.toml": Link, "history.jsonl": LinkAhead, "auth.json": Private,
	} {
		if got, _ := rules.Row(name); got.Class != want {
			t.Errorf("Class(%q) = %v, want %v", name, got, want)
		}
	}
	names := rules.Ahead()
	if slices.Contains(names, "sessions") || slices.Contains(names, "config.toml") || !slices.Contains(names, "history.jsonl") ||
		!slices.Contains(names, "log") {
		t.Errorf("Ahead() = %q", names)
	}
}

// In the real home no name looks secret: git's and npm's credentials work inside a session as outside.
func TestHomeRules(t *testing.T) {
	rules := HomeRules([]string{".netrc", "*.key"}, "s*[w]?p\\")
	for name, want := range map[string]Class{
		".codex": Private, "s*[w]?p\\": Private, "swop": Link, "sxwxp\\": Link, ".netrc": Private, "a.key": Private, ".swop": Link,
		".git-credentials": Link, "auth.json": Link, "secrets": Link, ".ssh": Link, "sessions": Link, "x.sqlite-wal": Link,
	} {
		if got, _ := rules.Row(name); got.Class != want {
			t.Errorf("Class(%q) = %v, want %v", name, got, want)
		}
	}
	if names := rules.Ahead(); names != nil {
		t.Errorf("Ahead() = %q, want nothing", names)
	}
	if got, _ := HomeRules(nil, "").Row("x"); got.Class != Link {
		t.Errorf("without a root at its top: Class(x) = %v, want link", got)
	}
}

// Two files that got the next number are told from those before.
func TestNamesDiffer(t *testing.T) {
	sum := func(names ...string) (sum Names) {
		for _, name := range names {
			sum.Add(name, fs.FileMode(0), "")
		}
		return sum
	}
	if sum("g27", "gg27") == sum("g28", "gg28") {
		t.Error("both have one sum")
	}
}

// TestTableSum: a start looks again where the rules, or the meaning of a stamp, changed since the last look.
func TestTableSum(t *testing.T) {
	const stampVersion = 13 // changes with the meaning of a stamp
	rows := HomeRules(nil, "").rows
	sum := disk.Sum(fmt.Sprintf("%d %+v %+v %q %q", stampVersion, CodexHomeTable, rows, secretParts, secretEnds))
	if TableSum != sum {
		t.Errorf("TableSum is %#x, want %#x", uint64(TableSum), sum)
	}
}

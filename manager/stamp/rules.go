package stamp

import (
	"path"
	"strings"

	"swop/manager/account"
)

// Class says how an entry of a shared home appears in a sandbox.
type Class uint8

const (
	Link      Class = iota // one link to the shared entry; the default
	Private                // the account's own: never linked, never moved
	LinkedDir              // a directory: made in the shared home if missing, then linked; a dangling link would lose data
	LinkAhead              // a file: linked before it exists and when it is gone, since codex creates it through the link
	HardLink               // one inode with the shared file, for what codex refuses to open through a symlink
	Ignored                // transient: neither linked nor adopted
)

func (c Class) String() string {
	return [...]string{"link", "private", "link, made first", "link, dangling allowed", "hard link", "ignore"}[c]
}

// Linked reports whether the class puts a symbolic link into the sandbox.
func (c Class) Linked() bool { return c == Link || c == LinkedDir || c == LinkAhead }

// Shared reports whether the class makes the entry one with the shared one.
func (c Class) Shared() bool { return c.Linked() || c == HardLink }

// Rule gives the entries of a home whose name matches the pattern, in the form of path.Match, a class.
type Rule struct {
	Pattern string
	Class   Class
	// Transcript marks what a private account keeps to itself: sessions, history, log and databases.
	Transcript bool
	// AppendOnly marks directories that only gain files with names of their own: two of them are merged, not one kept aside.
	AppendOnly bool
	// Copied are files of a private directory that an account gets from the shared one, again when that is newer.
	Copied []string
	// Bootstrap marks what is taken from the codex home that the account was taken over from, where the shared home has none.
	Bootstrap bool
	// Transient marks what comes and goes with each run. It is not recorded as the account's own (see kept_unix.go).
	Transient bool
	// Database marks what is moved only while nobody can have it open, and with its log.
	Database bool
}

// codexHomeRules is the table for ~/.codex: the first row that matches a name decides. docs/codex-home.md says what each row rests on.
var CodexHomeTable = []Rule{
	// The login, its locks and temporary files. Shared, one account's login or refresh would hang or replace another's.
	{Pattern: "auth.json", Class: Private},
	{Pattern: "auth.lock", Class: Private},
	{Pattern: "auth.json.lock", Class: Private},
	{Pattern: ".auth-*", Class: Private, Transient: true}, // what it writes before it renames it to auth.json
	{Pattern: "secrets", Class: Private},
	// The background server keeps the login that it was started with, and everyone who reaches its socket uses it.
	{Pattern: "app-server-control", Class: Private},
	{Pattern: "app-server-daemon", Class: Private},
	// What the account's plan and workspace decide, signed or cached.
	{Pattern: "cloud-requirements-cache.json", Class: Private},
	{Pattern: "cloud-config-bundle-cache.json", Class: Private},
	{Pattern: "models_cache.json", Class: Private},
	{Pattern: "cache", Class: Private},
	// Per process, or not created through a link.
	{Pattern: "tmp", Class: Private},
	{Pattern: ".sandbox_migration", Class: Private},
	{Pattern: ".personality_migration", Class: Private},
	// Logins to MCP servers: third parties', shared. Codex opens the file with O_NOFOLLOW since 0.150.
	{Pattern: ".credentials.json", Class: HardLink},
	{Pattern: "mcp-oauth-locks", Class: LinkedDir},
	// Databases lie beside the link's target, with their -wal and -shm.
	{Pattern: "*.sqlite-wal", Class: Ignored, Transcript: true, Transient: true},
	{Pattern: "*.sqlite-shm", Class: Ignored, Transcript: true, Transient: true},
	{Pattern: "*.sqlite-journal", Class: Ignored, Transcript: true, Transient: true},
	{Pattern: "*.sqlite", Class: LinkAhead, Transcript: true, Database: true},
	// Configuration and what codex writes in place.
	{Pattern: "config.toml", Class: LinkAhead},
	{Pattern: "*.config.toml", Class: LinkAhead},
	{Pattern: "session_index.jsonl", Class: LinkAhead, Transcript: true},
	{Pattern: "session_index.jsonl.lock", Class: LinkAhead, Transcript: true},
	{Pattern: "history.jsonl", Class: LinkAhead, Transcript: true},
	{Pattern: "version.json", Class: LinkAhead},
	{Pattern: "installation_id", Class: LinkAhead},
	// Directories that codex fills, and does not make behind a dangling link.
	{Pattern: "sessions", Class: LinkedDir, Transcript: true, AppendOnly: true},
	{Pattern: "archived_sessions", Class: LinkedDir, Transcript: true, AppendOnly: true},
	{Pattern: "thread-writer-locks", Class: LinkedDir, Transcript: true},
	{Pattern: "log", Class: LinkedDir, Transcript: true, AppendOnly: true},
	{Pattern: "memories", Class: LinkedDir},
	{Pattern: "skills", Class: LinkedDir},
	{Pattern: "shell_snapshots", Class: LinkedDir, AppendOnly: true},
	{Pattern: "plugins", Class: LinkedDir},
	{Pattern: ".tmp", Class: LinkedDir},
	{Pattern: "rules", Class: LinkedDir},
	{Pattern: "prompts", Class: LinkedDir},
	{Pattern: "agents", Class: LinkedDir},
	{Pattern: "tui-thread-reference-capabilities", Class: LinkedDir},
	{Pattern: "packages", Class: LinkedDir},
	// Windows' elevated sandbox: its set-up is the machine's, its diagnostics are the home's.
	{Pattern: ".sandbox-secrets", Class: Link, Bootstrap: true},
	{Pattern: ".sandbox-bin", Class: Link, Bootstrap: true},
	{Pattern: ".sandbox", Class: Private, Copied: []string{"setup_marker.json"}, Bootstrap: true},
}

// IsHardLinked reports whether the table, but for the user's patterns, shares the entry as a hard link.
func IsHardLinked(name string) bool {
	for _, row := range CodexHomeTable {
		if Matches(row.Pattern, name) {
			return row.Class == HardLink
		}
	}
	return false
}

// guarded are parts of names, and guardedEnds their ends, that a login or an endpoint of a later release would have.
var (
	guarded     = []string{"auth", "cred", "token", "secret", "keyring"}
	guardedEnds = []string{".age", ".pid", ".sock"}
)

// flags are the properties of the row, as bits.
func (r Rule) flags() (bits uint64) {
	for i, set := range []bool{r.Transcript, r.AppendOnly, r.Bootstrap, r.Transient, r.Database, len(r.Copied) > 0} {
		if set {
			bits |= 1 << i
		}
	}
	return bits
}

// Rules is the ordered table of one home.
type Rules struct {
	Rows    []Rule
	guard   bool
	Private []string // the user's patterns among the rows
}

// CodexHomeRules returns the table of the codex home: the user's private patterns, the built-in rows, for a private account with
// the transcripts private, then the guard for unknown names that look like credentials or endpoints, then link.
func CodexHomeRules(private []string, state account.State) Rules {
	rows := privateRows(private)
	for _, row := range CodexHomeTable {
		if row.Transcript && state == account.StatePrivate {
			row.Class = Private
		}
		rows = append(rows, row)
	}
	return Rules{Rows: rows, guard: true, Private: private}
}

// HomeRules returns the table of the real home: the user's private patterns, .codex and root, which is swop's own directory if it
// lies at the top of the home, are private; all else is linked.
func HomeRules(private []string, root string) Rules {
	return Rules{Private: private, Rows: append(privateRows(private), Rule{Pattern: ".codex", Class: Private}, Rule{Pattern: Escape(root), Class: Private})}
}

func privateRows(patterns []string) []Rule {
	rows := make([]Rule, 0, len(patterns)+len(CodexHomeTable))
	for _, pattern := range patterns {
		rows = append(rows, Rule{Pattern: pattern, Class: Private})
	}
	return rows
}

// Escape returns the pattern that matches name alone.
func Escape(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}

// Class returns the class of the entry called name.
func (r Rules) Class(name string) Class {
	row, _ := r.Row(name)
	return row.Class
}

// Row returns the row that decides over the entry called name, and whether it names the entry: for all others it is the guard or link.
func (r Rules) Row(name string) (row Rule, named bool) {
	for _, row := range r.Rows {
		if Matches(row.Pattern, name) {
			return row, true
		}
	}
	if r.guard && looksSecret(name) {
		return Rule{Class: Private}, false
	}
	return Rule{Class: Link}, false
}

// Ahead returns the names that are linked before they exist, those of directories apart.
func (r Rules) Ahead() (dirs, files []string) {
	for _, row := range r.Rows {
		switch {
		case isPattern(row.Pattern), r.Class(row.Pattern) != row.Class:
		case row.Class == LinkedDir:
			dirs = append(dirs, row.Pattern)
		case row.Class == LinkAhead:
			files = append(files, row.Pattern)
		}
	}
	return dirs, files
}

// Matches is path.Match, or that name is the pattern's very text, and quick about the two forms that the table has: a name, and a star
// before an end. A start may ask it some thousand times.
func Matches(pattern, name string) bool {
	switch {
	case pattern == name:
		return true
	case pattern == "" || name == "":
		return false
	case pattern[0] == '*' && !isPattern(pattern[1:]):
		return strings.HasSuffix(name, pattern[1:])
	case !isMeta(pattern[0]) && pattern[0] != name[0]:
		return false
	case !isPattern(pattern):
		return false
	}
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

func isPattern(pattern string) bool {
	for i := range len(pattern) {
		if isMeta(pattern[i]) {
			return true
		}
	}
	return false
}

func isMeta(c byte) bool { return c == '*' || c == '?' || c == '[' || c == '\\' }

func looksSecret(name string) bool {
	name = strings.ToLower(name)
	for _, part := range guarded {
		if strings.Contains(name, part) {
			return true
		}
	}
	for _, end := range guardedEnds {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

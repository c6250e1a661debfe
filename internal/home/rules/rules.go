// Package rules has the table of rules: how each entry of a shared home appears in a sandbox.
package rules

import (
	"path"
	"slices"
	"strings"

	"swop/internal/account"
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

// Linked reports whether the class puts a symbolic link into the sandbox.
func (c Class) Linked() bool { return c == Link || c == LinkedDir || c == LinkAhead }

// Shared reports whether the class makes the entry one with the shared one.
func (c Class) Shared() bool { return c.Linked() || c == HardLink }

// Rule gives the entries of a home whose name matches the pattern, in the form of path.Match, a class.
type Rule struct {
	Pattern string
	Class   Class
	// Shown marks what confined accounts read as the shared home has it. Of all other rows they have their own, and nothing of that.
	Shown bool
	// Transcript marks what a private account keeps to itself: sessions, history, log and databases.
	Transcript bool
	// Database marks what is moved only while nobody can have it open, and with its log.
	Database bool
}

// SandboxDir is where codex's sandbox on Windows has its log, and SandboxMarker says there that the machine is set up.
const (
	SandboxDir    = ".sandbox"
	SandboxMarker = SandboxDir + "/setup_marker.json"
)

// HardLinked is what the table, without the user's patterns, shares as a hard link.
const HardLinked = ".credentials.json"

// CodexHomeTable is the table for ~/.codex: the first row that matches a name decides. docs/codex-home.md says what each row rests on.
var CodexHomeTable = []Rule{
	// The login, its locks and temporary files. Shared, one account's login or refresh would hang or replace another's.
	{Pattern: "auth.json", Class: Private},
	{Pattern: "auth.lock", Class: Private},
	{Pattern: "auth.json.lock", Class: Private},
	{Pattern: ".auth-*", Class: Private}, // what it writes before it renames it to auth.json
	{Pattern: "secrets", Class: Private},
	// The background server keeps the login that it was started with, and everyone who reaches its socket uses it.
	{Pattern: "app-server-control", Class: Private},
	{Pattern: "app-server-daemon", Class: Private},
	// What the account's plan and workspace decide, signed or cached.
	{Pattern: "cloud-requirements-cache.json", Class: Private},
	{Pattern: "cloud-config-bundle-cache.json", Class: Private},
	{Pattern: "models_cache.json", Class: Private},
	{Pattern: "cache", Class: Private},
	// git commits what lies in a repository, and follows no link to .gitignore: a session's codex home is none, and swop makes its .gitignore.
	{Pattern: ".git", Class: Private},
	{Pattern: account.IgnoreFile, Class: Private},
	// Per process, or not created through a link.
	{Pattern: "tmp", Class: Private},
	{Pattern: ".sandbox_migration", Class: Private},
	{Pattern: ".personality_migration", Class: Private},
	// Logins to MCP servers: third parties', shared. Codex opens the file with O_NOFOLLOW since 0.150.
	{Pattern: HardLinked, Class: HardLink},
	{Pattern: "mcp-oauth-locks", Class: LinkedDir},
	// Databases lie beside the link's target, with their -wal and -shm.
	{Pattern: "*.sqlite-wal", Class: Ignored, Transcript: true},
	{Pattern: "*.sqlite-shm", Class: Ignored, Transcript: true},
	{Pattern: "*.sqlite-journal", Class: Ignored, Transcript: true},
	{Pattern: "*.sqlite", Class: LinkAhead, Transcript: true, Database: true},
	// Configuration and what codex writes in place.
	{Pattern: "config.toml", Class: LinkAhead},
	{Pattern: "*.config.toml", Class: LinkAhead, Shown: true},
	{Pattern: "session_index.jsonl", Class: LinkAhead, Transcript: true},
	{Pattern: "session_index.jsonl.lock", Class: LinkAhead, Transcript: true},
	{Pattern: "history.jsonl", Class: LinkAhead, Transcript: true},
	{Pattern: "version.json", Class: LinkAhead},
	{Pattern: "installation_id", Class: LinkAhead},
	// Directories that codex fills, and does not make behind a dangling link.
	{Pattern: "sessions", Class: LinkedDir, Transcript: true},
	{Pattern: "archived_sessions", Class: LinkedDir, Transcript: true},
	{Pattern: "thread-writer-locks", Class: LinkedDir, Transcript: true},
	{Pattern: "log", Class: LinkedDir, Transcript: true},
	{Pattern: "memories", Class: LinkedDir},
	{Pattern: "skills", Class: LinkedDir, Shown: true},
	{Pattern: "shell_snapshots", Class: LinkedDir},
	{Pattern: "plugins", Class: LinkedDir, Shown: true},
	{Pattern: ".tmp", Class: LinkedDir},
	{Pattern: "rules", Class: LinkedDir, Shown: true},
	{Pattern: "prompts", Class: LinkedDir, Shown: true},
	{Pattern: "agents", Class: LinkedDir, Shown: true},
	{Pattern: "tui-thread-reference-capabilities", Class: LinkedDir},
	{Pattern: "packages", Class: LinkedDir, Shown: true},
	// What the user writes, and codex reads.
	{Pattern: "AGENTS*.md", Class: Link, Shown: true},
	{Pattern: "hooks*", Class: Link, Shown: true},
	{Pattern: "environments.toml", Class: Link, Shown: true},
	// The set-up of Windows' elevated sandbox is the machine's; what it logs is the account's.
	{Pattern: SandboxDir, Class: Private},
	{Pattern: ".sandbox-*", Class: Link},
}

// BuiltIn returns the row of the table that decides about the entry, whatever the user's patterns say.
func BuiltIn(name string) Rule {
	row, _ := Rules{rows: CodexHomeTable}.Row(name)
	return row
}

// secretParts are parts of names, and secretEnds their ends, that a login or an endpoint of a later release would have.
var (
	secretParts = []string{"auth", "cred", "token", "secret", "keyring"}
	secretEnds  = []string{".age", ".pid", ".sock"}
)

// Rules is the ordered table of one home: the user's patterns, the built-in rows, then private for names that look secret, then link.
// All that it holds decides about some entry.
type Rules struct {
	Private        []string // the user's patterns: what they match is private
	Shared         []string // the user's patterns: what they match is no credential, and is not private any more
	rows           []Rule
	ownTranscripts bool // rows for transcripts are private
	keepsSecrets   bool // unknown names that look like credentials or endpoints are private
}

// CodexHomeRules returns the table of the codex home. For a private account transcripts are private, and all unknown names that look
// like credentials or endpoints are private.
func CodexHomeRules(private []string, state account.State) Rules {
	return Rules{Private: private, rows: CodexHomeTable, ownTranscripts: state == account.StatePrivate, keepsSecrets: true}
}

// HomeRules returns the table of the real home: the user's private patterns, .codex, .git and root, which is swop's own directory if it
// lies at the top of the home, are private; all else is linked. A root with * in its name makes private what fits.
func HomeRules(private []string, root string) Rules {
	rows := []Rule{{Pattern: ".codex", Class: Private}, {Pattern: ".git", Class: Private}, {Pattern: root, Class: Private}}
	return Rules{Private: private, rows: rows}
}

// Row returns the row that decides about the entry called name, and whether it names the entry. All others are links, or private where
// they look like credentials.
func (r Rules) Row(name string) (row Rule, named bool) {
	if MatchesAny(r.Private, name) {
		return Rule{Class: Private}, true
	}
	for i := range r.rows {
		if Matches(r.rows[i].Pattern, name) {
			row = r.rows[i]
			if row.Transcript && r.ownTranscripts {
				row.Class = Private
			}
			return row, true
		}
	}
	if r.keepsSecrets && looksSecret(name) && !MatchesAny(r.Shared, name) {
		return Rule{Class: Private}, false
	}
	return Rule{Class: Link}, false
}

// Ahead returns the names that are linked before they exist.
func (r Rules) Ahead() (names []string) {
	for _, row := range r.rows {
		isName := !strings.ContainsAny(row.Pattern, meta)
		if is, _ := r.Row(row.Pattern); isName && is == row && (row.Class == LinkedDir || row.Class == LinkAhead) {
			names = append(names, row.Pattern)
		}
	}
	return names
}

// meta are the characters by which a pattern is more than a name.
const meta = `*?[\`

// Matches is path.Match, or that name is the pattern's very text.
func Matches(pattern, name string) bool {
	first, last := pattern[:min(1, len(pattern))], pattern[max(0, len(pattern)-1):]
	starts := strings.HasPrefix(name, first) || strings.ContainsAny(first, meta)
	if !starts || !strings.HasSuffix(name, last) && !strings.ContainsAny(last, meta+"]") {
		return false // nearly all: each name of a home is compared with each row
	}
	ok, err := path.Match(pattern, name)
	return pattern == name || ok && err == nil
}

// MatchesAny reports whether one of the patterns matches the name.
func MatchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return Matches(pattern, name) })
}

// looksSecret reports whether the name is one that a login or an endpoint would have.
func looksSecret(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(secretParts, func(part string) bool { return strings.Contains(name, part) }) ||
		slices.ContainsFunc(secretEnds, func(end string) bool { return strings.HasSuffix(name, end) })
}

// TableSum stands for the built-in rules, which are not summed up at each start, and for the meaning of a stamp: see TestTableSum.
const TableSum = 0x729b2e75b699c36

// ComesAndGoes reports whether nothing depends on an entry of a shared codex home: it is the log of one of codex's databases, and lies
// there while a codex runs. One in a sandbox is left by a codex that was killed.
func ComesAndGoes(name string) bool { return BuiltIn(name).Class == Ignored }

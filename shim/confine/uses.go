package confine

// use says how a confined session has an entry of the codex homes.
type use uint8

const (
	asRead    use = iota // mounted, read-only: what later sessions execute or obey, and all that is not known
	asWritten            // mounted, writable: codex cannot run without
	asCopy               // a copy of its own
	asFresh              // nothing of the host's: codex makes it again
)

// uses are the entries that are not simply mounted read-only, by patterns of the same form as stamp's table; see docs/codex-home.md for what
// each is. auth.json is not among them: it is the account's own.
var uses = [...]struct {
	pattern string
	use     use
}{
	{"sessions", asWritten},
	{"archived_sessions", asWritten},
	{"thread-writer-locks", asWritten},
	{"log", asWritten},
	{"memories", asWritten},
	{"history.jsonl", asWritten},
	{"session_index.jsonl", asWritten},
	{"session_index.jsonl.lock", asWritten},
	{"version.json", asWritten},
	{"installation_id", asWritten},
	{".credentials.json", asWritten},
	{"mcp-oauth-locks", asWritten},
	{"secrets", asWritten},
	{"config.toml", asCopy},
	{"*.config.toml", asCopy},
	{"models_cache.json", asCopy},
	{"cloud-requirements-cache.json", asCopy},
	{"cloud-config-bundle-cache.json", asCopy},
	{".sandbox_migration", asCopy},
	{".personality_migration", asCopy},
	{"auth.json", asFresh},
	{"auth.lock", asFresh},
	{"auth.json.lock", asFresh},
	{".auth-*", asFresh},
	{"app-server-control", asFresh},
	{"app-server-daemon", asFresh},
	{"cache", asFresh},
	{"tmp", asFresh},
	{".tmp", asFresh},
	{"shell_snapshots", asFresh},
	{"tui-thread-reference-capabilities", asFresh},
	{".sandbox*", asFresh},
	{"*.sqlite*", asFresh},
	{".swop-*", asFresh},
}

package store

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"swop/config"
	"swop/internal/account"
	"swop/internal/say"
)

// SessionIn returns the session that HOME or CODEX_HOME in env belong to, and whether they belong to one. codex prefers
// CODEX_HOME, so it is asked first. A path counts, however it is spelled, only if a sandbox with a valid meta.json of this user's
// is there.
func SessionIn(env config.Env) (account.Session, bool) {
	if home := filepath.Clean(env.Value("CODEX_HOME")); filepath.Base(home) == ".codex" {
		if s, ok := sessionAt(filepath.Dir(home)); ok {
			return s, true
		}
	}
	return sessionAt(env.Value("HOME"))
}

// IsSandboxHome reports whether home is the HOME of some account's session.
func IsSandboxHome(home string) bool {
	_, ok := sessionAt(home)
	return ok
}

// IsSandboxCodexHome reports whether home is the CODEX_HOME of some account's session.
func IsSandboxCodexHome(home string) bool {
	home = filepath.Clean(home)
	return filepath.Base(home) == ".codex" && IsSandboxHome(filepath.Dir(home))
}

func sessionAt(home string) (account.Session, bool) {
	home = filepath.Clean(home)
	dir := filepath.Dir(home)
	if !filepath.IsAbs(home) || filepath.Base(home) != "home" || filepath.Base(filepath.Dir(dir)) != "accounts" {
		return account.Session{}, false
	}
	s := Store{account.Layout{Places: config.Places{Root: filepath.Dir(filepath.Dir(dir))}}}
	a, err := s.remnant(filepath.Base(dir))
	if err != nil {
		return account.Session{}, false
	}
	return account.Session{Key: a.Key, Root: s.Root, RealHome: a.Meta.RealHome, Private: a.Meta.State == account.StatePrivate}, true
}

// Sighting is the sandbox of an account as a call saw it before it waited for the account's lock. What is renamed or removed meanwhile is
// not to be made again under the old name: who asked for the account meant the one that was there.
type Sighting struct {
	dir fs.FileInfo // nil where nothing was seen
}

// Sight looks whether the account with this key is there. One whose login is still to come is not: who ends its add removes it again.
func (s Store) Sight(key string) Sighting {
	a, err := s.Account(key)
	if err != nil || a.Meta.Unfinished {
		return Sighting{}
	}
	dir, err := os.Lstat(a.Dir)
	if err != nil {
		return Sighting{}
	}
	return Sighting{dir}
}

// Seen reports whether there was an account.
func (g Sighting) Seen() bool { return g.dir != nil }

// Still reports whether the account with this key is the one that was seen.
func (g Sighting) Still(s Store, key string) bool {
	dir, err := os.Lstat(s.AccountDir(key))
	return err == nil && g.Seen() && os.SameFile(dir, g.dir)
}

// Gone returns an error that wraps [account.ErrNoAccount] and says what became of the account that label named and that g saw.
func (s Store) Gone(label string, g Sighting) error {
	accounts, _ := s.Accounts() // those that cannot be read have no say
	for _, a := range accounts {
		if g.Still(s, a.Key) {
			return say.Refuse(account.ErrNoAccount, fmt.Sprintf("no account %q: it is %q now", label, a.Meta.Label))
		}
	}
	err := say.Refuse(account.ErrNoAccount, fmt.Sprintf("no account %q any more: it was renamed or removed a moment ago", label))
	return say.WithHint(err, "codex swop list")
}

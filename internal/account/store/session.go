package store

import (
	"errors"
	"path/filepath"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
)

// SessionIn returns the session that HOME or CODEX_HOME in env belong to, and whether they belong to one. codex prefers CODEX_HOME, so that
// is asked first. A path counts, however it is spelled, only if a sandbox with a meta.json of this user's is there, or the link that an
// account left: that session's account is missing. Where meta.json cannot be read, the real home is not known.
func SessionIn(env config.Env) (account.Session, bool) {
	if home := filepath.Clean(env.Value("CODEX_HOME")); filepath.Base(home) == ".codex" {
		if s, ok := sessionAt(filepath.Dir(home)); ok {
			return s, true
		}
	}
	return sessionAt(env.Value("HOME"))
}

func sessionAt(home string) (account.Session, bool) {
	home = filepath.Clean(home)
	dir := filepath.Dir(home)
	if !filepath.IsAbs(home) || filepath.Base(home) != "home" || filepath.Base(filepath.Dir(dir)) != "accounts" {
		return account.Session{}, false
	}
	s := Store{account.Layout{Places: config.Places{Root: filepath.Dir(filepath.Dir(dir))}}}
	key := filepath.Base(dir)
	a, err := s.remnant(key)
	switch {
	case err == nil:
		return account.Session{Key: key, Name: key, Root: s.Root, RealHome: a.Meta.RealHome}, true
	case errors.Is(err, disk.ErrUnsafe) && s.CheckOwnerOf(dir) != nil || !disk.MayExist(s.Path(account.RootFile)): // another user's
		return account.Session{}, false
	case !errors.Is(err, account.ErrNoAccount): // it is refused when it is prepared
		return account.Session{Key: key, Name: key, Root: s.Root}, true
	case !s.isLeft(key):
		return account.Session{}, false
	}
	to := disk.Resolve(home)
	session, renamed := sessionAt(to)
	if !renamed {
		session = account.Session{Key: key, Root: s.Root, RealHome: to}
	}
	session.Name = key
	return session, true
}

//go:build unix

package manager

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"swop/config"
)

// What a start of codex asks where, as nearly always, there is nothing to do. Each question has two answers: true, and false for
// anything else, be it work or a defect, which the rest of the package does or tells. Nothing here links encoding/json, the TOML library
// or the engine: what a program links it pays for at each start.

// PlainRoot is [ReadRoot] for a root.json that is plain, or not there.
func PlainRoot(dir string) (Root, bool) {
	text, _, err := config.ReadBounded(dir+"/root.json", unix.O_NOFOLLOW, maxJSON)
	if p, ok := err.(*fs.PathError); ok && p.Err == unix.ENOENT {
		return Root{}, true
	}
	if err != nil {
		return Root{}, false
	}
	r, ok := readPlainRoot(text)
	if !ok {
		return Root{}, false
	}
	root, err := r.root()
	return root, err == nil
}

// LooksLikeSession reports whether HOME or CODEX_HOME in env could be a sandbox's, by its name alone.
func LooksLikeSession(env config.Env) bool {
	home := filepath.Clean(env.Value("CODEX_HOME"))
	return filepath.Base(home) == ".codex" && hasSandboxName(filepath.Dir(home)) || hasSandboxName(filepath.Clean(env.Value("HOME")))
}

// Standing is what Steady finds.
type Standing uint8

const (
	Unsteady Standing = iota // there is something to do, or to say
	Found                    // the same, of an account that was there before its lock was waited for: see [Sighting]
	Steady                   // the account can be used at once
)

// Steady returns the account with this key if nothing keeps it from being used at once: a finished one whose sandbox is whole, with no
// other account waiting for its reconcile. The lock is a session's then; it stays open across exec.
func (s Store) Steady(key string, root *Root, settings *config.Settings, now time.Time) (a Account, l Lock, standing Standing) {
	l, found, err := s.enterSteady(key)
	if err != nil {
		return a, l, found
	}
	if !s.plainAccount(key, &a) || !s.othersSteady(key, root, settings) || !s.isWhole(&a, root, settings) || !s.touchPlain(&a, now) {
		l.Release()
		return a, l, found
	}
	return a, l, Steady
}

// enterSteady locks the account as a session does, and looks whether it is there where that takes waiting.
func (s Store) enterSteady(key string) (Lock, Standing, error) {
	l, err := s.enterSharedNow(key, true)
	if !errors.Is(err, ErrInUse) {
		return l, Unsteady, err
	}
	found := Unsteady
	if m, ok := s.plainMeta(key); ok && !m.Unfinished {
		found = Found
	}
	l, err = s.EnterShared(key, true)
	return l, found, err
}

// plainAccount is [Store.Account] for an account whose meta.json is plain and says that nothing is under way. The homes in it are left to
// [reconciler.unmoved].
func (s Store) plainAccount(key string, a *Account) bool {
	a.Key, a.Dir = key, s.dir(key)
	if s.checkDir(a.Dir) != nil {
		return false
	}
	m, ok := s.plainMeta(key)
	a.Meta = m
	return ok && m.Key == key && m.MovingTo == "" && !m.Unfinished
}

func (s Store) plainMeta(key string) (Meta, bool) {
	text, _, err := config.ReadBounded(s.metaOf(s.dir(key)), unix.O_NOFOLLOW, maxJSON)
	if err != nil {
		return Meta{}, false
	}
	m, ok := readPlainMeta(text)
	if !ok {
		return Meta{}, false
	}
	meta, err := m.meta()
	return meta, err == nil
}

// othersSteady reports whether the account is marked as one that runs, and all others that are do so now, and are whole.
func (s Store) othersSteady(key string, root *Root, settings *config.Settings) bool {
	marks, err := s.pending()
	if err != nil || !slices.Contains(marks, key) {
		return false
	}
	for _, other := range marks {
		if other != key && !s.runsWhole(other, root, settings) {
			return false
		}
	}
	return true
}

func (s Store) runsWhole(key string, root *Root, settings *config.Settings) bool {
	l, err := s.LockExclusive(key)
	l.Release()
	if !errors.Is(err, ErrInUse) {
		return false
	}
	var a Account
	return s.plainAccount(key, &a) && s.isWhole(&a, root, settings)
}

// isWhole reports whether nothing moved since the last look at the account, and that found nothing to mend.
func (s Store) isWhole(a *Account, root *Root, settings *config.Settings) bool {
	r := &reconciler{store: s, root: *root, account: *a, stamp: openStamp(*a)}
	defer r.stamp.close()
	isolation, private := settings.For(a.Key)
	return r.unmoved(isolation, private)
}

// touchPlain is [Store.Touch].
func (s Store) touchPlain(a *Account, now time.Time) bool {
	if !a.needsTouch(now) {
		return true
	}
	a.Meta.LastUsedAt = now
	text, ok := a.Meta.plainText()
	return ok && config.CheckDescriptors() == nil && config.WriteFile(s.metaOf(a.Dir), text) == nil
}

// Undemanding reports whether nothing that codex reads in this call demands what [Account.CheckConfig] looks for.
func (a Account) Undemanding(call CodexCall) bool {
	for _, override := range call.Overrides {
		if demanding(override) {
			return false
		}
	}
	for file := range a.configFiles(call) {
		text, _, err := config.ReadBounded(file, 0, maxCodexConfig)
		if err == nil && demanding(text) {
			return false
		}
	}
	return true
}

// demanding reports whether a configuration may name what is looked for.
func demanding(text string) bool {
	return strings.Contains(text, "forced_") || strings.Contains(text, "sqlite_home")
}

// hasSandboxName reports whether path is named as the home of a sandbox is: …/accounts/KEY/home.
func hasSandboxName(path string) bool {
	return strings.HasSuffix(path, "/home") && filepath.Base(filepath.Dir(filepath.Dir(path))) == "accounts"
}

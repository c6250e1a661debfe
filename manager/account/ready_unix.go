//go:build unix

package account

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/manager/disk"
)

// What a start of codex asks where, as nearly always, there is nothing to do. Each question has two answers: true, and false for
// anything else, be it work or a defect, which the rest of the package does or tells. Nothing here links encoding/json, the TOML library
// or the engine: what a program links it pays for at each start.

// FastRoot is [ReadRoot] for a root.json that is plain, or not there.
func FastRoot(dir string) (Root, bool) {
	text, _, err := disk.ReadFile(dir+"/root.json", unix.O_NOFOLLOW, MaxJSON)
	if p, ok := err.(*fs.PathError); ok && p.Err == unix.ENOENT {
		return Root{}, true
	}
	if err != nil {
		return Root{}, false
	}
	r, ok := fastRoot(text)
	if !ok {
		return Root{}, false
	}
	root, err := r.root()
	return root, err == nil
}

// MayBeSession reports whether HOME or CODEX_HOME in env could be a sandbox's, by its name alone.
func MayBeSession(env config.Env) bool {
	home := filepath.Clean(env.Value("CODEX_HOME"))
	return filepath.Base(home) == ".codex" && hasSandboxName(filepath.Dir(home)) || hasSandboxName(filepath.Clean(env.Value("HOME")))
}

// Readiness is what Steady finds.
type Readiness uint8

const (
	NotReady Readiness = iota // there is something to do, or to say
	Exists                    // the same, of an account that was there before its lock was waited for: see [Sighting]
	Ready                     // the account can be used at once
)

// LockForSession locks the account as a session does, and looks whether it is there where that takes waiting.
func (s Layout) LockForSession(key string) (Lock, Readiness, error) {
	l, err := s.enterSharedNow(key, true)
	if !errors.Is(err, ErrInUse) {
		return l, NotReady, err
	}
	found := NotReady
	if m, ok := s.FastMeta(key); ok && !m.Unfinished {
		found = Exists
	}
	l, err = s.EnterShared(key, true)
	return l, found, err
}

// FastAccount is [Store.Account] for an account whose meta.json is plain and says that nothing is under way. The homes in it are left to
// [reconciler.unmoved].
func (s Layout) FastAccount(key string, a *Account) bool {
	a.Key, a.Dir = key, s.AccountDir(key)
	if s.CheckDir(a.Dir) != nil {
		return false
	}
	m, ok := s.FastMeta(key)
	a.Meta = m
	return ok && m.Key == key && m.MovingTo == "" && !m.Unfinished
}

func (s Layout) FastMeta(key string) (Meta, bool) {
	text, _, err := disk.ReadFile(s.MetaFile(s.AccountDir(key)), unix.O_NOFOLLOW, MaxJSON)
	if err != nil {
		return Meta{}, false
	}
	m, ok := fastMeta(text)
	if !ok {
		return Meta{}, false
	}
	meta, err := m.meta()
	return meta, err == nil
}

// FastTouch is [Store.Touch].
func (s Layout) FastTouch(a *Account, now time.Time) bool {
	if !a.NeedsTouch(now) {
		return true
	}
	a.Meta.LastUsedAt = now
	text, ok := a.Meta.FastText()
	return ok && disk.CheckDescriptors() == nil && disk.WriteFile(s.MetaFile(a.Dir), text) == nil
}

// hasSandboxName reports whether path is named as the home of a sandbox is: …/accounts/KEY/home.
func hasSandboxName(path string) bool {
	return strings.HasSuffix(path, "/home") && filepath.Base(filepath.Dir(filepath.Dir(path))) == "accounts"
}

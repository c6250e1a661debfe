package account

import (
	"errors"
	"io/fs"
	"path/filepath"

	"swop/config"
	"swop/internal/disk"
	"swop/internal/disk/sys"
)

// The questions of the fast path of a start, where there is nearly always nothing to do. Each answer is true, or else false: then the slow
// path does the work, or reports the defect.

// FastRead reads the root.json of the root directory dir; a file that is missing is the zero Root. It reports false for one that
// cannot be read.
func (r *Root) FastRead(dir string) bool {
	*r = Root{}
	text, err := disk.ReadFile(dir+"/"+RootFile, sys.O_NOFOLLOW, MaxJSON)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	return err == nil && r.Parse(text) == nil
}

// MayBeSession reports whether HOME or CODEX_HOME in env could be a sandbox's, by its name alone.
func MayBeSession(env config.Env) bool {
	home := filepath.Clean(env.Value("CODEX_HOME"))
	return filepath.Base(home) == ".codex" && hasSandboxName(filepath.Dir(home)) || hasSandboxName(filepath.Clean(env.Value("HOME")))
}

// LockForSession returns the lock of the account as a session holds it. It does not wait: while another process has the account exclusively
// the error wraps [ErrInUse].
func (s Layout) LockForSession(key string) (Lock, error) {
	return Flock(s.LockFile(key), sys.LOCK_SH|sys.LOCK_NB, int(AcrossExec))
}

// FastAccount reads the account's meta.json. It reports false if that cannot be read, or tells of an add or rename that has not ended.
func (s Layout) FastAccount(a *Account) bool {
	a.Meta = Meta{}
	text, err := disk.ReadFile(s.MetaFile(a.Dir), sys.O_NOFOLLOW, MaxJSON)
	return err == nil && a.Meta.Parse(text) == nil && a.Meta.Key == a.Key && a.Meta.MovedFrom == "" && !a.Meta.Unfinished
}

// hasSandboxName reports whether path is named as the home of a sandbox is: …/accounts/KEY/home.
func hasSandboxName(path string) bool {
	return filepath.Base(path) == "home" && filepath.Base(filepath.Dir(filepath.Dir(path))) == "accounts"
}

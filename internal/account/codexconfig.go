package account

import (
	"errors"
	"io/fs"
	"iter"
	"path/filepath"
	"strings"

	"swop/internal/disk"
	"swop/internal/disk/sys"
)

// CodexCall is the part of a call of codex that decides which configuration it reads, beside its home.
type CodexCall struct {
	Overrides []string // the values of -c and --config: key=value
	Profiles  []string // the values of -p and --profile
	Dir       string   // the working directory, absolute, that codex is to use
	Shared    string   // the shared home, a project's configuration only where ~ is the project
	Keyless   bool     // it talks to the model, and neither its environment nor its flags bring credentials or another provider
}

// MaxCodexConfig bounds what is read of codex's configuration, in bytes: a larger file is not read.
const MaxCodexConfig = 16 << 20

// ConfigFiles yields the files that codex may read, which need not exist.
func (a *Account) ConfigFiles(call *CodexCall) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield(a.CodexHome() + "/config.toml") {
			return
		}
		for _, profile := range call.Profiles {
			if profile != "" && !strings.ContainsRune(profile, '/') && !yield(filepath.Join(a.CodexHome(), profile+".config.toml")) {
				return
			}
		}
		for dir := filepath.Clean(call.Dir); filepath.IsAbs(dir); dir = filepath.Dir(dir) {
			project := strings.TrimSuffix(dir, "/") + "/.codex"
			reads := project != call.Shared || dir == call.Dir || isProject(dir)
			if reads && !yield(project+"/config.toml") || dir == filepath.Dir(dir) {
				return
			}
		}
	}
}

// isProject reports whether dir is the root of a git work tree, up to which codex looks for a project's configuration.
func isProject(dir string) bool {
	var st sys.Stat_t
	return sys.Lstat(filepath.Join(dir, ".git"), &st) == nil
}

// NamesNothingForced reports whether nothing that codex reads in this call demands what CheckConfig of package login looks for, and the
// account trusts the hooks that it should.
func (a *Account) NamesNothingForced(call *CodexCall) bool {
	own := a.CodexHome() + "/config.toml"
	return !a.anyConfig(call, func(file, text string, err error) bool {
		return err == nil && (Demanding(text) || file == own && !a.TrustsHooks(text))
	})
}

// anyConfig reports whether what codex reads in this call has a property: an override, of no file, or a file, which may be unreadable.
func (a *Account) anyConfig(call *CodexCall, has func(file, text string, err error) bool) bool {
	for _, override := range call.Overrides {
		if has("", override, nil) {
			return true
		}
	}
	for file := range a.ConfigFiles(call) {
		if text, err := disk.ReadFile(file, 0, MaxCodexConfig); has(file, text, err) {
			return true
		}
	}
	return false
}

// LacksLogin reports whether the call needs a login that the account does not have. Where the configuration names another provider, or
// another place for logins, that is not known, and it reports false.
func (a *Account) LacksLogin(call *CodexCall) bool {
	var st sys.Stat_t
	return call.Keyless && sys.Lstat(a.AuthFile(), &st) == sys.ENOENT && !a.mayNameProvider(call)
}

// mayNameProvider reports whether the configuration names a provider or a place for logins, or cannot be read.
func (a *Account) mayNameProvider(call *CodexCall) bool {
	return a.anyConfig(call, func(_, text string, err error) bool {
		return err == nil && namesProvider(text) || err != nil && !errors.Is(err, fs.ErrNotExist)
	})
}

func namesProvider(text string) bool {
	return strings.Contains(text, "model_provider") || strings.Contains(text, "cli_auth_credentials_store")
}

// Demanding reports whether a configuration may name what is looked for.
func Demanding(text string) bool {
	return strings.Contains(text, "forced_") || strings.Contains(text, "sqlite_home")
}

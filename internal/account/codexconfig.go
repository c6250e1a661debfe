package account

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"swop/internal/disk"
)

// CodexCall has the arguments of a call of codex that decide which configuration it reads.
type CodexCall struct {
	Overrides []string // the values of -c and --config: key=value
	Profiles  []string // the values of -p and --profile
	Dir       string   // the working directory, absolute, that codex is to use
	Shared    string   // the shared home, a project's configuration only where ~ is the project
}

// MaxCodexConfig bounds a file of codex's configuration, in bytes: a larger file is an error. Reading one that a session
// has made for it takes a second at this size.
const MaxCodexConfig = 1 << 20

// ReadConfig returns the text of one of codex's configuration files: "" for a file that is missing, or in a directory that this user, and
// so codex, cannot enter. A file that is there and cannot be read may demand anything, and is an error.
func ReadConfig(file string) (string, error) {
	text, err := disk.ReadFile(file, MaxCodexConfig)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return text, nil
	}
	if there, unseen := disk.Lstat(file); errors.Is(unseen, fs.ErrPermission) || unseen == nil && !there.Exists() {
		return "", nil
	}
	return "", err
}

// MachineConfig is where codex finds the configuration for all users, except on Windows. Tests change it.
var MachineConfig = "/etc/codex"

// ConfigsOf returns the files that codex reads with a codex home in each call, which need not exist: each outranks those behind it.
func ConfigsOf(codexHome string) []string {
	machine, managed := MachineConfig, MachineConfig
	if runtime.GOOS == "windows" {
		machine, managed = filepath.Join(os.Getenv("ProgramData"), "OpenAI", "Codex"), codexHome
	}
	return []string{managed + "/managed_config.toml", filepath.Join(codexHome, "config.toml"), machine + "/config.toml"}
}

// ConfigFiles returns all files that codex may read, which need not exist.
func (a *Account) ConfigFiles(call *CodexCall) []string {
	files := ConfigsOf(a.CodexHome())
	for _, profile := range call.Profiles {
		if profile != "" && !strings.ContainsRune(profile, '/') {
			files = append(files, filepath.Join(a.CodexHome(), profile+".config.toml"))
		}
	}
	for dir, below := filepath.Clean(call.Dir), ""; filepath.IsAbs(dir) && dir != below; dir, below = filepath.Dir(dir), dir {
		if project := filepath.Join(dir, ".codex"); project != call.Shared || dir == call.Dir {
			files = append(files, project+"/config.toml")
		}
	}
	return files
}

// NamesNothingForced reports whether no configuration that codex reads in this call has a word that CheckConfig of package login looks for,
// and the account trusts the hooks that it should.
func (a *Account) NamesNothingForced(call *CodexCall) bool {
	if slices.ContainsFunc(call.Overrides, Demanding) {
		return false
	}
	own := filepath.Join(a.CodexHome(), "config.toml")
	for _, file := range a.ConfigFiles(call) {
		text, err := ReadConfig(file)
		if err != nil || Demanding(text) || file == own && !a.TrustsHooks(text) {
			return false
		}
	}
	return true
}

// Demanding reports whether a configuration may have a key that CheckConfig of package login looks for, be it written by escapes.
func Demanding(text string) bool {
	has := func(part string) bool { return strings.Contains(text, part) }
	return slices.ContainsFunc([]string{"forced_", "sqlite_home", `\u`, `\U`, `\x`}, has)
}

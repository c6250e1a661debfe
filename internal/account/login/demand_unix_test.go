//go:build unix

package login

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/test/testhome"
)

// A configuration that forces another login than the account's is found wherever codex reads it from.
func TestCheckConfig(t *testing.T) {
	const forced, key = "forced_login_method = \"chatgpt\"\n", `{"OPENAI_API_KEY":"sk-1"}`
	const workspace = `{"tokens":{"id_token":"e30.eyJodHRwczovL2FwaS5vcGVuYWkuY29tL2F1dGgiOnsiY2hhdGdwdF9hY2NvdW50X2lkIjoidzEifX0.x"}}` // w1
	for name, tt := range map[string]struct {
		auth    string
		files   map[string]string // below the codex home, after "work/" the working directory, or after "etc/" that of the machine
		call    account.CodexCall
		refused bool
	}{
		"nothing":                 {auth: key},
		"config.toml":             {auth: key, files: map[string]string{"config.toml": forced}, refused: true},
		"an escape":               {auth: key, files: map[string]string{"config.toml": `"forced\u005flogin_method" = "chatgpt"`}, refused: true},
		"no login":                {files: map[string]string{"config.toml": forced}},
		"api for chatgpt":         {auth: workspace, files: map[string]string{"config.toml": "forced_login_method = \"api\"\n"}, refused: true},
		"broken":                  {auth: key, files: map[string]string{"config.toml": forced + "[["}, refused: true},
		"one deep key":            {auth: key, files: map[string]string{"config.toml": forced + strings.Repeat("a.", 80000) + "a = 1\n"}, refused: true},
		"deep lists":              {auth: workspace, files: map[string]string{"config.toml": "forced_x = " + strings.Repeat("[\n", 80000)}, refused: true},
		"broken, of others":       {auth: key, files: map[string]string{"config.toml": "[["}},
		"many tables, many dots":  {auth: key, files: map[string]string{"config.toml": forced + "# " + strings.Repeat("a.", 900) + strings.Repeat("\n[[x]]\na = {b = {c = 1.5}, d = 'a.b.c'}", 90)}, refused: true},
		"too long":                {auth: key, files: map[string]string{"config.toml": strings.Repeat("#\n", account.MaxCodexConfig/2) + forced}, refused: true},
		"not to be read":          {auth: key, files: map[string]string{"config.toml/file": ""}, refused: true},
		"a file above":            {auth: key, files: map[string]string{"work/.codex": forced}},
		"many shallow tables":     {auth: key, files: map[string]string{"config.toml": forced + strings.Repeat("[[projects.\"/a/b.c\"]]\ntrust_level = \"trusted\"\n", 300000)}, refused: true},
		"the profile of -p":       {auth: key, files: map[string]string{"config.toml": "[profiles.strict]\n" + forced}, call: account.CodexCall{Profiles: []string{"strict"}}, refused: true},
		"the default profile":     {auth: key, files: map[string]string{"config.toml": "profile = \"strict\"\n[profiles.strict]\n" + forced}, refused: true},
		"a profile's file":        {auth: key, files: map[string]string{"strict.config.toml": forced}, call: account.CodexCall{Profiles: []string{"strict"}}, refused: true},
		"-c without quotes":       {auth: key, call: account.CodexCall{Overrides: []string{"forced_login_method=chatgpt"}}, refused: true},
		"-c of something else":    {auth: key, call: account.CodexCall{Overrides: []string{"model=forced_login_method"}}},
		"the project":             {auth: key, files: map[string]string{"work/.codex/config.toml": forced}, refused: true},
		"all users":               {auth: key, files: map[string]string{"etc/config.toml": forced}, refused: true},
		"all users, managed":      {auth: workspace, files: map[string]string{"etc/managed_config.toml": "forced_login_method = \"api\"\n"}, refused: true},
		"another workspace":       {auth: workspace, files: map[string]string{"config.toml": "forced_chatgpt_workspace_id = \"w2\"\n"}, refused: true},
		"one of the workspaces":   {auth: workspace, files: map[string]string{"config.toml": "forced_chatgpt_workspace_id = [\"w2\", \"w1\"]\n"}},
		"a database home, shared": {auth: key, files: map[string]string{"config.toml": "sqlite_home = \"/x\"\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			a := account.Account{Key: "work", Dir: filepath.Join(dir, "sandbox"), Meta: account.Meta{Label: "work", State: account.StateShared}}
			if tt.auth != "" {
				testhome.PutFile(t, a.AuthFile(), tt.auth)
			}
			for file, text := range tt.files {
				above := a.CodexHome()
				if strings.HasPrefix(file, "work/") || strings.HasPrefix(file, "etc/") {
					above = filepath.Join(dir, "project")
				}
				testhome.PutFile(t, filepath.Join(above, file), text)
			}
			tt.call.Dir, account.MachineConfig = filepath.Join(dir, "project", "work"), filepath.Join(dir, "project", "etc")
			err := CheckConfig(a, tt.call)
			if refused := errors.Is(err, disk.ErrUnsafe); refused != tt.refused || err != nil && !refused {
				t.Errorf("CheckConfig = %v, want refused %t", err, tt.refused)
			}
			a.Meta.State = account.StatePrivate
			if err := CheckConfig(a, tt.call); name == "a database home, shared" && !errors.Is(err, disk.ErrUnsafe) {
				t.Errorf("CheckConfig of a private account = %v, want a refusal", err)
			}
		})
	}
}

//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/config"
	"swop/internal/test/testhome"
)

// What programs read in HOME they read inside a session as they do outside of one: each command prints the same in both places,
// except the path of HOME itself.

// A homeUser has an account, and a HOME that someone works in.
type homeUser struct{ *user }

func newHomeUser(t *testing.T) homeUser {
	t.Helper()
	u := homeUser{newUser(t)}
	u.add("work", workLogin)
	for name, content := range homeFiles {
		u.write(name, strings.ReplaceAll(content, "$PATH0", config.Env(u.env).Value("PATH")))
	}
	return u
}

// homeFiles are the files that its programs have left there. $PATH0 is the PATH of the tests.
var homeFiles = map[string]string{
	".gitconfig":                 "[user]\n\tname = Me Myself\n\temail = me@example.com\n[core]\n\texcludesFile = ~/.gitignore\n[alias]\n\tst = status\n",
	".gitignore":                 "*.swap\n",
	".config/git/config":         "[user]\n\temail = xdg@example.com\n[xdg]\n\tvalue = from-xdg\n",
	".npmrc":                     "prefix=${HOME}/.npm-global\nfund=false\ninit-author-name=Me\n",
	".bash_profile":              ". ~/.profile\n. ~/.bashrc\nexport FROM_PROFILE=bash\n",
	".bashrc":                    "PATH=\"$HOME/.npm-global/bin:$HOME/bin:$PATH0\"\nalias ll='ls -l'\nexport NVM_DIR=\"$HOME/.nvm\"\n[ -s \"$NVM_DIR/nvm.sh\" ] && . \"$NVM_DIR/nvm.sh\"\n",
	".zshenv":                    "export FROM_ZSHENV=zsh\n",
	".zprofile":                  "path=(~/.npm-global/bin ~/bin $path)\n",
	".zshrc":                     "alias ll='ls -l'\n",
	".nvm/nvm.sh":                "nvm() { echo \"nvm of $NVM_DIR\"; }\nPATH=\"$NVM_DIR/versions/node/v1.2.3/bin:$PATH\"\n",
	".nvm/alias/default":         "v1.2.3\n",
	"src/hello-cli/cli.js":       "#!/usr/bin/env node\nconsole.log('hello from', require('./package.json').name)\n",
	"src/hello-cli/package.json": `{"name": "hello-cli", "version": "1.0.0", "bin": {"hello-cli": "cli.js"}}`,

	"bin/mine":                               "#!/bin/sh\necho my own program\n",
	".nvm/versions/node/v1.2.3/bin/old-node": "#!/bin/sh\necho the node that nvm chose\n",
}

// outside returns what the script prints in the user's own shell, inside what it prints in a session of work.
func (u homeUser) outside(script string) string {
	return u.ok(u.command("/bin/sh", "-c", script)).stdout
}

func (u homeUser) inside(script string) string {
	return u.ok(u.swop("run", "work", "--", "/bin/sh", "-c", script)).stdout
}

// withRealHome returns text with the path of the sandbox's home replaced by that of the real home.
func (u homeUser) withRealHome(text string) string {
	return strings.ReplaceAll(text, filepath.Join(u.accounts(), "work", "home"), u.home)
}

// same checks that the script prints want, and the same inside as outside.
func (u homeUser) same(script, want string) {
	u.t.Helper()
	outside := u.outside(script)
	if !strings.Contains(outside, want) || outside == "" {
		u.t.Errorf("%s\nprints outside %q, want %q in it", script, outside, want)
	}
	if inside := u.withRealHome(u.inside(script)); inside != outside {
		u.t.Errorf("%s\nprints inside  %q\nand    outside %q", script, inside, outside)
	}
}

func TestHomeGit(t *testing.T) {
	u := newHomeUser(t)
	u.same("git config user.email", "me@example.com\n")
	u.same("git config xdg.value", "from-xdg\n")
	u.same(`git var GIT_AUTHOR_IDENT | sed 's/ [0-9]* [-+][0-9]*$//'`, "Me Myself <me@example.com>\n")
	u.same("git config --list --show-origin", "file:"+u.home+"/.gitconfig\tuser.email=me@example.com\n")
	u.same("git config --type=path core.excludesFile", u.home+"/.gitignore\n")
	u.same("cd && git init -q repo 2>/dev/null; cd repo && touch a.swap && git status --porcelain --ignored", "!! a.swap\n")

	// what a session writes is the user's own configuration
	u.inside("git config --global user.email new@example.com && git config --global alias.co checkout")
	u.same("git config user.email", "new@example.com\n")
	u.same("git co --help 2>&1 | head -1", "")
	if got, err := os.Readlink(filepath.Join(u.accounts(), "work", "home", ".gitconfig")); got != filepath.Join(u.home, ".gitconfig") {
		t.Errorf(".gitconfig leads to %q (%v)", got, err)
	}
}

func TestHomeShells(t *testing.T) {
	testhome.Needs(t, "zsh")
	u := newHomeUser(t)
	u.same(`bash -lc 'echo "$PATH"; echo "$FROM_PROFILE"; alias; mine'`, "my own program\n")
	u.same(`bash -lc 'nvm; old-node; cat "$NVM_DIR/alias/default"'`, "nvm of "+u.home+"/.nvm\nthe node that nvm chose\nv1.2.3\n")
	u.same(`bash -ic 'echo "$PATH"; ll -d / | cut -c1; alias' 2>/dev/null`, "alias ll='ls -l'\n")
	u.same(`zsh -lc 'echo "$PATH"; echo "$FROM_ZSHENV"; mine; cd ~ && pwd'`, "my own program\n")
	u.same(`zsh -ic 'alias' 2>/dev/null`, "ll='ls -l'\n")

	// what a shell leaves behind in a session exists outside
	u.inside(`bash -ic 'set -o history; HISTFILE=~/.bash_history; history -s said-inside; history -w' 2>/dev/null; zsh -fc 'autoload -Uz compinit && compinit -D && echo zcomp > ~/.zcompdump'`)
	u.ok(u.swop("list"))
	u.same("cat ~/.bash_history ~/.zcompdump", "zcomp\n")
}

func TestHomeMise(t *testing.T) {
	u := newHomeUser(t)
	mise, err := miseProgram()
	testhome.NoError(t, err)
	u.write(".config/mise/config.toml", "[env]\nHELLO = \"from mise\"\n_.path = [\"~/tools/bin\"]\n[tasks.greet]\nrun = \"echo a task\"\n")
	u.write("work/mise.toml", "[env]\nPROJECT = \"trusted\"\n_.file = \".env\"\n")
	u.write("work/.env", "MORE=1\n")
	u.outside(mise + " trust " + u.work + "/mise.toml 2>/dev/null") // trusted outside, by its path
	u.same("cd / && "+mise+" config ls", "config.toml")
	u.same(mise+" env --shell bash | sort", "HELLO='from mise'\n")
	u.same(mise+" env --shell bash | grep PROJECT", "trusted")
	u.same("cd && "+mise+" run greet 2>/dev/null", "a task\n")
	u.inside(mise + " settings set experimental true")
	u.same(mise+" settings get experimental", "true\n")
}

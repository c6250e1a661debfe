package main

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"swop/internal/home"
	"swop/internal/test/testbuild"
	"swop/internal/test/testhome"
)

func newSecretPlace(t *testing.T) *secretPlace {
	programs, err := filepath.EvalSymlinks(t.TempDir())
	testhome.NoError(t, err)
	base, err := os.MkdirTemp("/dev/shm", "swop-secret") // where a sync costs nothing
	if err != nil {
		base = filepath.Join(programs, "base")
		testhome.NoError(t, os.Mkdir(base, 0o700))
	}
	t.Cleanup(func() { testhome.NoError(t, os.RemoveAll(base)) })
	p := &secretPlace{
		T: t, base: base, home: filepath.Join(base, "home"), bin: filepath.Join(programs, "bin"),
		start: filepath.Join(base, "start"),
	}
	testhome.NoError(t, testbuild.Programs(p.bin))
	fake := filepath.Join(p.bin, "fake", "codex")
	testhome.NoError(t, os.Mkdir(filepath.Dir(fake), 0o700))
	testhome.NoError(t, os.WriteFile(fake, []byte(`#!/bin/sh
case "$1" in
login) [ -z "$CODEX_FAKE_EXIT" ] && { umask 077; echo '{"OPENAI_API_KEY":"sk-`+planted+`-new"}' > "${CODEX_HOME:-$HOME/.codex}/auth.json"; } ;;
logout) [ -z "$CODEX_FAKE_EXIT" ] && rm -f "${CODEX_HOME:-$HOME/.codex}/auth.json" ;;
--version) echo codex-cli 0.169.0 ;;
esac
exit ${CODEX_FAKE_EXIT:-0}
`), 0o755))
	p.write("home/.codex/config.toml", codexConfig)
	p.write("home/.codex/auth.json", chatgpt)
	p.write("home/.codex/.credentials.json", `{"x":{"access_token":"`+planted+`"}}`)
	p.write("home/.codex/history.jsonl", "one")
	p.write("home/.codex/sessions/one.jsonl", "one")
	for key, login := range logins {
		p.setUp("add", key, "--no-login")
		p.write(filepath.Join("home/.swop/accounts", key, "home/.codex/auth.json"), login)
	}
	p.setUp("add", "agent", "--state", "private", "--no-login")
	p.setUp("list")
	p.write("home/.swop/accounts/agent/home/.codex/sessions/own.jsonl", "one")
	kept := "home/.swop/kept/" + home.KeptID(time.Now(), "work")
	p.write(kept+"/.codex/.credentials.json", `{"x":{"access_token":"`+planted+`-old"}}`)
	p.write("home/.swop/accounts/chat/home/.codex/config.toml.new", codexConfig+"# own\n") // two versions of a file with a secret
	testhome.NoError(t, os.Rename(filepath.Join(p.home, ".swop/accounts/chat/home/.codex/config.toml.new"),
		filepath.Join(p.home, ".swop/accounts/chat/home/.codex/config.toml")))
	p.setUp("use", "key")
	testhome.NoError(t, os.MkdirAll(filepath.Join(base, "dir"), 0o700))
	p.write("login/auth.json", chatgpt)
	p.write("login/bad.json", logins["cut"])
	testhome.NoError(t, os.Mkdir(p.start, 0o700))
	for _, name := range []string{"home", "login", "dir"} {
		testhome.NoError(t, os.Rename(filepath.Join(base, name), filepath.Join(p.start, name)))
	}
	return p
}

func (p *secretPlace) write(name, text string) {
	p.Helper()
	testhome.PutFile(p, filepath.Join(p.base, name), text)
}

// setUp is a call of a verb that is to succeed.
func (p *secretPlace) setUp(args ...string) {
	p.Helper()
	cmd := exec.Command(filepath.Join(p.bin, "codex-swop"), args...)
	cmd.Env = p.env()
	if out, err := cmd.CombinedOutput(); err != nil {
		p.Fatalf("%q: %v\n%s", args, err, out)
	}
}

func (p *secretPlace) env() []string {
	return append([]string{"HOME=" + p.home, "PATH=" + p.bin + ":" + filepath.Join(p.bin, "fake") + ":/usr/bin:/bin", "LANG=C.UTF-8"},
		ownVariables...)
}

// call makes a call in the home as it was, beside a file that is damaged, and greps all that comes of it.
func (p *secretPlace) call(damaged, call string) {
	for _, name := range []string{"home", "login", "dir", "prefix"} {
		testhome.NoError(p, os.RemoveAll(filepath.Join(p.base, name)))
	}
	testhome.NoError(p, exec.Command("/bin/cp", "-a", p.start+"/home", p.start+"/login", p.start+"/dir", p.base).Run())
	if damaged != "" {
		p.write(filepath.Join("home", damaged), damages[damaged])
	}
	before := p.marked()
	env, words := p.env(), strings.Fields(strings.ReplaceAll(call, "@", p.base))
	for strings.Contains(words[0], "=") {
		env, words = append(env, words[0]), words[1:]
	}
	words[0] = filepath.Join(p.bin, strings.Replace(words[0], "swop", "codex-swop", 1))
	trace := filepath.Join(p.base, "trace")
	args := []string{"-f", "--seccomp-bpf", "-qq", "-v", "-s", "1000000", "-e", "trace=execve,execveat", "-e", "signal=none", "-o", trace}
	cmd := exec.Command("strace", append(args, words...)...)
	cmd.Env, cmd.Dir = env, filepath.Join(p.base, "dir")
	cmd.Stdin = strings.NewReader("sk-" + planted + "-stdin\n")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no terminal to ask on
	said, err := cmd.CombinedOutput()
	if _, exits := errors.AsType[*exec.ExitError](err); err != nil && !exits {
		p.Fatalf("%s: %v", call, err)
	}
	if text := string(said); hasMark(text) || strings.Contains(text, "goroutine ") {
		p.Errorf("%s, with damage to %q: a secret or a stack trace is in %q", call, damaged, text)
	}
	started, err := os.ReadFile(trace)
	testhome.NoError(p, err)
	for _, own := range ownVariables {
		started = bytes.ReplaceAll(started, fmt.Appendf(nil, "%q", own), nil)
	}
	if !bytes.Contains(started, []byte("execve")) || hasMark(string(started)) {
		p.Errorf("%s, with damage to %q: a secret is in arguments or environment, or none were seen: %s", call, damaged, started)
	}
	for file := range p.marked() { // but logins and versions of the user's own file, which hold secrets wherever they go
		name := filepath.Base(file)
		if !before[file] && !slices.Contains([]string{"auth.json", ".credentials.json", "config.toml", filepath.Base(damaged)}, name) {
			p.Errorf("%s, with damage to %q: a secret is in %s", call, damaged, file)
		}
	}
}

// hasMark reports whether a secret is in the text, also as base64 and in hexadecimal.
func hasMark(text string) bool {
	forms := []string{planted, fmt.Sprintf("%x", planted)}
	for i := range 3 {
		// The letters that do not depend on what is before and behind.
		encoded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", i) + planted))
		forms = append(forms, encoded[(i*8+5)/6:len(encoded)-2])
	}
	return slices.ContainsFunc(forms, func(form string) bool { return strings.Contains(text, form) })
}

// marked returns the files that have a secret in their text or in their name.
func (p *secretPlace) marked() map[string]bool {
	found := map[string]bool{}
	for _, dir := range []string{"home", "login", "dir"} {
		testhome.NoError(p, filepath.WalkDir(filepath.Join(p.base, dir), func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			target, _ := os.Readlink(path) // "" where it is no link
			text := path + target
			if entry.Type().IsRegular() {
				content, err := os.ReadFile(path)
				testhome.NoError(p, err)
				text += string(content)
			}
			if hasMark(text) {
				found[path] = true
			}
			return nil
		}))
	}
	return found
}

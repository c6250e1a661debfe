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
	leftOut, err := testhome.IsLeftOut("strace")
	testhome.NoError(t, err)
	p := &secretPlace{t: t, traced: !leftOut, base: base, home: filepath.Join(base, "home"), bin: filepath.Join(programs, "bin")}
	for name, pkg := range map[string]string{"codex": "swop/shim/codex", "codex-swop": "."} {
		out, err := exec.Command("go", "build", "-buildvcs=false", "-o", filepath.Join(p.bin, name), pkg).CombinedOutput()
		if err != nil {
			t.Fatalf("go build %s: %v\n%s", pkg, err, out)
		}
	}
	fake := filepath.Join(p.bin, "fake", "codex")
	testhome.NoError(t, os.Mkdir(filepath.Dir(fake), 0o700))
	testhome.NoError(t, os.WriteFile(fake, []byte(`#!/bin/sh
case "$1" in
login) [ -z "$FAKE_EXIT" ] && { umask 077; echo '{"OPENAI_API_KEY":"sk-`+planted+`-new"}' > "${CODEX_HOME:-$HOME/.codex}/auth.json"; } ;;
logout) [ -z "$FAKE_EXIT" ] && rm -f "${CODEX_HOME:-$HOME/.codex}/auth.json" ;;
--version) echo codex-cli 0.169.0 ;;
esac
exit ${FAKE_EXIT:-0}
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
	// Versions that will be kept, and leftovers.
	p.write("home/.swop/accounts/chat/home/.codex/new-"+"entry", "one")
	p.setUp("use", "key")
	testhome.NoError(t, os.MkdirAll(filepath.Join(base, "dir"), 0o700))
	p.write("login/auth.json", chatgpt)
	p.write("login/bad.json", logins["cut"])
	p.start = filepath.Join(base, "start")
	testhome.NoError(t, os.Mkdir(p.start, 0o700))
	for _, name := range []string{"home", "login", "dir"} {
		testhome.NoError(t, os.Rename(filepath.Join(base, name), filepath.Join(p.start, name)))
	}
	testhome.NoError(t, exec.Command("/bin/cp", "-a", p.start, p.start+".few").Run())
	for key := range logins {
		if !slices.Contains([]string{"key", "chat", "cut"}, key) {
			testhome.NoError(t, os.RemoveAll(filepath.Join(p.start+".few", "home/.swop/accounts", key)))
		}
	}
	return p
}

func (p *secretPlace) write(name, text string) {
	p.t.Helper()
	testhome.PutFile(p.t, filepath.Join(p.base, name), text)
}

// setUp is a call of a verb that is to succeed.
func (p *secretPlace) setUp(args ...string) {
	p.t.Helper()
	cmd := exec.Command(filepath.Join(p.bin, "codex-swop"), args...)
	cmd.Env = p.env()
	if out, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("%q: %v\n%s", args, err, out)
	}
}

func (p *secretPlace) env() []string {
	return append([]string{"HOME=" + p.home, "PATH=" + p.bin + ":" + filepath.Join(p.bin, "fake") + ":/usr/bin:/bin", "LANG=C.UTF-8"}, ownVariables...)
}

// reset makes the home as it was, with all its accounts or the few that calls name.
func (p *secretPlace) reset(all bool) {
	start := p.start
	if !all {
		start += ".few"
	}
	for _, name := range []string{"home", "login", "dir", "prefix"} {
		testhome.NoError(p.t, os.RemoveAll(filepath.Join(p.base, name)))
	}
	testhome.NoError(p.t, exec.Command("/bin/cp", "-a", filepath.Join(start, "home"), filepath.Join(start, "login"), filepath.Join(start, "dir"), p.base).Run())
	// Two versions of a file with a secret.
	p.write("home/.swop/accounts/chat/home/.codex/config.toml.new", codexConfig+"# own\n")
	testhome.NoError(p.t, os.Rename(filepath.Join(p.home, ".swop/accounts/chat/home/.codex/config.toml.new"), filepath.Join(p.home, ".swop/accounts/chat/home/.codex/config.toml")))
}

// call makes a call, and greps all that comes of it.
func (p *secretPlace) call(damage, call string) {
	name := fmt.Sprintf("%s, with damage to %s", call, damage)
	env, words := p.env(), strings.Fields(strings.ReplaceAll(call, "@", p.base))
	for strings.Contains(words[0], "=") {
		env, words = append(env, words[0]), words[1:]
	}
	trace := filepath.Join(p.base, "trace")
	args := []string{"-f", "--seccomp-bpf", "-qq", "-v", "-s", "1000000", "-e", "trace=execve,execveat", "-e", "signal=none", "-o", trace, filepath.Join(p.bin, words[0])}
	if words[0] == "swop" {
		args[len(args)-1] = filepath.Join(p.bin, "codex-swop")
	}
	args = append(args, words[1:]...)
	program := "strace"
	if damage != "nothing" || !p.traced {
		program, args = args[len(args)-len(words)], args[len(args)-len(words)+1:]
	}
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Dir = env, filepath.Join(p.base, "dir")
	cmd.Stdin = strings.NewReader("sk-" + planted + "-stdin\n")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no terminal to ask on
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatalf("%s: %v", name, err)
	}
	for where, text := range map[string]string{"stdout": stdout.String(), "stderr": stderr.String()} {
		if hasMark(text) {
			p.t.Errorf("%s: a secret is on %s: %q", name, where, text)
		}
		if strings.Contains(text, "goroutine ") {
			p.t.Errorf("%s: a stack trace is on %s: %q", name, where, text)
		}
	}
	if program == "strace" {
		p.wantClean(name, trace)
	}
	for file := range p.marked() {
		if !p.before[file] && !loginFile(file) && filepath.Base(file) != filepath.Base(p.damaged) {
			p.t.Errorf("%s: a secret is in %s", name, file)
		}
	}
}

// wantClean looks at the arguments and the environment of every program that was started.
func (p *secretPlace) wantClean(name, trace string) {
	text, err := os.ReadFile(trace)
	testhome.NoError(p.t, err)
	for _, own := range ownVariables {
		text = bytes.ReplaceAll(text, fmt.Appendf(nil, "%q", own), nil)
	}
	for _, line := range strings.Split(string(text), "\n") {
		if strings.Contains(line, "execve") {
			p.seen++
		}
		if hasMark(line) {
			p.t.Errorf("%s: a secret is in arguments or environment: %s", name, line)
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
		testhome.NoError(p.t, filepath.WalkDir(filepath.Join(p.base, dir), func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			target, _ := os.Readlink(path) // "" where it is no link
			text := path + target
			if entry.Type().IsRegular() {
				content, err := os.ReadFile(path)
				testhome.NoError(p.t, err)
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

// loginFile reports whether the file is one that holds secrets wherever it goes: a login, and a version of the user's own file.
func loginFile(path string) bool {
	return slices.Contains([]string{"auth.json", ".credentials.json", "config.toml"}, filepath.Base(path))
}

package wine

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

// reg runs reg.exe on the user's environment, and returns what it prints.
func (u *user) reg(args ...string) string {
	u.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out, _ := u.cmd(ctx, nil, "reg", args...).Output() // a value that is missing is an error
	return string(out)
}

// Install puts the programs in place and their directory first on the user's PATH; uninstall puts PATH back as it was.
func TestInstall(t *testing.T) {
	u := windows(t)
	u.fake()
	const before = `%USERPROFILE%\bin;;C:\tools;`
	u.reg("add", `HKCU\Environment`, "/v", "Path", "/t", "REG_EXPAND_SZ", "/d", before, "/f")
	r := u.ok("", "swop", "install")
	bin := u.win("AppData", "Local", "Programs", "swop", "bin")
	dir := filepath.Join(u.profile, "AppData", "Local", "Programs", "swop", "bin")
	for _, name := range []string{"codex.exe", "codex-swop.exe"} {
		if !testhome.Exists(filepath.Join(dir, name)) {
			t.Errorf("%s is missing\n%s%s", name, r.out, r.stderr)
		}
	}
	if got := u.reg("query", `HKCU\Environment`, "/v", "Path"); !strings.Contains(got, "REG_EXPAND_SZ    "+bin+";"+before) {
		t.Errorf("after install the registry has\n%s", got)
	}
	if r := u.ok("", "swop", "install"); !strings.HasPrefix(r.out, "nothing to change\n") {
		t.Errorf("the second install prints\n%s%s", r.out, r.stderr)
	}
	u.ok("", "swop", "uninstall", "--yes", "--prefix", u.win("AppData", "Local", "Programs", "swop"))
	if got := u.reg("query", `HKCU\Environment`, "/v", "Path"); !strings.Contains(got, "REG_EXPAND_SZ    "+before) {
		t.Errorf("after uninstall the registry has\n%s", got)
	}
	if testhome.Exists(filepath.Dir(dir)) {
		t.Errorf("the directory of the programs is still there:\n%s", testhome.Tree(t, filepath.Dir(dir)))
	}
}

// npm's codex.cmd leads to a launcher, which is asked what it starts: the native program runs, with the environment that the launcher would
// give.
func TestNPM(t *testing.T) {
	u := windows(t)
	fake, err := os.ReadFile(filepath.Join(drive(u.dir), "fake", "codex.exe"))
	testhome.NoError(t, err)
	npm := filepath.Join(drive(u.dir), "npm")
	platform := filepath.Join("node_modules", "@openai", "codex", "node_modules", "@openai", "codex-win32-x64")
	vendor := filepath.Join(platform, "vendor", "x86_64-pc-windows-msvc")
	for name, text := range map[string]string{
		"codex": "#!/bin/sh\n", "codex.cmd": "@ECHO off\r\n" + `"%_prog%"  "%dp0%\node_modules\@openai\codex\bin\codex.js" %*` + "\r\n",
		"node.exe": string(fake), "node_modules/@openai/codex/bin/codex.js": "#!/usr/bin/env node\n",
		"node_modules/@openai/codex/package.json":   `{"name": "@openai/codex"}`,
		filepath.Join(vendor, "codex", "codex.exe"): string(fake), filepath.Join(vendor, "path", "rg.exe"): "a program",
	} {
		testhome.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(npm, name)), 0o700))
		testhome.NoError(t, os.WriteFile(filepath.Join(npm, name), []byte(text), 0o700))
	}
	u.path = append(u.path, at("npm"))
	u.ok("", "swop", "add", "work", "--no-login") // before there is a root, nothing is kept
	u.ok("", "swop", "use", "none")
	r := u.ok("", "env", "CODEX_MANAGED_BY_NPM", "Path")
	tools := at("npm") + `\` + strings.ReplaceAll(filepath.Join(vendor, "path"), "/", `\`)
	if !strings.HasPrefix(r.out, "CODEX_MANAGED_BY_NPM=1\nPath="+tools+";") {
		t.Errorf("the native codex got\n%s%s", r.out, r.stderr)
	}
}

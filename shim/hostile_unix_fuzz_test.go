//go:build unix

package shim

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/config"
)

// FuzzPath has any PATH: what is found is an executable regular file named codex, in an absolute directory of it, that is not the shim.
func FuzzPath(f *testing.F) {
	base := f.TempDir()
	for _, dir := range []string{"shim", "real", "empty", "directory/codex"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			f.Fatal(err)
		}
	}
	shim, real := filepath.Join(base, "shim", "codex"), filepath.Join(base, "real", "codex")
	if err := errors.Join(os.WriteFile(shim, nil, 0o755), os.WriteFile(real, nil, 0o755)); err != nil {
		f.Fatal(err)
	}
	var st unix.Stat_t
	if err := unix.Stat(shim, &st); err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		"", ":", "::", ".", "B/shim", "B/shim:B/real", "B/real/", "B//real", "B/shim/../real", "real", "B/real/codex", "B/directory:B/empty:B/real", "B/\x00", "B/\xff:B/real",
		"/mnt/c/x:B/real", "/mnt/c", "/mnt/", "B/real" + strings.Repeat("/", 5000), strings.Repeat("B/shim:", 300) + "B/real", "~", "$HOME", "B/real\n",
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, path string, wsl bool) {
		path = strings.ReplaceAll(path, "B", base)
		p, err := FindReal(path, []FileID{idOf(&st)}, wsl)
		if err != nil {
			if p != (Program{}) || !errors.Is(err, ErrNoCodex) {
				t.Errorf("FindReal(%q) = %+v, %v", path, p, err)
			}
			return
		}
		dir := strings.TrimSuffix(p.Path, "/codex")
		info, err := os.Stat(p.Path)
		switch {
		case err != nil, !info.Mode().IsRegular(), info.Mode()&0o111 == 0:
			t.Errorf("FindReal(%q) = %q, which is %v, %v", path, p.Path, info, err)
		case !filepath.IsAbs(dir), !slices.Contains(filepath.SplitList(path), dir), p.ID == idOf(&st):
			t.Errorf("FindReal(%q) = %q: not of this PATH, relative, or the shim", path, p.Path)
		case wsl && strings.HasPrefix(dir, "/mnt/c/"):
			t.Errorf("FindReal(%q) = %q, on Windows' drive", path, p.Path)
		}
	})
}

// FuzzCaller has any values of the variables that lead swop: the account is one that the caller named or the session's, a valid label or
// refused, and the environment that codex gets has each variable once.
func FuzzCaller(f *testing.F) {
	st := newStage(f)
	for _, seed := range []string{
		"", "work-team", "Work Team", "../x", "\x1b[31m", strings.Repeat("a", 70), "work", "a\x00b", "HOME=\"/x\"", `HOME="H" CODEX_HOME="C"`, "1", "H", "C", "S", "S/.codex", "/",
	} {
		f.Add(seed, seed, seed, seed, seed, seed)
		f.Add(seed, `HOME="H"`, "1:2:3:4:1.a", "S", "S/.codex", "C")
		f.Add("", seed, "", "S", seed, seed)
	}
	f.Fuzz(func(t *testing.T, acct, outer, exec, home, codexHome, sqlite string) {
		words := strings.NewReplacer("H", st.home, "C", st.shared, "S", st.account.Home())
		env := config.Env{
			"SWOP_ACCOUNT=" + acct, "SWOP_OUTER=" + words.Replace(outer), guardVariable + "=" + exec, "HOME=" + words.Replace(home),
			"CODEX_HOME=" + words.Replace(codexHome), "CODEX_SQLITE_HOME=" + words.Replace(sqlite), "X=1", "HOME=second",
		}
		scene, err := Look(env)
		if err != nil {
			return
		}
		if scene.Session != nil && (scene.Session.Key != "work-team" || scene.Account == "work-team") {
			t.Errorf("%q is in the session %+v, asks for %q", env, *scene.Session, scene.Account)
		}
		for _, name := range []string{"SWOP_OUTER", guardVariable} {
			if value, ok := scene.Env.Lookup(name); ok {
				t.Errorf("%q outside has %s=%q", env, name, value)
			}
		}
		choice, err := scene.Choose()
		if err == nil && choice.Why == ByVariable && choice.Label != acct {
			t.Errorf("%q chooses %+v", env, choice)
		}
		if _, keyErr := config.Key(choice.Label); err == nil && keyErr != nil && choice.Label != acct && choice.Label != "" {
			t.Errorf("%q chooses %+v, which is no label", env, choice)
		}
		for _, isolation := range []string{config.IsolateHome, config.IsolateCodexHome} {
			got := scene.Environment(Prepared{Account: st.account, Root: st.root, Settings: config.Settings{Isolation: isolation}})
			wantOnce(t, got, "CODEX_HOME", "CODEX_SQLITE_HOME", "SWOP_ACCOUNT", "SWOP_OUTER")
			if value := got.Value("CODEX_HOME"); value != st.account.CodexHome() {
				t.Errorf("%q becomes CODEX_HOME=%q", env, value)
			}
		}
	})
}

func wantOnce(t *testing.T, env config.Env, names ...string) {
	t.Helper()
	for _, name := range names {
		n := 0
		for _, entry := range env {
			if strings.HasPrefix(entry, name+"=") {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s is %d times in %q", name, n, env)
		}
	}
}

// FuzzArguments reads any arguments as codex's: they are looked at, and never changed.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		"", "exec\nhi", "login", "--\nlogin", "-c\nforced_login_method=1", "-cforced", "-c=x", "--config\na\nlogin", "--config=a", "-C\n/x", "-p", "--profile", "-C", "\x00", "-c\n", "login\nstatus", "swop", "-p\nx\n-C\n../\n--cd=\xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, joined string) {
		args := append([]string{"codex"}, strings.Split(joined, "\n")...)
		before := slices.Clone(args)
		call := codexCall(args, "/work")
		if len(call.Overrides)+len(call.Profiles) > len(args) || !filepath.IsAbs(call.Dir) {
			t.Errorf("%q reads as %+v", args, call)
		}
		name, _ := subcommand(args)
		if name != "" && !slices.Contains(args[1:], name) {
			t.Errorf("%q has the subcommand %q", args, name)
		}
		if ChangesLogin(args) && name != "login" && name != "logout" {
			t.Errorf("%q changes the login, and is %q", args, name)
		}
		if !slices.Equal(args, before) {
			t.Errorf("%q became %q", before, args)
		}
	})
}

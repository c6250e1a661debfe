//go:build unix

package session

import (
	"strings"
	"testing"

	"swop/config"
	"swop/shim"
)

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
			"SWOP_ACCOUNT=" + acct, "SWOP_OUTER=" + words.Replace(outer), shim.GuardVariable + "=" + exec, "HOME=" + words.Replace(home),
			"CODEX_HOME=" + words.Replace(codexHome), "CODEX_SQLITE_HOME=" + words.Replace(sqlite), "X=1", "HOME=second",
		}
		i, err := Look(env)
		if err != nil {
			return
		}
		if i.Session != nil && (i.Session.Key != "work-team" || i.Account == "work-team") {
			t.Errorf("%q is in the session %+v, asks for %q", env, *i.Session, i.Account)
		}
		for _, name := range []string{"SWOP_OUTER", shim.GuardVariable} {
			if value, ok := i.Env.Lookup(name); ok {
				t.Errorf("%q outside has %s=%q", env, name, value)
			}
		}
		choice, err := i.Choose(ReadSelector)
		if err == nil && choice.Why == shim.ByVariable && choice.Label != acct {
			t.Errorf("%q chooses %+v", env, choice)
		}
		if _, keyErr := config.Key(choice.Label); err == nil && keyErr != nil && choice.Label != acct && choice.Label != "" {
			t.Errorf("%q chooses %+v, which is no label", env, choice)
		}
		for _, isolation := range []string{config.IsolateHome, config.IsolateCodexHome} {
			got := i.Environment(shim.Prepared{
				Account: st.account, Root: st.root,
				Settings: config.Settings{Common: config.Common{Isolation: isolation}},
			})
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

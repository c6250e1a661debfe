//go:build unix

package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/store"
	"swop/internal/test/testfile"
	"swop/internal/test/testhome"
	"swop/shim"
)

func FuzzParseOuter(f *testing.F) {
	for _, seed := range []string{"", `"HOME=/home/me"`, `"HOME=a" "CODEX_HOME=b\xff"`, "`HOME=a`", "'HOME=a'", `"HOME=a`, `""`, `"a=""b="`} {
		f.Add(seed, seed)
	}
	for _, value := range []string{
		"a b", `"`, `\`, "\n", "\t\x00\x1b\x7f", "\xff\xfe", "é\u2028\ufeff", "`", `" HOME="x`, "\\x",
		strings.Repeat("x", 100_000),
	} {
		f.Add(value, value)
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		parseOuter(config.Env{"SWOP_OUTER=" + text})
		env := config.Env{"HOME=" + value, "SWOP_ACCOUNT=" + text}
		outer, known := parseOuter(config.Env{"SWOP_OUTER=" + shim.Caller{Env: env}.OuterValue()})
		if !known || !slices.Equal(outer, env) {
			t.Errorf("%q comes back as %q, %t", env, outer, known)
		}
	})
}

// stage is a home with a codex home and an account, as a call finds them.
type stage struct {
	home, shared string
	root         account.Root
	account      account.Account
}

func newStage(t testing.TB) stage {
	t.Helper()
	accounts := store.Store{Layout: account.Layout{Places: testhome.Places(t)}}
	st := stage{home: accounts.Home, shared: filepath.Join(accounts.Home, ".codex")}
	var err error
	if st.account, err = accounts.Create(store.New{
		Label: "Work Team", State: account.StateShared, SharedHome: st.shared,
		Now: time.Unix(1, 0),
	}); err == nil {
		st.root, err = store.ReadRoot(accounts.Root)
	}
	testhome.NoError(t, err)
	return st
}

func TestFindCaller(t *testing.T) {
	st := newStage(t)
	home, codex, sqlite := "HOME="+st.account.Home(), "CODEX_HOME="+st.account.CodexHome(), "CODEX_SQLITE_HOME="+st.shared
	const acct = "SWOP_ACCOUNT=work-team"
	fake := filepath.Join(st.home, "fake", "accounts", "work", "home", ".codex")
	testhome.NoError(t, os.MkdirAll(fake, 0o700))
	passwd, _ := userHome() // the row fails without
	loop := testfile.Symlink(t, "loop", filepath.Join(st.home, "loop"))
	for _, tt := range []struct {
		name    string
		env     config.Env
		want    config.Env
		account string
		inside  bool
	}{
		{"outside", config.Env{"HOME=" + st.home, "A=1"}, config.Env{"HOME=" + st.home, "A=1"}, "", false},
		{"outside, SWOP_OUTER is not believed", config.Env{"HOME=" + st.home, `SWOP_OUTER="HOME=/evil"`, "SWOP_EXEC=x"}, config.Env{"HOME=" + st.home}, "", false},
		{"what only looks like a sandbox", config.Env{"HOME=" + filepath.Dir(fake), "CODEX_HOME=" + fake, `SWOP_OUTER="HOME=/evil"`}, config.Env{"HOME=" + filepath.Dir(fake), "CODEX_HOME=" + fake}, "", false},
		{"filtered", config.Env{home, codex, sqlite, acct}, config.Env{"HOME=" + st.home}, "", true},
		{"a root that cannot be read", config.Env{"HOME=" + loop + "/accounts/work/home"}, config.Env{"HOME=" + passwd}, "", true},
		{"filtered to CODEX_HOME", config.Env{codex, "HOME=/else"}, config.Env{"HOME=/else"}, "", true},
		{"broken SWOP_OUTER", config.Env{home, codex, `SWOP_OUTER="HOME=`}, config.Env{"HOME=" + st.home}, "", true},
		{"another account", config.Env{home, codex, "SWOP_ACCOUNT=b", `SWOP_OUTER="HOME=/h"`}, config.Env{"HOME=/h", "SWOP_ACCOUNT=b"}, "b", true},
		{"an account that is no label", config.Env{home, codex, "SWOP_ACCOUNT=../x", `SWOP_OUTER="HOME=/h"`}, config.Env{"HOME=/h", "SWOP_ACCOUNT=../x"}, "../x", true},
		{"HOME changed inside", config.Env{"HOME=/mine", codex, acct, `SWOP_OUTER="HOME=/h"`}, config.Env{"HOME=/mine"}, "", true},
		{"outer values of others are not set", config.Env{home, codex, `SWOP_OUTER="PATH=/evil" "HOME=/h" "LD_PRELOAD=x"`}, config.Env{"HOME=/h"}, "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := FindCaller(tt.env)
			if !slices.Equal(c.Env, tt.want) || c.Account != tt.account || (c.Session != nil) != tt.inside {
				t.Errorf("FindCaller(%q)\n = %q, %q, %+v\nwant %q, %q, inside %t", tt.env, c.Env, c.Account, c.Session, tt.want, tt.account, tt.inside)
			}
		})
	}
}

// A question about a confined account is asked in no home of a session, whichever one the caller has.
func TestQuestionHome(t *testing.T) {
	p := shim.Prepared{Account: account.Account{Key: "a", Dir: t.TempDir(), Meta: account.Meta{Confine: config.ConfineReadOnly}}}
	i := shim.Invocation{Caller: shim.Caller{Env: config.Env{"CODEX_HOME=/own"}}}
	e := Question(i, p, shim.Program{}, t.TempDir())
	if got := e.program.Env.Value("CODEX_HOME"); got != filepath.Join(p.Dir, "lent") {
		t.Errorf("CODEX_HOME is %s", got)
	}
}

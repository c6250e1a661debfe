package session

import (
	"path/filepath"

	"swop/config"
	"swop/internal/account/rpc"
	"swop/internal/disk"
	"swop/internal/limits/usage"
	"swop/shim"
)

// AskCodex returns a codex that is asked as the account: the real one, outside of any session, in the account's own home, without
// credentials of the environment. The home of a confined account is read by no program outside of a session: codex is asked in one, by the
// shim, or in the home that has nothing but the login.
func AskCodex(i shim.Invocation, p shim.Prepared, codex shim.Program, shimPath string) rpc.Program {
	databases := usage.Databases(p.Account)
	_ = disk.MakeDirs(databases) // without it codex says what is wrong
	i.Env = i.Env.WithoutCredentials()
	switch {
	case p.Meta.Confine == "":
		return CodexAs(i, p, codex, databases)
	case filepath.Dir(p.AuthFile()) != p.BesideHome():
		// It starts in the top directory, which is no workspace.
		env := i.Env.With("SWOP_ACCOUNT", p.Key).With("SWOP_CONFINE", "read-only")
		return rpc.Program{Path: shimPath, Args: append([]string{"codex"}, rpc.Arguments("")...), Env: env}
	}
	return asked(i, p, codex, i.Env.With("CODEX_HOME", p.BesideHome()), databases)
}

// CodexAs returns a codex that is asked as a session of the account would be, with its databases in the directory databases.
func CodexAs(i shim.Invocation, p shim.Prepared, codex shim.Program, databases string) rpc.Program {
	return asked(i, p, codex, i.Environment(p), databases)
}

func asked(i shim.Invocation, p shim.Prepared, codex shim.Program, env config.Env, databases string) rpc.Program {
	env = env.With("CODEX_SQLITE_HOME", databases)
	path, args, env := codex.Launch(i.Places, append([]string{"codex"}, rpc.Arguments(databases)...), env, p.Settings)
	return rpc.Program{Path: path, Args: args, Env: env}
}

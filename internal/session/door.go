package session

import (
	"context"
	"os/exec"
	"syscall"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/process"
	"swop/internal/account/rpc"
	"swop/internal/bridge/chatgpt"
	"swop/internal/disk"
	"swop/shim"
)

// This is the one door: a codex, or a program of an account, runs in this process's place by [RunProgram], or beside it as an [Errand].
// Both go by the policy of the account, and no other package starts one: see TestOneDoor.

// Errand is a codex that is ready to run beside this process. Only this package makes one.
type Errand struct {
	program process.Program
	account account.Account // as which codex is asked
}

// As returns the environment of a call of codex as the account that label names.
func As(label string, env config.Env) config.Env {
	return env.Without("SWOP_BYPASS").With("SWOP_ACCOUNT", label)
}

// Call is a call of codex by swop's own at shimPath, which chooses the account by env, prepares it, and confines it.
func Call(shimPath string, env config.Env, args ...string) Errand {
	return Errand{program: process.Program{Path: shimPath, Args: append([]string{"codex"}, args...), Env: env}}
}

// Outside is a call of the real codex without an account.
func Outside(i shim.Invocation, codex shim.Program, settings config.Settings, args ...string) Errand {
	l, _ := codex.Launch(&i.Places, append([]string{"codex"}, args...), i.Env, settings.Launch)
	return Errand{program: process.Program{Path: l.Path, Args: l.Args, Env: l.Env}}
}

// Asking is such a call for what swop wants to know: it runs no program that a session could put on PATH, and in no workspace. Where codex
// is a wrapper of another tool, which calls codex, that call passes swop by.
func Asking(i shim.Invocation, codex shim.Program, settings config.Settings, args ...string) Errand {
	i.Env = account.Outside(i.Env, i.Places).With("SWOP_BYPASS", "1")
	e := Outside(i, codex, settings, args...)
	e.program.Dir = i.Home
	return e
}

// Question is a codex that answers as the account, with its databases in a directory of their own. Nothing in a confined account's home
// is obeyed: codex answers in the home that has nothing but its bridged login, or in one to which its login is lent for the question.
func Question(i shim.Invocation, p shim.Prepared, codex shim.Program, databases string) Errand {
	_ = disk.MakeDirs(databases) // codex reports a missing one
	env := i.Environment(p)
	if p.Meta.Confine != "" {
		env = i.Env.With("CODEX_HOME", chatgpt.AskedHome(p.Account))
	}
	return asked(i, p, codex, env, databases)
}

func asked(i shim.Invocation, p shim.Prepared, codex shim.Program, env config.Env, databases string) Errand {
	i.Env = env.With("CODEX_SQLITE_HOME", databases)
	return Errand{Asking(i, codex, p.Settings, rpc.Arguments(databases)...).program, p.Account}
}

// Talk is a [rpc.Talker].
func (e Errand) Talk(ctx context.Context, ask func(*rpc.Conversation) error) error {
	lock, end, err := chatgpt.Hold(ctx, e.account)
	if err != nil {
		return err
	}
	defer end()
	return rpc.Talk(ctx, e.program, lock, ask)
}

// Output returns what it prints on stdout, of most bytes: see [process.Ask].
func (e Errand) Output(ctx context.Context, most int) (string, error) {
	return process.Ask(ctx, e.program, most)
}

// Command returns the command, in a Unix session of its own, that is killed when ctx ends.
func (e Errand) Command(ctx context.Context) *exec.Cmd {
	cmd, _ := process.Command(ctx, e.program, syscall.SIGKILL)
	return cmd
}

// Exec replaces this process by the program. It returns only if that failed.
func (e Errand) Exec() error { return shim.Exec(e.program.Path, e.program.Args, e.program.Env) }

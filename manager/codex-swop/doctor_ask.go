//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"swop/config"
	"swop/install"
)

// What a new shell makes of PATH only that shell knows: it is asked, with all that its start-up files do.

// askLimit is how long a shell may take: with nvm and its like seconds, on a busy machine many times that.
const askLimit = 30 * time.Second

// A manner is a way in which a shell is started.
type manner struct {
	name  string
	flags []string
}

// manners returns all of them. A plain shell, as scripts are run by, has the environment of its caller; the others are new.
func manners() []manner {
	return []manner{
		{"plain", nil}, {"login", []string{"-l"}}, {"interactive", []string{"-i"}}, {"login interactive", []string{"-l", "-i"}},
	}
}

// question is what a shell runs: it tells its alias and function called codex, and its PATH. An interactive shell first does what it does
// before a prompt and after a cd, where mise and direnv change PATH.
func question(shell string, m manner) string {
	prompt := ""
	if len(m.flags) > 0 && m.flags[len(m.flags)-1] == "-i" {
		prompt = prompts()[shell]
	}
	if shell == "fish" {
		return prompt + `printf '\0swop:%s\0%s\0' "$(functions codex | string collect)" "$(string join : -- $PATH | string collect)"`
	}
	return prompt + `printf '\0swop:%s\0%s\0' "$(alias codex; typeset -f codex)" "$PATH"`
}

func prompts() map[string]string {
	const bash = `swop_p() { for swop_f in ${PROMPT_COMMAND[@]+"${PROMPT_COMMAND[@]}"}; do eval "$swop_f"; done; }`
	const zsh = `swop_p() { for swop_f in precmd ${precmd_functions[@]+"${precmd_functions[@]}"}; do "$swop_f"; done; }`
	const both = "\n{ swop_p; cd / && swop_p && cd \"$OLDPWD\"; swop_p; } >/dev/null 2>&1\n"
	return map[string]string{
		"bash": bash + both,
		"zsh":  zsh + both,
		"fish": "begin; emit fish_prompt; set -l back $PWD; cd /; emit fish_prompt; cd $back; emit fish_prompt; end >/dev/null 2>&1\n",
	}
}

// answerMark begins the answer, after whatever the start-up files print.
const answerMark = "\x00swop:"

// An answer is what a shell says.
type answer struct {
	manner string
	alias  string // the text of the alias or function called codex, "" if there is none
	path   string // PATH
	err    error
}

var errNoAnswer = errors.New("ended without an answer")

// ask starts a shell as m says, without a terminal and in a session of its own, so that it takes nothing from ours, and waits for its
// answer. Afterwards, and at the latest after the limit, what it started ends too.
func ask(sh install.Shell, m manner, env config.Env, limit time.Duration) answer {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	out := &lastBytes{max: 1 << 20}
	cmd := exec.CommandContext(ctx, sh.Path, append(m.flags[:len(m.flags):len(m.flags)], "-c", question(sh.Name, m))...)
	cmd.Env, cmd.Stdout = env, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // for what a start-up file left running with our pipe
	err := cmd.Run()
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGHUP) // as a terminal that is closed; mostly there is nobody left
	}
	if ctx.Err() != nil {
		return answer{manner: m.name, err: fmt.Errorf("it took more than %v", limit)}
	}
	a := answer{manner: m.name}
	if _, text, ok := strings.Cut(out.text(), answerMark); ok {
		fields := strings.Split(text, "\x00")
		if len(fields) > 2 {
			a.alias, a.path = fields[0], fields[1]
			return a
		}
	}
	if a.err = err; err == nil {
		a.err = errNoAnswer
	}
	return a
}

// lastBytes keeps the end of what is written to it: a start-up file may print without end.
type lastBytes struct {
	max  int
	kept bytes.Buffer
}

func (l *lastBytes) Write(p []byte) (int, error) {
	l.kept.Write(p)
	if over := l.kept.Len() - l.max; over > 0 {
		l.kept.Next(over)
	}
	return len(p), nil
}

func (l *lastBytes) text() string { return l.kept.String() }

// askAll asks every shell in every manner at the same time. The answers come in the order of manners.
func (a *app) askAll(s scene, shells []install.Shell, limit time.Duration) [][]answer {
	answers := make([][]answer, len(shells))
	fresh := a.freshEnv(s)
	var wait sync.WaitGroup
	for i, sh := range shells {
		answers[i] = make([]answer, len(manners()))
		for j, m := range manners() {
			env := fresh.With("SHELL", sh.Path)
			if m.flags == nil {
				env = s.Env.With("HOME", s.Home)
			}
			wait.Go(func() { answers[i][j] = ask(sh, m, env, limit) })
		}
	}
	wait.Wait()
	return answers
}

// passedOn are the variables that a new terminal gives to its shell, as far as start-up files depend on them. All others would
// tell them that they ran before.
var passedOn = []string{
	"USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "ZDOTDIR",
	"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR",
}

// freshEnv is the environment of a new terminal: PATH is the caller's without our directory, which is for the start-up files to put there.
func (a *app) freshEnv(s scene) config.Env {
	env := config.Env{"HOME=" + s.Home, "TERM=dumb", "PATH=" + a.pathWithoutUs(s.Env.Value("PATH"))}
	for _, name := range passedOn {
		if value, ok := s.Env.Lookup(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

func (a *app) pathWithoutUs(path string) string {
	own := filepath.Dir(a.executable)
	var left []string
	for _, dir := range filepath.SplitList(path) {
		if !sameFile(dir, own) {
			left = append(left, dir)
		}
	}
	return strings.Join(left, string(filepath.ListSeparator))
}

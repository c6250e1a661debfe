package doctor

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"swop/config"
	"swop/install"
	"swop/internal/account/process"
	"swop/internal/disk"
	"swop/internal/say"
)

// checkShells asks the user's shells what codex is in new ones: with all that start-up files do, only they know. For a shell that is not
// the user's own there is only a warning.
func checkShells(x *exam) (found []Finding) {
	answers := make([][]answer, len(x.state.Shells))
	fresh := x.freshEnv()
	var all sync.WaitGroup
	for i, sh := range x.state.Shells {
		answers[i] = make([]answer, len(manners))
		for j, m := range manners {
			env := fresh.With("SHELL", sh.Path)
			if m.flags == nil {
				env = x.Env.With("HOME", x.Home)
			}
			all.Go(func() { answers[i][j] = ask(sh, m, env, patience) })
		}
	}
	all.Wait()
	for i, sh := range x.state.Shells {
		found = append(found, named(sh.Name, x.judge(sh, answers[i]))...)
	}
	return found
}

// judge returns the findings about one shell: one for all manners of starting it that find the same codex first.
func (x *exam) judge(sh install.Shell, answers []answer) (found []Finding) {
	manners := map[string][]string{} // by what codex is
	var order []string
	for _, answer := range answers {
		what := x.whatIs(answer)
		if what != "" && sh.Name == "bash" && answer.manner == "plain" {
			continue // it reads no file, and finds what checkPath reports
		}
		if manners[what] == nil {
			order = append(order, what)
		}
		manners[what] = append(manners[what], answer.manner)
	}
	for _, what := range order {
		kinds := strings.Join(manners[what], ", ")
		f := fine("swop's codex comes first (%s)", kinds)
		if what != "" {
			f = warn(x.shellHint(sh, what), "%s (%s)", what, kinds)
		}
		if what != "" && sh.Own && !strings.HasPrefix(what, noAnswer) {
			f[0].State = Problem
		}
		found = append(found, f...)
	}
	return found
}

const (
	noAnswer  = "its start-up files keep it from answering"
	otherWord = "codex is an alias or a function that names another program"
)

// whatIs returns what codex is in a shell, "" if it is the shim.
func (x *exam) whatIs(answer answer) string {
	if answer.err != nil {
		return fmt.Sprintf("%s: %v", noAnswer, answer.err)
	}
	if strings.Contains(answer.alias, "/codex") && !strings.Contains(answer.alias, x.shim()) {
		return otherWord
	}
	found := codexesOn(answer.path)
	switch at := slices.IndexFunc(found, x.isShim); {
	case len(found) == 0:
		return "no codex on PATH, not even swop's"
	case at == 0:
		return ""
	case install.IsShim(found[0]):
		return found[0] + " comes first, a shim of another installation of swop"
	case at < 0:
		return found[0] + " comes first, swop's is not on PATH"
	}
	return found[0] + " comes before swop's"
}

// shellHint returns the command that repairs it: an install if that would change lines, else one that shows the cause, or what to add.
func (x *exam) shellHint(sh install.Shell, what string) string {
	shell := say.ShellQuote(sh.Path)
	switch {
	case strings.HasPrefix(what, noAnswer) && sh.Name == "fish":
		return shell + " -lic exit"
	case strings.HasPrefix(what, noAnswer):
		return shell + " -lixc exit"
	case what == otherWord:
		return shell + " -ic 'type codex'"
	case len(x.state.Outdated) > 0:
		return "codex swop install"
	}
	return "codex swop help install"
}

// patience is how long a shell may take: with nvm and its like seconds, on a busy machine many times that. The real codex, too.
const patience = 30 * time.Second

// A manner is a way in which a shell is started.
type manner struct {
	name  string
	flags []string
}

// manners are all manners. A plain shell, which runs scripts, has the environment of its caller; the others are new.
var manners = []manner{
	{"plain", nil}, {"login", []string{"-l"}}, {"interactive", []string{"-i"}}, {"login interactive", []string{"-l", "-i"}},
}

// question returns what a shell runs to print its alias and function called codex, and its PATH. An interactive shell first does what it
// does before a prompt and after a cd, where mise and direnv change PATH.
func question(shell string, m manner) string {
	prompt := map[string]string{
		"bash": `swop_p() { for swop_f in ${PROMPT_COMMAND[@]+"${PROMPT_COMMAND[@]}"}; do eval "$swop_f"; done; }`,
		"zsh":  `swop_p() { for swop_f in precmd ${precmd_functions[@]+"${precmd_functions[@]}"}; do "$swop_f"; done; }`,
		"fish": "begin; emit fish_prompt; set -l back $PWD; cd /; emit fish_prompt; cd $back; emit fish_prompt; end >/dev/null 2>&1\n",
	}[shell]
	tell := `printf '\0swop:%s\0%s\0' "$(alias codex; typeset -f codex)" "$PATH"`
	if shell == "fish" {
		tell = `printf '\0swop:%s\0%s\0' "$(functions codex | string collect)" "$(string join : -- $PATH | string collect)"`
	} else {
		prompt += "\n{ swop_p; cd / && swop_p && cd \"$OLDPWD\"; swop_p; } >/dev/null 2>&1\n"
	}
	if !slices.Contains(m.flags, "-i") {
		return tell
	}
	return prompt + tell
}

// An answer is what a shell says.
type answer struct {
	manner string
	alias  string // the text of the alias or function called codex, "" for neither
	path   string // PATH
	err    error
}

// ask returns the answer of a shell that is started as m says. Afterwards, and at the latest after the limit, what it started ends too.
func ask(sh install.Shell, m manner, env config.Env, limit time.Duration) answer {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	args := slices.Concat([]string{sh.Path}, m.flags, []string{"-c", question(sh.Name, m)})
	out, err := process.Ask(ctx, exec.Cmd{Path: sh.Path, Args: args, Env: env}, 16<<20) // a start-up file may print without end
	if ctx.Err() != nil {
		return answer{manner: m.name, err: fmt.Errorf("it took more than %v", limit)}
	}
	a := answer{manner: m.name}
	_, text, _ := strings.Cut(out, "\x00swop:") // after what the start-up files print
	if fields := strings.Split(text, "\x00"); len(fields) > 2 {
		a.alias, a.path = fields[0], fields[1]
	} else if a.err = err; err == nil {
		a.err = errors.New("ended without an answer")
	}
	return a
}

// freshEnv returns the environment of a new terminal: what start-up files depend on, and nothing that tells them that they ran before. PATH
// is the caller's without our directory, which the start-up files have to put there.
func (s Subject) freshEnv() config.Env {
	own := filepath.Dir(s.Program)
	dirs := slices.DeleteFunc(filepath.SplitList(s.Env.Value("PATH")), func(dir string) bool { return disk.SameFile(dir, own) })
	env := config.Env{"HOME=" + s.Home, "TERM=dumb", "PATH=" + strings.Join(dirs, string(filepath.ListSeparator))}
	for _, name := range []string{
		"USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "ZDOTDIR",
		"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR",
	} {
		if value, ok := s.Env.Lookup(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

//go:build unix

package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"swop/account"
	"swop/account/login"
	"swop/account/store"
	"swop/bridge"
	"swop/config"
	"swop/config/file"
	"swop/disk"
	"swop/home/history"
	"swop/manager/terminal"
	"swop/say"
	"swop/session"
	"swop/shim"
)

const noFiles = cobra.ShellCompDirectiveNoFileComp

// completeWords returns the completion of the words after a verb, each by its own function. What follows them is not ours to complete.
func completeWords(words ...cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) < len(words) {
			return words[len(args)](cmd, args, typed)
		}
		return nil, noFiles
	}
}

// completeFlags completes the values of the command's flags.
func completeFlags(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Value.Type() != "bool" {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, completeValue(f.Name)) // the flag exists, and has no completion yet
		}
	})
}

// completeValue returns the completion of a flag's value.
func completeValue(flag string) cobra.CompletionFunc {
	switch flag {
	case "import":
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
	case "to":
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
	case "from", "keep-sessions", "shared-home", "prefix":
		return completeDirectory
	case "confine":
		return cobra.FixedCompletions(config.Policies(), noFiles)
	case "state":
		return cobra.FixedCompletions([]cobra.Completion{
			"shared\tonly the login is its own", "private\ttranscripts, history and databases too",
		}, noFiles)
	}
	return cobra.NoFileCompletions
}

// loginFlags are those of codex login, to which add and login pass them on (codex login --help, 0.169).
var loginFlags = []cobra.Completion{
	"--device-auth\tlog in with a code, on a machine without a browser",
	"--with-api-key\tread the API key from standard input",
	"--with-access-token\tread the access token from standard input",
}

// completeLogin completes what codex login takes.
func completeLogin(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if strings.HasPrefix(typed, "-") {
		return loginFlags, noFiles
	}
	return []cobra.Completion{"status\tshow whether it is logged in"}, noFiles
}

// completeAdd completes the words of add, which parses its flags itself. A new label cannot be completed.
func completeAdd(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	flag := ""
	if len(args) > 0 {
		flag = args[len(args)-1]
	}
	if name, value, joined := strings.Cut(typed, "="); joined {
		flag, typed = name, value
	}
	switch {
	case slices.Contains([]string{"--import", "--from", "--state"}, flag):
		return completeValue(flag[2:])(cmd, args, typed)
	case strings.HasPrefix(typed, "-"):
		return loginFlags, noFiles // cobra adds those of the command
	}
	return nil, noFiles
}

func completeDirectory(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

func completeVerb(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var list []cobra.Completion
	for _, c := range cmd.Root().Commands() {
		if c.IsAvailableCommand() {
			list = append(list, cobra.CompletionWithDesc(c.Name(), c.Short))
		}
	}
	return list, noFiles
}

// maxDescribed is how many labels are completed with their logins: nobody reads more, and each costs two files.
const maxDescribed = 100

// completeLabel completes an account's label, with its login. What cannot be read completes nothing.
// shortPrompt is the width that the prompt of a session is cut to beside its ID.
const shortPrompt = 50

func (a *app) completeLabel(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return a.completeFrom(typed, labelsFor)
}

// completePool completes a pool, where there are accounts.
func (a *app) completePool(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return a.completeFrom(typed, poolsFor)
}

// completeChoice completes what use and bind take: a label or a pool.
func (a *app) completeChoice(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return a.completeFrom(typed, labelsFor, poolsFor)
}

// completeFrom returns what each list has for the typed word.
func (a *app) completeFrom(typed string, lists ...func(*shim.Invocation, string) []cobra.Completion) (all []cobra.Completion, _ cobra.ShellCompDirective) {
	inv, err := session.Look(a.env)
	if err != nil {
		return nil, noFiles
	}
	for _, list := range lists {
		all = append(all, list(&inv, typed)...)
	}
	return all, noFiles
}

// labelsFor returns the labels that a typed word begins, with their logins.
func labelsFor(inv *shim.Invocation, typed string) []cobra.Completion {
	st := store.Store{Layout: account.Layout{Places: inv.Places}}
	keys, err := st.Keys(keyPrefix(typed))
	if err != nil || len(keys) > maxDescribed {
		return keys
	}
	usesKeyring := sync.OnceValue(func() bool { return login.UsesKeyring(inv.Root.SharedHome.Path) })
	list := make([]cobra.Completion, 0, len(keys))
	for _, key := range keys {
		if acct, err := st.Account(key); err == nil {
			list = append(list, completionOf(acct, login.OfOr(acct, usesKeyring), typed))
		}
	}
	return list
}

// poolsFor returns the pools that a typed word begins, none where there is no account.
func poolsFor(inv *shim.Invocation, typed string) []cobra.Completion {
	if inv.Root.SharedHome.Path == "" {
		return nil
	}
	list := []cobra.Completion{cobra.CompletionWithDesc(config.AutoPool, "an account that has room")}
	settings, _ := file.ReadSettings(inv.Places) // what cannot be read completes nothing
	for _, key := range slices.Sorted(maps.Keys(settings.Pools)) {
		if key != config.AutoPool {
			list = append(list, cobra.CompletionWithDesc(config.PoolName(key), "a pool of "+terminal.Counted(len(settings.Pools[key].Accounts), "account", "accounts")))
		}
	}
	return slices.DeleteFunc(list, func(c cobra.Completion) bool { return !strings.HasPrefix(c, typed) })
}

// completeSession completes the id of a session of this directory, with what was asked there. What cannot be read completes nothing.
func completeSession(a *app) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		s, err := a.look()
		if err != nil {
			return nil, noFiles
		}
		var list []cobra.Completion
		sessions, _ := a.sessionsHere(s)
		for _, e := range sessions {
			if strings.HasPrefix(e.ID, typed) {
				list = append(list, cobra.CompletionWithDesc(e.ID, terminal.Cut(say.Printable(oneLine(e.Prompt)), shortPrompt)))
			}
		}
		return list, noFiles
	}
}

// keyPrefix returns what the keys of the labels that begin with typed begin with.
func keyPrefix(typed string) string {
	return strings.TrimRight(strings.NewReplacer(" ", "-", "_", "-").Replace(strings.ToLower(typed)), "-")
}

// completionOf returns the label, or the key where that fits what is typed better or needs no quotes in the shell.
func completionOf(acct account.Account, login login.Login, typed string) cobra.Completion {
	label, about := acct.Meta.Label, login.Text()
	unquoted := say.ShellQuote(label) == label
	if unquoted && (strings.HasPrefix(label, typed) || !strings.HasPrefix(acct.Key, typed)) {
		return cobra.CompletionWithDesc(label, about)
	}
	if label != acct.Key {
		about = fmt.Sprintf("%s, %s", label, about)
	}
	return cobra.CompletionWithDesc(acct.Key, about)
}

// completeBound completes a directory that is bound to an account.
func completeBound(a *app) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var list []cobra.Completion
		if inv, err := session.Look(a.env); err == nil {
			selector, _ := file.ReadSelector(inv.Places) // what cannot be read completes nothing
			for _, b := range selector.Directory {
				if say.ShellQuote(b.Path) == b.Path {
					list = append(list, cobra.CompletionWithDesc(b.Path, b.Account))
				}
			}
		}
		return list, cobra.ShellCompDirectiveFilterDirs
	}
}

// completeKept completes the path of an entry of which versions are kept, in the form in which it is begun. What cannot be read completes
// nothing.
func completeKept(a *app) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		inv, err := session.Look(a.env)
		if err != nil {
			return nil, cobra.ShellCompDirectiveDefault
		}
		l := account.Layout{Places: inv.Places}
		versions, _ := history.List(l)
		homes := history.HomesOf(l, inv.Root)
		dir, _ := os.Getwd()
		var list []cobra.Completion
		for _, v := range versions {
			word := asTyped(homes.Place(v.About), typed, homes.Home, dir)
			if v.Number == 1 && v.Path != history.Unknown && say.ShellQuote(strings.TrimPrefix(word, "~")) == strings.TrimPrefix(word, "~") {
				list = append(list, cobra.CompletionWithDesc(word, "kept "+terminal.Ago(a.now(), &v.Time)))
			}
		}
		return list, cobra.ShellCompDirectiveDefault
	}
}

// asTyped returns the path as it follows from what is typed: below "~", absolute, or else below dir if it lies there.
func asTyped(path, typed, home, dir string) string {
	switch {
	case strings.HasPrefix(typed, "/"):
		return path
	case strings.HasPrefix(typed, "~"):
		dir, home = home, "~/"
	default:
		home = ""
	}
	if rest, ok := strings.CutPrefix(path, disk.WithoutSlash(dir)+"/"); ok {
		return home + rest
	}
	return path
}

// completeBridge completes the name of a bridge of the account that codex would run as here.
func completeBridge(a *app) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var list []cobra.Completion
		if s, err := a.lookAtBridges(); err == nil { // what cannot be read completes nothing
			for _, b := range s.bridges {
				list = append(list, cobra.CompletionWithDesc(b.Name, b.Upstream))
			}
		}
		return list, noFiles
	}
}

// completeHost completes the name of a host command of the session.
func completeHost(a *app) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var list []cobra.Completion
		if state, err := bridge.StateOf(a.bridgeDir()); err == nil { // outside of a session there is none
			for _, c := range state.Commands {
				list = append(list, cobra.CompletionWithDesc(c.Name, c.Usage))
			}
		}
		return list, noFiles
	}
}

//go:build unix

package main

import (
	"fmt"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"swop/config/file"
	"swop/manager/account"
	"swop/manager/login"
	"swop/manager/store"
	"swop/say"
	"swop/shim/session"
)

// word is what a word of a call can be.
type word int

const (
	noWord word = iota
	labelWord
	directoryWord
	fileWord
	boundWord // a directory with an account
	stateWord
	shellWord
	statusWord // what codex login takes beside flags
)

// arguments are the words that follow a verb; what follows them is nothing that we know.
var arguments = map[string][]word{
	"use": {labelWord}, "bind": {labelWord, directoryWord}, "unbind": {boundWord}, "remove": {labelWord}, "rename": {labelWord},
	"login": {labelWord, statusWord}, "logout": {labelWord}, "run": {labelWord}, "env": {labelWord}, "sync": {labelWord}, "completion": {shellWord},
}

// values are the words that follow a flag.
var values = map[string]word{
	"import": fileWord, "from": directoryWord, "state": stateWord, "keep-sessions": directoryWord, "shared-home": directoryWord, "prefix": directoryWord,
}

// loginFlags are those of codex login, to which add and login pass them on (codex login --help, 0.169).
var loginFlags = []cobra.Completion{
	"--device-auth\tlog in with a code, on a machine without a browser",
	"--with-api-key\tread the API key from standard input",
	"--with-access-token\tread the access token from standard input",
}

// completes gives the verbs below root what completes their words.
func (a *app) completes(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		if cmd.Name() == "help" {
			continue
		}
		words := arguments[cmd.Name()]
		cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) < len(words) {
				return a.candidates(words[len(args)], typed)
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() == "bool" {
				return
			}
			complete := func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
				return a.candidates(values[f.Name], typed)
			}
			_ = cmd.RegisterFlagCompletionFunc(f.Name, complete) // the flag is there, and has none yet
		})
		if cmd.Name() == "add" {
			cmd.ValidArgsFunction = a.completeAdd
		}
	}
}

// candidates returns the words of a kind that typed may become.
func (a *app) candidates(kind word, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	switch kind {
	case labelWord:
		return a.labels(typed), cobra.ShellCompDirectiveNoFileComp
	case boundWord:
		return a.bound(), cobra.ShellCompDirectiveFilterDirs
	case directoryWord:
		return nil, cobra.ShellCompDirectiveFilterDirs
	case fileWord:
		return nil, cobra.ShellCompDirectiveDefault
	case stateWord:
		return []cobra.Completion{"shared\tonly the login is its own", "private\ttranscripts, history and databases too"}, cobra.ShellCompDirectiveNoFileComp
	case shellWord:
		return []cobra.Completion{"bash", "fish", "zsh"}, cobra.ShellCompDirectiveNoFileComp
	case statusWord:
		if strings.HasPrefix(typed, "-") {
			return loginFlags, cobra.ShellCompDirectiveNoFileComp
		}
		return []cobra.Completion{"status\tsay whether it is logged in"}, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// completeAdd completes add, which parses its flags itself: a new label is nobody's to know.
func (a *app) completeAdd(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	flag := ""
	if len(args) > 0 {
		flag = args[len(args)-1]
	}
	if name, value, joined := strings.Cut(typed, "="); joined && strings.HasPrefix(name, "--") {
		flag, typed = name, value
	}
	if kind, ok := values[strings.TrimPrefix(flag, "--")]; ok && strings.HasPrefix(flag, "--") {
		return a.candidates(kind, typed)
	}
	if !strings.HasPrefix(typed, "-") {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return loginFlags, cobra.ShellCompDirectiveNoFileComp // cobra adds those of the command
}

// maxDescribed is how many labels are completed with their logins: nobody reads more, and each costs two files.
const maxDescribed = 100

// labels returns the accounts whose label may begin with typed, with their logins. What cannot be read completes nothing.
func (a *app) labels(typed string) []cobra.Completion {
	s, err := session.Look(a.env)
	if err != nil {
		return nil
	}
	st := store.Store{Layout: account.Layout{Places: s.Places}}
	keys, err := st.Keys(keyPrefix(typed))
	if err != nil || len(keys) > maxDescribed {
		return keys
	}
	usesKeyring := sync.OnceValue(func() bool { return login.UsesKeyring(s.Root.SharedHome.Path) })
	list := make([]cobra.Completion, 0, len(keys))
	for _, key := range keys {
		if acct, err := st.Account(key); err == nil {
			list = append(list, completionOf(acct, login.OfOr(acct, usesKeyring), typed))
		}
	}
	return list
}

// keyPrefix is what the keys begin with whose labels begin with typed.
func keyPrefix(typed string) string {
	return strings.TrimRight(strings.NewReplacer(" ", "-", "_", "-").Replace(strings.ToLower(typed)), "-")
}

// completionOf is the label, or the key where that fits what is typed better or saves the shell its quotes.
func completionOf(acct account.Account, login login.Login, typed string) cobra.Completion {
	label, about := acct.Meta.Label, login.Text()
	plain := say.ShellQuote(label) == label
	if plain && (strings.HasPrefix(label, typed) || !strings.HasPrefix(acct.Key, typed)) {
		return cobra.CompletionWithDesc(label, about)
	}
	if label != acct.Key {
		about = fmt.Sprintf("%s, %s", label, about)
	}
	return cobra.CompletionWithDesc(acct.Key, about)
}

// bound returns the directories that have an account.
func (a *app) bound() []cobra.Completion {
	s, err := session.Look(a.env)
	if err != nil {
		return nil
	}
	selector, err := file.ReadSelector(s.Places)
	if err != nil {
		return nil
	}
	var list []cobra.Completion
	for _, b := range selector.Directory {
		if say.ShellQuote(b.Path) == b.Path {
			list = append(list, cobra.CompletionWithDesc(b.Path, b.Account))
		}
	}
	return list
}

package verb

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/internal/account/login"
	"swop/internal/disk"
	"swop/manager/terminal"
)

// NoFiles ends a completion that offers no files.
const NoFiles = cobra.ShellCompDirectiveNoFileComp

// CompleteWords returns the completion of the words after a verb, each by its own function. Further words complete nothing.
func CompleteWords(words ...cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) < len(words) {
			return words[len(args)](cmd, args, typed)
		}
		return nil, NoFiles
	}
}

// CompleteValue returns the completion of a flag's value.
func CompleteValue(flag string) cobra.CompletionFunc {
	switch flag {
	case "import":
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
	case "from", "shared-home", "prefix":
		return CompleteDirectory
	case "confine":
		return cobra.FixedCompletions(config.Policies()[1:], NoFiles)
	case "state":
		return cobra.FixedCompletions([]cobra.Completion{
			"shared\tonly the login is its own", "private\ttranscripts, history and databases too",
		}, NoFiles)
	}
	return cobra.NoFileCompletions
}

// CompleteDirectory completes a directory.
func CompleteDirectory(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// Complete completes a word by all of the lists. Without readable accounts and settings it completes nothing.
func (c *Call) Complete(lists ...func(s Setup, typed string) []cobra.Completion) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) (all []cobra.Completion, _ cobra.ShellCompDirective) {
		s, err := c.Look()
		if err != nil {
			return nil, NoFiles
		}
		for _, list := range lists {
			all = append(all, list(s, typed)...)
		}
		return all, NoFiles
	}
}

// Labels returns the keys that begin with typed, with their labels and logins. After an error nothing is completed.
func Labels(s Setup, typed string) []cobra.Completion {
	keys, _ := s.Store.Keys(typed)
	list := make([]cobra.Completion, len(keys))
	disk.Parallel(len(keys), func(i int) {
		if acct, err := s.Store.Account(keys[i]); err == nil {
			about := login.Of(acct).Text()
			if acct.Meta.Label != keys[i] {
				about = acct.Meta.Label + ", " + about
			}
			list[i] = cobra.CompletionWithDesc(keys[i], about)
		}
	})
	return slices.DeleteFunc(list, func(c cobra.Completion) bool { return c == "" })
}

// Pools returns the pools that begin with typed, none without accounts.
func Pools(s Setup, typed string) []cobra.Completion {
	if s.Root.SharedHome.Path == "" {
		return nil
	}
	list := []cobra.Completion{cobra.CompletionWithDesc(config.AutoPool, "an account that has room")}
	for _, key := range slices.Sorted(maps.Keys(s.Settings.Pools)) {
		if key != config.AutoPool {
			size := terminal.Counted(len(s.Settings.Pools[key].Accounts), "account", "accounts")
			list = append(list, cobra.CompletionWithDesc(config.PoolName(key), "a pool of "+size))
		}
	}
	return slices.DeleteFunc(list, func(c cobra.Completion) bool { return !strings.HasPrefix(c, typed) })
}

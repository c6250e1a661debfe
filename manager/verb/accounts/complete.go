package accounts

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"swop/manager/verb"
)

// loginFlags are those of codex login, to which add and login pass them on (codex login --help, 0.169).
var loginFlags = []cobra.Completion{
	"--device-auth\tlog in with a code, on a machine without a browser",
	"--with-api-key\tread the API key from standard input",
	"--with-access-token\tread the access token from standard input",
}

// completeLogin completes what codex login takes.
func completeLogin(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if strings.HasPrefix(typed, "-") {
		return loginFlags, verb.NoFiles
	}
	return []cobra.Completion{"status\tshow whether it is logged in"}, verb.NoFiles
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
		return verb.CompleteValue(flag[2:])(cmd, args, typed)
	case strings.HasPrefix(typed, "-"):
		return loginFlags, verb.NoFiles // cobra adds those of the command
	}
	return nil, verb.NoFiles
}

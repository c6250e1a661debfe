package swop

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"swop/manager/verb"
)

func Version(call *verb.Call) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print swop's own version",
		Long:    "Print swop's own version. For that of codex: codex --version",
		Example: verb.Example("codex swop version", "codex swop --version"),
		Args:    verb.Takes(0),
		RunE: func(*cobra.Command, []string) error {
			version := "(devel)"
			if info, ok := debug.ReadBuildInfo(); ok { // between releases it names the revision
				version = cmp.Or(info.Main.Version, version)
			}
			return verb.Line(call.Stdout, fmt.Sprintf("swop %s %s %s/%s", version, runtime.Version(), runtime.GOOS, runtime.GOARCH))
		},
	}
}

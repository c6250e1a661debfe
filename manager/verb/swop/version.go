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
			info, _ := debug.ReadBuildInfo() // nil only without module support
			return verb.Line(call.Stdout, versionText(info))
		},
	}
}

// versionText returns the module's version as the Go tool recorded it, which between releases names the revision, and the platform.
func versionText(info *debug.BuildInfo) string {
	version := "(devel)"
	if info != nil {
		version = cmp.Or(info.Main.Version, version)
	}
	return fmt.Sprintf("swop %s %s %s/%s", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

//go:build unix

package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print swop's own version",
		Long:    "Print swop's own version. That of the real codex: codex --version",
		Example: example("codex swop version"),
		Args:    takes(0),
		RunE: func(*cobra.Command, []string) error {
			info, _ := debug.ReadBuildInfo() // nil only without module support
			return line(a.stdout, versionText(info))
		},
	}
}

// versionText is what the Go tool recorded of the module: the version of a tagged commit, or a pseudo-version, which ends in the
// revision, or "(devel)" and the revision where it knew no more. Uncommitted changes show as "dirty".
func versionText(info *debug.BuildInfo) string {
	version := "(devel)"
	if info != nil {
		version = info.Main.Version
		if version == "" {
			version = "(devel)"
		}
		version += missing(version, revision(info))
	}
	return fmt.Sprintf("swop %s %s %s/%s", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// revision returns what was built: the revision's first twelve digits, then "dirty" if it was changed; nothing where Go knew of none.
func revision(info *debug.BuildInfo) []string {
	var words []string
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			words = append(words, s.Value[:12])
		case s.Key == "vcs.modified" && s.Value == "true":
			words = append(words, "dirty")
		}
	}
	return words
}

// missing returns the words that text does not hold yet, each after a space.
func missing(text string, words []string) string {
	out := ""
	for _, word := range words {
		if !strings.Contains(text, word) {
			out += " " + word
		}
	}
	return out
}

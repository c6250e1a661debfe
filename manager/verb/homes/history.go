package homes

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/internal/disk"
	"swop/internal/home"
	"swop/internal/say"
	"swop/manager/terminal"
	"swop/manager/verb"
)

func History(call *verb.Call) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "history [PATH]",
		Short: "List earlier versions of files",
		Long: "List earlier versions of files, the newest first, each with the command that brings it back: those of PATH, or all. PATH may " +
			"be the one outside of sessions or inside.\n\nA version is kept for 30 days, at most 50 of each file and 2 GiB in all, and for a " +
			"day in any case. They are plain files in kept, in swop's own directory.",
		Example: verb.Example(
			"codex swop history",
			"codex swop history ~/.codex/config.toml",
		),
		Args: verb.Takes(0, "PATH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == "" { // as of a variable that is not set: all would be listed
				return verb.WrongUsage(cmd, "the path is empty")
			}
			return verb.With(call.Look, showHistory)(cmd, args)
		},
	}
	call.JSONFlag(cmd)
	return cmd
}

func showHistory(s verb.Setup, args []string) error {
	s.CatchUp()
	list, err := home.List(s.Store.Layout, s.Root)
	if err != nil {
		return err
	}
	of := ""
	if len(args) > 0 {
		of = " of " + say.Name(args[0])
		if list, err = versionsOf(list, args[0]); err != nil {
			return err
		}
	}
	switch {
	case s.JSON:
		return verb.WriteJSON(s.Stdout, historyAnswer{1, append([]home.Version{}, list...)})
	case len(list) == 0:
		s.Say("no versions are kept%s", of)
		return nil
	}
	return s.Show(historyLines(s, list))
}

// versionsOf returns the versions of the entry at path, of entries below it, and of directories above it that had it.
func versionsOf(list []home.Version, path string) (found []home.Version, err error) {
	if !filepath.IsAbs(path) {
		dir, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		path = dir + string(filepath.Separator) + path
	}
	place := disk.Resolve(path) // a session has links to what is outside
	for _, v := range list {
		at := disk.Resolve(v.Place)
		below, inside := strings.CutPrefix(place, at+string(filepath.Separator))
		if config.Within(at, place) || inside && disk.At(filepath.Join(v.Dir, v.Files[0], below)).Exists() {
			found = append(found, v)
		}
	}
	return found, nil
}

// historyLines returns a table, with the command that brings each version back below its row.
func historyLines(s verb.Setup, list []home.Version) (lines []string) {
	now := s.Now()
	table := s.Table([]terminal.Column{
		terminal.NewColumn("KEPT", list, func(v home.Version) string { return terminal.Ago(now, &v.Time) }),
		terminal.NewColumn("ACCOUNT", list, func(v home.Version) string { return cmp.Or(say.Name(v.Account), "-") }),
		terminal.NewColumn("SIZE", list, func(v home.Version) string { return fmt.Sprintf("%d KiB", (v.Size+1023)/1024) }),
		terminal.NewColumn("PATH", list, func(v home.Version) string { return say.Name(say.ShellPath(s.Places.Home, v.Place)) }),
	})
	lines = append(lines, table[:len(table)-len(list)]...)
	taken := map[string]bool{}
	for i, line := range table[len(table)-len(list):] {
		lines = append(lines, line, "    "+bringBack(s, list[i], taken))
	}
	return lines
}

// bringBack returns the command that moves a version to its place, or beside it where a directory or a database is there: mv would put the
// version into that. The paths are absolute: in a session ~ is another directory. For a place in an account's home, where a session may
// have put a link to a directory, it returns only the directory of the version. No two commands lead to one name beside a place.
func bringBack(s verb.Setup, v home.Version, taken map[string]bool) string {
	if config.Within(v.Place, s.Store.AccountsDir()) || say.Name(v.Place) != v.Place || say.Name(v.Dir) != v.Dir {
		return "in " + say.Name(v.Dir) // no shell reads such a name as it is printed
	}
	move, to := "mv -i ", v.Place
	if os.PathSeparator == '\\' {
		move = "move "
	}
	there, err := os.Stat(v.Place) // mv goes into a directory that a link leads to, too
	whole := len(v.Files) > 1 || disk.At(filepath.Join(v.Dir, v.Files[0])).IsDir()
	logs := disk.MayExist(v.Place+"-wal") || disk.MayExist(v.Place+"-journal")
	if err == nil && there.IsDir() || (disk.MayExist(v.Place) || taken[to]) && whole || logs {
		for to += ".kept"; disk.At(to).Exists() || taken[to]; to += ".kept" {
		}
	}
	taken[to] = true
	var steps []string
	for _, file := range v.Files {
		from := filepath.Join(v.Dir, file)
		steps = append(steps, move+say.ShellQuote(from)+" "+say.ShellQuote(to+strings.TrimPrefix(file, v.Files[0])))
	}
	return strings.Join(steps, " && ")
}

// historyAnswer is the answer of the verb, as --json prints it: the newest versions first.
type historyAnswer struct {
	SchemaVersion int            `json:"schema_version"`
	Versions      []home.Version `json:"versions"`
}

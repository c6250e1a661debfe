package verb

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"swop/manager/terminal"
)

// Pick shows names with their descriptions, numbered from first on, and returns the one that the person at the terminal picks. Enter takes
// the one that is preset, or the account with that key. The errors are those of [terminal.Choose].
func Pick(list []cobra.Completion, first int, preset string) (string, error) {
	var names []string
	for _, choice := range list {
		name, _, _ := strings.Cut(choice, "\t")
		names = append(names, name)
	}
	enter := ""
	at := slices.IndexFunc(names, func(name string) bool { return name == preset || HasKey(name, preset) })
	if at >= 0 {
		enter = names[at]
	}
	n, err := terminal.Choose(terminal.Rows([]terminal.Column{
		terminal.NewColumn("", names, func(name string) string { return name }),
		terminal.NewColumn("", list, func(c cobra.Completion) string { _, about, _ := strings.Cut(c, "\t"); return about }),
	}), first, first+at, enter)
	if err != nil {
		return "", err
	}
	return names[n-first], nil
}

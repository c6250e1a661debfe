package verb

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"swop/manager/terminal"
)

// Pick shows names with their descriptions, and returns the one that the person at the terminal picks. Enter takes the one that is preset,
// or the account with that label. The errors are those of [terminal.Choose].
func Pick(list []cobra.Completion, preset string) (string, error) {
	var names []string
	for _, choice := range list {
		name, _, _ := strings.Cut(choice, "\t")
		names = append(names, name)
	}
	named := func(label string) int {
		return slices.IndexFunc(names, func(name string) bool { return name == label || HasKey(label, name) })
	}
	n, err := terminal.Choose(terminal.Rows([]terminal.Column{
		terminal.NewColumn("", names, func(name string) string { return name }),
		terminal.NewColumn("", list, func(c cobra.Completion) string { _, about, _ := strings.Cut(c, "\t"); return about }),
	}), named(preset), named)
	if err != nil {
		return "", err
	}
	return names[n], nil
}
